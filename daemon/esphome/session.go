package esphome

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"hearthd/daemon/queue"
)

const (
	// maxOut bounds what waits to be sent to a client, in messages: two seconds of speech, or a list of entities.
	maxOut = 256
	// maxTodo bounds the commands of a client that wait, and takes the time of one.
	maxTodo = 16
	takes   = 30 * time.Second
	// maxText bounds a text from outside, in bytes, as the dialogue does.
	maxText = 2000
)

// The features of a satellite (VoiceAssistantFeature in aioesphomeapi): it runs pipelines with audio in this very
// connection, rings timers, announces, and begins conversations.
const voiceFeatures = 1<<0 | 1<<2 | 1<<3 | 1<<4 | 1<<5

type packet struct {
	kind uint64
	body message
}

// session is one client.
type session struct {
	*Server
	link *link
	log  *slog.Logger
	end  func()
	out  chan packet
	todo chan func(context.Context) error // commands, one after the other
	says chan announcement                // so too, beside the commands

	// mu guards these.
	shown map[uint32]string // states that were sent, by key; nil: none is wanted
	pings int               // that have no answer yet
}

// read takes messages until the connection ends.
func (c *session) read(known func()) error {
	for {
		kind, body, err := c.link.read()
		if err != nil {
			return err
		}
		known()
		f, err := parse(body)
		if err != nil {
			return err
		}
		if kind == disconnectRequest { // the connection ends when it has the answer
			c.queued(disconnectResponse, nil)
			continue
		}
		if limit := c.limits[kind]; limit != nil && !limit.Allow() {
			c.refuse(errOften)
			if kind == voiceAnnounce {
				c.announced(true, errOften)
			}
			continue
		}
		c.take(kind, f)
	}
}

// write sends what waits.
func (c *session) write(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-c.out:
			err := c.link.write(p.kind, p.body)
			if err != nil || p.kind == disconnectResponse {
				c.end()
				return
			}
		}
	}
}

// work carries out commands.
func (c *session) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case do := <-c.todo:
			tctx, cancel := context.WithTimeout(ctx, takes)
			if err := do(tctx); err != nil && ctx.Err() == nil {
				c.log.Warn("command of Home Assistant not carried out", "error", err)
			}
			cancel()
		}
	}
}

// queued hands over what the client is sent; one that does not read is left.
func (c *session) queued(kind uint64, m message) {
	if !queue.Offer(c.out, packet{kind, m}) {
		c.end()
	}
}

// wants has a command carried out.
func (c *session) wants(do func(context.Context) error) {
	if !queue.Offer(c.todo, do) {
		c.refuse(errBusy)
	}
}

func (c *session) refuse(err error) {
	if c.lines.Allow() {
		c.log.Warn("command of Home Assistant refused", "error", err)
	}
}

// take answers a message, or has it carried out. What is not known is left out, as newer clients expect.
func (c *session) take(kind uint64, f fields) {
	switch kind {
	case helloRequest:
		c.hello()
	case authRequest:
		c.queued(authResponse, nil)
	case pingRequest:
		c.queued(pingResponse, nil)
	case deviceInfoRequest:
		c.queued(deviceInfoResponse, c.about())
	case listRequest:
		for _, e := range c.entities {
			c.queued(e.list, e.listed())
		}
		c.queued(listDone, nil)
	case statesRequest:
		c.join(c)
	case switchCommand, numberCommand, buttonCommand, playerCommand:
		for _, e := range c.entities {
			if uint64(e.key()) == f.numbers[keyField] && e.command == kind {
				c.wants(func(ctx context.Context) error { return e.obey(ctx, c, f) })
			}
		}
	default:
		c.takeVoice(kind, f)
	}
}

// hello tells which version of the API this is: one whose features are all here, and whose object ids are wanted.
func (c *session) hello() {
	var m message
	m.number(1, 1)
	m.number(2, 13)
	m.text(3, "hearthd "+c.opt.Version)
	m.text(4, c.opt.Node)
	c.queued(helloResponse, m)
}

// about describes the box.
func (c *session) about() (m message) {
	m.text(2, c.opt.Node)
	m.text(3, c.opt.MAC)
	m.text(4, c.opt.Version) // in place of ESPHome's
	m.text(6, "hearthd")
	m.text(8, "hearthd.hearthd")
	m.text(9, c.opt.Version)
	m.text(12, "hearthd")
	m.text(13, c.opt.Name)
	m.text(16, c.opt.Area)
	m.number(17, voiceFeatures)
	m.flag(19, c.opt.Key != nil)
	return m
}

// show sends the states that have changed, once the client has asked for states. mu is held.
func (c *session) show(now *State) {
	if c.shown == nil {
		c.shown = map[uint32]string{}
	}
	for _, e := range c.entities {
		if e.show == nil {
			continue
		}
		m := e.shown(now)
		if last, ok := c.shown[e.key()]; !ok || last != string(m) {
			c.shown[e.key()] = string(m)
			c.queued(e.state, m)
		}
	}
}

// Why something is not done.
var (
	errGone  = errors.New("no Home Assistant is connected")
	errOften = errors.New("that comes too often")
	errBusy  = errors.New("too much waits already")
	errLong  = errors.New("a text is too long")
)
