package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"hearthd/audio"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/ears"
	"hearthd/daemon/engines"
	"hearthd/daemon/event"
	"hearthd/daemon/listen"
	"hearthd/daemon/recall"
	"hearthd/daemon/refusal"
	"hearthd/daemon/responder"
	"hearthd/daemon/settings"
	"hearthd/daemon/supervise"
	"hearthd/daemon/talk"
	"hearthd/daemon/thinkers"
	"hearthd/daemon/timers"
	"hearthd/daemon/voice"
	"hearthd/llm/thinker"
	"hearthd/vad"
)

// guestVolume is the volume for a browser: the browser has a control of its own.
const guestVolume = 100

// guestQueue is how far the page of a guest may be behind its events.
const guestQueue = 256

// guest is a browser that talks: ears, a turn machine, a voice and conversations of
// its own, and the house's recogniser, tools and models. Timers ring on the box.
type guest struct {
	*base
	call      *talk.Call
	own       *event.Bus // of the guest's machine
	mixer     *audio.Mixer
	inbox     *dialogue.Inbox
	listener  *listen.Listener
	dialogue  *dialogue.Dialogue
	thinkers  *thinkers.Thinkers      // nil: there is none
	responder *responder.Conversation // to the responder; nil: there is none
}

// guests are the browsers that talk now. Its methods may be called by any goroutine.
type guests struct {
	*base
	assistant *assistant
	settings  *settings.Settings
	timers    *timers.Timers
	recall    *recall.Recollection
	numbers   *atomic.Uint64 // of turns

	mu      sync.Mutex
	talking []*guest
}

func (g *guests) all() []*guest {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.talking)
}

// join adds a guest until the returned function is called.
func (g *guests) join(one *guest) (leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.talking = append(g.talking, one)
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.talking = slices.DeleteFunc(g.talking, func(other *guest) bool { return other == one })
	}
}

// forget drops what was said in every guest's conversations.
func (g *guests) forget() {
	for _, one := range g.all() {
		if one.thinkers != nil {
			one.thinkers.Forget()
		}
		if one.responder != nil {
			one.responder.Leave()
		}
	}
}

// adjust gives the ears of every guest new settings.
func (g *guests) adjust(s *vad.Settings) {
	for _, one := range g.all() {
		one.listener.Adjust(s.Another())
	}
}

// exchange is nil where nobody may talk from a browser.
func (d *guests) exchange() (*talk.Exchange, error) {
	if d.cfg.Console.Talk == 0 {
		return nil, nil
	}
	return talk.New(talk.Options{
		Max: d.cfg.Console.Talk, Log: d.log,
		Serve: func(ctx context.Context, c *talk.Call) error {
			g, err := d.guest(c)
			if err != nil {
				return err
			}
			defer d.join(g)()
			defer d.speakers.Enter(c.ID, g.dialogue)()
			return g.run(ctx)
		},
	})
}

// guest makes the turn machine of a call.
func (d *guests) guest(c *talk.Call) (*guest, error) {
	g := &guest{base: d.base, call: c, own: event.NewBus(), mixer: audio.NewMixer(guestVolume)}
	v, err := d.engines.Voice(g.mixer, func() {}, nil)
	if err != nil {
		return nil, err
	}
	if err := g.buildEars(v); err != nil {
		return nil, err
	}
	o, err := d.machine(g, v)
	if err != nil {
		return nil, err
	}
	g.dialogue, err = dialogue.New(o)
	return g, err
}

// openMicrophone is a front end whose microphone the browser closes.
type openMicrophone struct{ *listen.Listener }

func (openMicrophone) SetMuted(bool) {}

// buildEars is the front end of the box but for its canceller: the browser has one.
func (g *guest) buildEars(v *voice.Voice) error {
	setup := engines.Ears(g.now(), g.opt.StateDir)
	setup.AEC = "device"
	g.inbox = dialogue.NewInbox(spottedWords(setup.Words))
	front, err := ears.NewFrontEnd(ears.FrontEndOptions{Setup: setup, Emit: g.inbox.Deliver, Detected: g.inbox.Detect})
	if err != nil {
		return err
	}
	g.listener, err = front.Listen(g.call, nil, v.Speaking, nil)
	return err
}

// machine are the parts of a guest's turn machine: the same as the box's, but without other boxes.
func (d *guests) machine(g *guest, v *voice.Voice) (dialogue.Options, error) {
	h := d.assistant
	a := d.answers(h, g.own, v, d.timers, d.recall)
	a.Transcripts, a.Guest = true, g.call.ID
	window := &d.now().Wake
	o := dialogue.Options{
		Book: d.book,
		Log:  d.log, Bus: g.own, Recogniser: d.engines.Hearing(h.hears), Voice: v, Matcher: h.matcher,
		Wake: dialogue.Wake{
			Engine: guestWake(d.cfg.Wake.Engine), FollowUp: window.FollowUp, Chime: window.Chime,
		},
		Inbox: g.inbox, Ears: openMicrophone{g.listener}, Transcripts: true, People: d.cfg.Memory.People,
		Settings: guestSettings{d.settings}, Turns: d.numbers,
	}
	var with *thinker.Thinker // nil: there are none
	if h.thinker != nil {
		g.thinkers = h.thinker.Beside(d.speakers.Tell(g.call.ID))
		a.Thinker, with = g.thinkers, g.thinkers.Thinker
	}
	var err error
	if h.responder != nil {
		if g.responder, err = h.responder.Converse(with); err != nil {
			return o, err
		}
		a.Responder, a.Guard, o.Responder = g.responder, g.responder, g.responder
	}
	o.Answers, err = answer.New(a)
	return o, err
}

// guestSettings are those of a guest, none of which is kept.
type guestSettings struct{ *settings.Settings }

func (guestSettings) Muted() bool                          { return false }
func (guestSettings) Volume() int                          { return guestVolume }
func (guestSettings) SetMuted(context.Context, bool) error { return nil }
func (guestSettings) SetVolume(context.Context, int) error { return nil }

// guestWake says how a guest opens turns: a person who opens the page wants to be heard, even where
// the box's own microphone is off.
func guestWake(engine string) string {
	if engine == dialogue.WakeOff {
		return dialogue.WakeButton
	}
	return engine
}

// run serves the guest until ctx, and with it the call, ends.
func (g *guest) run(ctx context.Context) error {
	sub := g.own.Subscribe("guest", guestQueue)
	parts := []supervise.Part{
		{Name: "guest's events", Policy: supervise.Fatal, Run: func(ctx context.Context) error {
			g.tell(ctx, sub)
			return nil
		}},
		{Name: "guest's speaker", Policy: supervise.Fatal, Run: func(ctx context.Context) error {
			return g.call.Play(ctx, g.mixer)
		}},
		{Name: "guest's turns", Policy: supervise.Fatal, Run: g.dialogue.Run},
		{Name: "guest's ears", Policy: supervise.Fatal, Run: g.listener.Run},
		{Name: "guest's wishes", Policy: supervise.Fatal, Run: g.obey},
	}
	if g.thinkers != nil {
		parts = append(parts, supervise.Part{Name: "guest's thinker", Policy: supervise.Restart, Run: g.thinkers.Run})
	}
	if g.responder != nil {
		parts = append(parts, supervise.Part{Name: "guest's responder", Policy: supervise.Restart,
			Run: g.responder.Run})
	}
	return supervise.Run(ctx, g.log, parts...)
}

// obey carries out what the page asks for.
func (g *guest) obey(ctx context.Context) error {
	if err := g.dialogue.SetMicrophone(ctx, true); err != nil && ctx.Err() == nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case word := <-g.call.Words():
			var err error
			switch word {
			case "listen":
				err = g.dialogue.Listen(ctx)
			case "stop":
				err = g.dialogue.Stop(ctx)
			}
			var refused refusal.Error
			if err != nil && ctx.Err() == nil && !errors.As(err, &refused) {
				return err
			}
		}
	}
}

// tell sends the page its own events, words included. Everybody else is shown what a turn of any
// source shows.
func (g *guest) tell(ctx context.Context, sub *event.Subscription) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-sub.C():
			if text, err := json.Marshal(e); err == nil {
				g.call.Tell(string(text))
			}
			if shown := g.shown(e); shown != nil {
				g.bus.Publish(shown)
			}
		}
	}
}

// shown is a copy of e for the house, or nil where e concerns only the guest.
func (g *guest) shown(e event.Event) event.Event {
	words := func(text string) string {
		if g.cfg.Log.Transcripts {
			return text
		}
		return ""
	}
	switch e := e.(type) {
	case *event.Heard:
		return &event.Heard{Header: e.Header, Text: words(e.Text)}
	case *event.Said:
		return &event.Said{Header: e.Header, Text: words(e.Text)}
	case *event.Routed:
		c := *e
		return &c
	case *event.Turn:
		c := *e
		c.WokenBy = "browser"
		c.Transcript, c.Answer = words(c.Transcript), words(c.Answer)
		c.Tools, c.Sources = slices.Clone(c.Tools), slices.Clone(c.Sources)
		return &c
	}
	return nil
}

// talkPart runs the calls; it is empty where nobody may talk.
func talkPart(x *talk.Exchange) []supervise.Part {
	if x == nil {
		return nil
	}
	return []supervise.Part{{Name: "talk", Policy: supervise.Restart, Run: x.Run}}
}
