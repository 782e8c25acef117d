package esphome

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// kitchen is a box, and what it was told.
type kitchen struct {
	mu    sync.Mutex
	told  []string
	waits chan struct{} // nil, or what is said waits for it
}

func (k *kitchen) tell(format string, args ...any) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.told = append(k.told, fmt.Sprintf(format, args...))
	return nil
}

func (k *kitchen) list() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.told)
}

func (k *kitchen) Listen(context.Context) error              { return k.tell("listen") }
func (k *kitchen) Stop(context.Context) error                { return k.tell("stop") }
func (k *kitchen) Repeat(context.Context) error              { return k.tell("repeat") }
func (k *kitchen) SetMuted(_ context.Context, on bool) error { return k.tell("mute %t", on) }
func (k *kitchen) SetDND(_ context.Context, on bool) error   { return k.tell("dnd %t", on) }
func (k *kitchen) SetVolume(_ context.Context, percent int) error {
	return k.tell("volume %d", percent)
}
func (k *kitchen) SetWakeWord(_ context.Context, word string) error { return k.tell("word %s", word) }
func (k *kitchen) Rings(_ context.Context, name string) error       { return k.tell("rings %s", name) }
func (k *kitchen) Say(_ context.Context, text string) error         { return k.tell("say %s", text) }
func (k *kitchen) Converse(context.Context) error                   { return k.tell("converse") }
func (k *kitchen) Sound(ctx context.Context, samples []int16) error {
	if k.waits != nil {
		<-k.waits
	}
	return k.tell("sound %d", len(samples))
}

// stereo is a player; it shares the list of the box.
type stereo struct{ *kitchen }

func (s stereo) Play(url string)       { _ = s.tell("play %s", url) }
func (s stereo) Pause() bool           { return s.tell("pause") != nil }
func (s stereo) Resume() bool          { return s.tell("resume") != nil }
func (s stereo) Stop() bool            { return s.tell("stop media") != nil }
func (s stereo) Skip(n int) bool       { return s.tell("skip %d", n) != nil }
func (s stereo) SetVolume(percent int) { _ = s.tell("media volume %d", percent) }

// options are those of a kitchen; an address with "gone" in it cannot be opened.
func options(k *kitchen) Options {
	bus := event.NewBus()
	return Options{
		Listen: "127.0.0.1:0", Node: "demo", Name: "Demo speaker", MAC: "02:00:00:00:00:01", Words: []string{"all", "phrase"},
		Begin: State{State: event.Idle, Volume: 50, Word: "all"}, Bus: bus, Conditions: health.New(bus), Box: k, Player: stereo{k},
		Open: func(_ context.Context, url string, rate int) (io.ReadCloser, error) {
			if strings.Contains(url, "gone") {
				return nil, errors.New("gone")
			}
			return io.NopCloser(strings.NewReader(strings.Repeat("ab", rate/10))), nil
		},
		Log: slog.New(slog.DiscardHandler),
	}
}

// peer is a client that is connected.
type peer struct {
	*testing.T
	*link
	s *Server
}

// connect serves one client.
func connect(t *testing.T, o Options) *peer {
	t.Helper()
	s, err := New(o)
	check(t, err)
	here, there := pair(t)
	var served sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	served.Go(func() { s.serve(ctx, there, func() {}) })
	served.Go(func() { s.follow(ctx) })
	t.Cleanup(served.Wait)
	t.Cleanup(cancel)
	return &peer{t, newLink(here), s}
}

func (p *peer) send(kind uint64, fill func(m *message)) {
	p.Helper()
	var m message
	if fill != nil {
		fill(&m)
	}
	check(p.T, p.write(kind, m))
}

// get gives the next message of a kind.
func (p *peer) get(kind uint64) fields {
	p.Helper()
	for {
		k, body, err := p.read()
		check(p.T, err)
		if k == pingRequest {
			p.send(pingResponse, nil)
		}
		if k == kind {
			f, err := parse(body)
			check(p.T, err)
			return f
		}
	}
}

// does uses an entity, and waits until that has been carried out.
func (p *peer) does(kind uint64, id string, fill func(m *message)) {
	p.Helper()
	e := entity{id: id}
	p.send(kind, func(m *message) {
		m.fixed(keyField, e.key())
		if fill != nil {
			fill(m)
		}
	})
	p.send(voiceConfig, nil) // which waits for its turn
	p.get(voiceConfigResponse)
}

func TestCommandsReachTheBox(t *testing.T) {
	k := new(kitchen)
	p := connect(t, options(k))
	on := func(m *message) { m.flag(2, true) }
	p.does(switchCommand, "mute", on)
	p.does(switchCommand, "dnd", nil)
	for _, id := range []string{"listen", "stop", "repeat", "media_next", "media_previous", "nothing"} {
		p.does(buttonCommand, id, nil)
	}
	p.does(buttonCommand, "mute", on) // which is no button
	p.does(numberCommand, "media_volume", func(m *message) { m.float(2, 30) })
	p.does(numberCommand, "media_volume", func(m *message) { m.float(2, 101) })
	for _, what := range []uint64{playIt, pauseIt, stopIt, toggleIt, louder, softer, 99} {
		p.does(playerCommand, "media_player", func(m *message) {
			m.flag(2, true)
			m.number(3, what)
		})
	}
	for _, volume := range []float64{0.31, -1, 7} {
		p.does(playerCommand, "media_player", func(m *message) {
			m.flag(4, true)
			m.float(5, volume)
		})
	}
	for _, url := range []string{"http://ha/a.mp3", strings.Repeat("x", maxText+1)} {
		p.does(playerCommand, "media_player", func(m *message) {
			m.flag(6, true)
			m.text(7, url)
		})
	}
	want := "mute true, dnd false, listen, stop, repeat, skip 1, skip -1, media volume 30, resume, pause, stop media, pause, resume, " +
		"volume 55, volume 45, volume 31, play http://ha/a.mp3"
	if told := strings.Join(k.list(), ", "); told != want {
		t.Errorf("told %s", told)
	}
}

func TestAnnouncementIsPlayedOrElseSaid(t *testing.T) {
	for _, c := range []struct {
		url, before, text string
		converses         bool
		heard             bool
		told              string
	}{
		{"http://ha/a", "", "tea", false, true, "sound 1600"}, {"http://ha/a", "http://ha/b", "", true, true, "sound 3200, converse"},
		{"http://ha/gone", "http://ha/b", "tea", true, true, "say tea, converse"}, {"http://ha/gone", "", "", true, false, ""},
		{"", "", "tea", false, true, "say tea"}, {"", "", strings.Repeat("x", maxText+1), false, false, ""},
	} {
		k := new(kitchen)
		p := connect(t, options(k))
		p.send(voiceAnnounce, func(m *message) {
			m.text(1, c.url)
			m.text(2, c.text)
			m.text(3, c.before)
			m.flag(4, c.converses)
		})
		if heard := p.get(voiceAnnounced).flag(1); heard != c.heard {
			t.Errorf("%+v: heard %t", c, heard)
		}
		if c.converses {
			eventually(t, func() bool { return !c.heard || slices.Contains(k.list(), "converse") })
		}
		if told := strings.Join(k.list(), ", "); told != c.told {
			t.Errorf("%+v: told %s", c, told)
		}
	}
}

// eventually waits until what another goroutine does is seen.
func eventually(t *testing.T, good func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !good(); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen")
		}
	}
}

func TestStopIsNotHeldUpByAnAnnouncement(t *testing.T) {
	k := &kitchen{waits: make(chan struct{})}
	p := connect(t, options(k))
	p.send(voiceAnnounce, func(m *message) { m.text(1, "http://ha/a") })
	eventually(t, func() bool { return p.s.state().announcing == 1 })
	p.does(buttonCommand, "stop", nil)
	for range maxAnnouncing + 1 { // one too many
		p.send(voiceAnnounce, func(m *message) { m.text(1, "http://ha/a") })
	}
	if p.get(voiceAnnounced).flag(1) {
		t.Error("nothing was heard yet")
	}
	close(k.waits)
	for range maxAnnouncing + 1 {
		if !p.get(voiceAnnounced).flag(1) {
			t.Error("it was not heard")
		}
	}
	if told := k.list(); told[0] != "stop" {
		t.Errorf("told %v", told)
	}
}

func TestWhatComesTooOftenIsNotDone(t *testing.T) {
	k := new(kitchen)
	p := connect(t, options(k))
	for range 30 {
		p.does(buttonCommand, "listen", nil)
	}
	if n := len(k.list()); n < 20 || n > 25 { // and one a second
		t.Errorf("%d of 30 were done", n)
	}
}

func TestStatesAreShownWhenTheyChange(t *testing.T) {
	o := options(new(kitchen))
	p := connect(t, o)
	p.send(statesRequest, nil)
	if f := p.get(64); f.numbers[2] != playerIdle || f.float(3) != 0.5 {
		t.Errorf("the player shows %+v", f)
	}
	p.get(21) // the last one
	soon := time.Date(2026, 11, 27, 20, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		event event.Event
		kind  uint64
		good  func(f fields) bool
	}{
		{&event.MuteChanged{Muted: true}, 26, func(f fields) bool { return f.flag(2) }},
		{&event.StateChanged{To: event.Muted}, 27, func(f fields) bool { return f.text(2) == "muted" }},
		{&event.DNDChanged{On: true}, 26, func(f fields) bool { return f.flag(2) }},
		{&event.VolumeChanged{Percent: 25}, 64, func(f fields) bool { return f.float(3) == 0.25 }},
		{&event.MediaChanged{Media: event.Media{State: "playing", Title: "Tea"}}, 64, func(f fields) bool { return f.numbers[2] == playerPlaying }},
		{&event.TimersChanged{Timers: []event.Timer{{LeftS: 3}, {Ends: soon}}}, 27,
			func(f fields) bool { return f.text(2) == "2026-11-27T20:00:00Z" }},
		{&event.TimersChanged{}, 27, func(f fields) bool { return f.flag(3) }},
	} {
		o.Bus.Publish(c.event)
		f := p.get(c.kind)
		for c.kind == 27 && f.text(2) == "Tea" { // of the event before
			f = p.get(c.kind)
		}
		if !c.good(f) {
			t.Errorf("%T: %+v", c.event, f)
		}
	}
	o.Conditions.Set("any", health.Warning, "It rains.")
	if f := p.get(21); !f.flag(2) {
		t.Error("no problem is shown")
	}
}

func TestWhoListensBeyondThisMachineNeedsAKey(t *testing.T) {
	for listen, local := range map[string]bool{
		"127.0.0.1:6053": true, "localhost:6053": true, "[::1]:6053": true, "0.0.0.0:6053": false, ":6053": false,
		"192.168.1.2:6053": false, "[::]:6053": false, "speaker:6053": false,
	} {
		o := options(new(kitchen))
		o.Listen = listen
		if _, err := New(o); (err == nil) != local {
			t.Errorf("%s: %v", listen, err)
		}
		o.Key = testKey
		if _, err := New(o); err != nil {
			t.Errorf("%s with a key: %v", listen, err)
		}
	}
}

func TestServerSaysWhenItsAddressIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer taken.Close()
	o := options(new(kitchen))
	o.Listen = taken.Addr().String()
	s, err := New(o)
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	eventually(t, func() bool { return len(o.Conditions.List()) == 1 })
	cancel()
	check(t, <-ended)
}

// A client that connects over TCP is greeted, and is gone when the server ends.
func TestServerEndsWithItsClients(t *testing.T) {
	o := options(new(kitchen))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	o.Listen = free.Addr().String()
	check(t, free.Close())
	s, err := New(o)
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	var c net.Conn
	eventually(t, func() bool { c, err = net.Dial("tcp", o.Listen); return err == nil })
	p := &peer{t, newLink(c), s}
	p.send(helloRequest, nil)
	if f := p.get(helloResponse); f.text(4) != "demo" {
		t.Errorf("%+v", f)
	}
	p.send(disconnectRequest, nil)
	p.get(disconnectResponse)
	if _, _, err := p.read(); !errors.Is(err, io.EOF) {
		t.Errorf("it stays: %v", err)
	}
	c, err = net.Dial("tcp", o.Listen)
	check(t, err)
	p = &peer{t, newLink(c), s}
	p.send(pingRequest, nil)
	p.get(pingResponse)
	cancel()
	check(t, <-ended)
	if _, _, err := p.read(); err == nil {
		t.Error("a client is still served")
	}
}

func TestProblemOfTheStartIsShown(t *testing.T) {
	o := options(new(kitchen))
	o.Conditions.Set("any", health.Warning, "It rains.")
	p := connect(t, o)
	p.send(statesRequest, nil)
	if f := p.get(21); !f.flag(2) {
		t.Error("no problem is shown")
	}
}

func TestWakeWordIsOneOrAll(t *testing.T) {
	for _, c := range []struct {
		has, heeds []string
		told       string
		active     int
	}{
		{[]string{"all", "phrase"}, []string{"phrase"}, "word phrase", 1},
		{[]string{"all", "phrase"}, []string{"other"}, "", 1},
		{[]string{"all", "a", "b"}, nil, "", 3},
		{[]string{"all", "a", "b"}, []string{"b"}, "word b", 1},
		{[]string{"all", "a", "b"}, []string{"b", "all"}, "word all", 3},
		{[]string{"all", "a", "b"}, []string{"b", "a"}, "word all", 3},
		{[]string{"all", "a", "b", "c"}, []string{"b", "a"}, "", 4},
	} {
		k := new(kitchen)
		o := options(k)
		o.Words = c.has
		p := connect(t, o)
		p.send(voiceSetConfig, func(m *message) {
			for _, word := range c.heeds {
				m.text(1, word)
			}
		})
		p.send(voiceConfig, nil) // which waits for its turn
		f := p.get(voiceConfigResponse)
		if told := strings.Join(k.list(), ", "); told != c.told || len(f.texts(2)) != c.active || f.numbers[3] != uint64(c.active) {
			t.Errorf("%+v: told %q, active %q of %d", c, told, f.texts(2), f.numbers[3])
		}
	}
}
