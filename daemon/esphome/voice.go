package esphome

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"time"

	"hearthd/daemon/queue"
)

const (
	// announces bounds the time of an announcement, as Home Assistant does, and maxSound its length.
	announces = 5 * time.Minute
	maxSound  = 2 * time.Minute
	// maxAnnouncing bounds the announcements of a client that wait.
	maxAnnouncing = 4
)

var (
	errWord   = errors.New("one of the wake words can be chosen, or all")
	errSilent = errors.New("it has neither a sound nor a text")
)

// timerFinished is VOICE_ASSISTANT_TIMER_FINISHED.
const timerFinished = 3

// takeVoice answers what concerns the satellite itself.
func (c *session) takeVoice(kind uint64, f fields) {
	switch kind {
	case voiceSubscribe:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.subscribe(c, f.flag(1))
	case voiceConfig:
		c.wants(func(context.Context) error { // after a change that waits
			c.queued(voiceConfigResponse, c.config())
			return nil
		})
	case voiceSetConfig:
		words := f.texts(1)
		c.wants(func(ctx context.Context) error { return c.heed(ctx, words) })
	case voiceTimer:
		// Home Assistant keeps its timers itself, and only wants them to ring here.
		if name := f.text(3); f.numbers[1] == timerFinished && len(name) <= maxText {
			c.wants(func(ctx context.Context) error { return c.opt.Box.Rings(ctx, name) })
		}
	case voiceAnnounce:
		a := announcement{text: f.text(2), converses: f.flag(4), waits: true}
		for _, url := range []string{f.text(3), f.text(1)} {
			if url != "" {
				a.urls = append(a.urls, url)
			}
		}
		c.say(a)
	case pingResponse:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.pings = max(c.pings-1, 0)
	case voiceResponse, voiceEvent:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.run != nil && c.voice == c && c.pings == 0 {
			c.run.take(kind, f)
		}
	}
}

// config says which wake words there are. Each is its own identity, and one of them, the first, stands for all: of
// several, Home Assistant may give each a pipeline of its own while all are heeded.
func (c *session) config() (m message) {
	for _, word := range c.opt.Words {
		var w message
		w.text(1, word)
		w.text(2, word)
		m.text(1, string(w))
	}
	active := []string{c.state().Word}
	if all := c.opt.Words; active[0] == all[0] && len(all) > 2 {
		active = all
	}
	for _, word := range active {
		m.text(2, word)
	}
	m.number(3, uint64(len(active)))
	return m
}

// heed changes the wake word. Several are all, if that or each of the others is among them.
func (c *session) heed(ctx context.Context, words []string) error {
	lacks := func(word string) bool { return !slices.Contains(words, word) }
	if all := c.opt.Words; len(words) > 1 && (!lacks(all[0]) || !slices.ContainsFunc(all[1:], lacks)) {
		words = all[:1]
	}
	if len(words) != 1 || !slices.Contains(c.opt.Words, words[0]) {
		return errWord
	}
	if err := c.opt.Box.SetWakeWord(ctx, words[0]); err != nil {
		return err
	}
	c.change(func(n *State) { n.Word = words[0] }) // the event comes later than the question how it is now
	return nil
}

func (s *Server) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// announcement is what Home Assistant has said here.
type announcement struct {
	urls      []string // played one after the other
	text      string   // said where they cannot be played
	converses bool     // and then its answer goes to Home Assistant
	waits     bool     // Home Assistant waits for its end
}

// say has a made when those before it have been heard.
func (c *session) say(a announcement) {
	if !queue.Offer(c.says, a) {
		c.announced(a.waits, errBusy)
	}
}

// announced tells of an end, where Home Assistant waits for it.
func (c *session) announced(waits bool, err error) {
	if err != nil && c.lines.Allow() {
		c.log.Warn("announcement of Home Assistant not made", "error", err)
	}
	if waits {
		var m message
		m.flag(1, err == nil)
		c.queued(voiceAnnounced, m)
	}
}

// announce makes what is to be announced, one after the other.
func (c *session) announce(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-c.says:
			actx, cancel := context.WithTimeout(ctx, announces)
			c.change(func(n *State) { n.announcing++ })
			err := c.deliver(actx, a)
			c.change(func(n *State) { n.announcing-- })
			c.announced(a.waits, err)
			if err == nil && a.converses {
				if err := c.opt.Box.Converse(actx); err != nil {
					c.log.Warn("conversation of Home Assistant not begun", "error", err)
				}
			}
			cancel()
		}
	}
}

// deliver plays what a names, or else says its text.
func (s *Server) deliver(ctx context.Context, a announcement) error {
	if len(a.text) > maxText {
		return errLong
	}
	var sound []int16
	var err error
	for _, url := range a.urls {
		var part []int16
		if part, err = s.fetch(ctx, url); err != nil {
			break
		}
		sound = append(sound, part...)
	}
	switch {
	case err == nil && len(sound) > 0:
		return s.opt.Box.Sound(ctx, sound)
	case a.text != "":
		s.opt.Log.Warn("sound of Home Assistant not played, its text is said", "component", "satellite", "error", err)
		return s.opt.Box.Say(ctx, a.text)
	case err == nil:
		return errSilent
	}
	return err
}

func (s *Server) open(ctx context.Context, url string, rate int) (io.ReadCloser, error) {
	if len(url) > maxText {
		return nil, errLong
	}
	return s.opt.Open(ctx, url, rate)
}

// fetch gives what is at an address, or its first two minutes.
func (s *Server) fetch(ctx context.Context, url string) ([]int16, error) {
	r, err := s.open(ctx, url, Rate)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(maxSound/time.Second)*Rate*2))
	return samples(data), err
}

// samples reads 16 bits each, little endian.
func samples(data []byte) []int16 {
	list := make([]int16, len(data)/2)
	for i := range list {
		list[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return list
}
