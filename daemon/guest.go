package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"hearthd/audio"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/event"
	"hearthd/daemon/listen"
	"hearthd/daemon/supervise"
	"hearthd/daemon/talk"
	"hearthd/llm/thinker"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// guestVolume is that of a browser's voice: the browser has its own volume.
const guestVolume = 100

// guestQueue is how far the page of a guest may be behind its events.
const guestQueue = 256

// guest is a browser that talks: ears, a turn machine, a voice and conversations of
// its own, and the house's recogniser, tools and models. Timers ring on the box.
type guest struct {
	d        *Daemon
	call     *talk.Call
	bus      *event.Bus
	mixer    *audio.Mixer
	listener *listen.Listener
	dialogue *dialogue.Dialogue
	mind     *mind      // nil: there is none
	cloud    *cloudTalk // to the responder; nil: there is none
}

// guests are those who talk now. Its methods may be called by any goroutine.
type guests struct {
	mu  sync.Mutex
	now []*guest
}

func (g *guests) all() []*guest {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.now)
}

// join keeps one until it is called again to leave.
func (g *guests) join(one *guest) (leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now = append(g.now, one)
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.now = slices.DeleteFunc(g.now, func(other *guest) bool { return other == one })
	}
}

// forget drops what was said in every guest's conversations.
func (g *guests) forget() {
	for _, one := range g.all() {
		if one.mind != nil {
			one.mind.Forget()
		}
		if one.cloud != nil {
			one.cloud.client.End()
		}
	}
}

// adjust has the box's ears, and those of every guest, go by s.
func (d *Daemon) adjust(s *vad.Settings) {
	d.listener.Adjust(s)
	for _, g := range d.guests.all() {
		g.listener.Adjust(s.Another())
	}
}

// buildTalk is nil where nobody may talk from a browser.
func (d *Daemon) buildTalk(h *house) (*talk.Exchange, error) {
	if d.cfg.Console.Talk == 0 {
		return nil, nil
	}
	return talk.New(talk.Options{
		Max: d.cfg.Console.Talk, Log: d.log,
		Serve: func(ctx context.Context, c *talk.Call) error {
			g, err := d.newGuest(h, c)
			if err != nil {
				return err
			}
			return g.run(ctx)
		},
	})
}

func (d *Daemon) newGuest(h *house, c *talk.Call) (*guest, error) {
	g := &guest{d: d, call: c, bus: event.NewBus(), mixer: audio.NewMixer(guestVolume)}
	engine, fallback, err := d.voices()
	if err != nil {
		return nil, err
	}
	voice, err := dialogue.NewVoice(dialogue.VoiceOptions{
		Log: d.log, Mixer: g.mixer, Wake: func() {}, Engine: engine, Fallback: fallback, Speaking: d.speaks,
	})
	if err != nil {
		return nil, err
	}
	if err := g.buildEars(voice); err != nil {
		return nil, err
	}
	o, err := g.machine(h, voice)
	if err != nil {
		return nil, err
	}
	g.dialogue, err = dialogue.New(o)
	return g, err
}

// buildEars is the front end of the box but for its canceller: the browser has one.
func (g *guest) buildEars(voice *dialogue.Voice) error {
	c := *g.d.now()
	c.Audio.AEC = "device"
	ears, err := newEars(&c, earsOptions{
		StateDir: g.d.opt.StateDir, Emit: func(s *vad.Signal) { g.dialogue.Deliver(s) },
		Detected: func(w wake.Detection) bool { return g.dialogue.Detect(w) },
	})
	if err != nil {
		return err
	}
	g.listener, err = listen.New(listen.Options{
		Source: g.call, Front: ears.front, Speaking: voice.Speaking, FullDuplex: ears.fullDuplex, IsGap: func(error) bool { return false },
	})
	return err
}

// machine is what the guest's turns work with: all that the box's do, but for other
// boxes.
func (g *guest) machine(h *house, voice *dialogue.Voice) (dialogue.Options, error) {
	d := g.d
	window := &d.now().Wake
	o := dialogue.Options{
		Log: d.log, Bus: g.bus, Recogniser: h.hears, Tools: h.toolbox, Voice: voice,
		Matcher: minded{intents{h.matcher}, &d.manners},
		Wake:    guestWake(d.cfg.Wake.Engine), Words: words(d.cfg.Wake.Words), FollowUp: window.FollowUp, Chime: window.Chime,
		FullDuplex: func() bool { return true }, Transcripts: true, People: d.cfg.Memory.People,
		Offered: h.registry.Has, Volume: guestVolume, Number: d.nextTurn,
		SaveMuted:  func(context.Context, bool) error { return nil },
		SaveVolume: func(context.Context, int) error { return nil },
		Capture:    func(bool) {},
		Ringing:    d.ringing(), Quiet: d.quietTime(),
		Anew:     func() { g.listener.Anew() },
		EndAfter: g.listener.EndAfter,
		Hearing:  d.hearing(h.hears),
		Remember: d.remember(h.thinker),
	}
	if o.Opens = opens; h.thinker != nil {
		g.mind = &mind{Thinker: h.thinker.Beside(func(ctx context.Context, a thinker.Kept) { d.announce(ctx, g.dialogue, a) })}
		o.Thinker, o.Opens, o.Outside = g.mind, g.mind.Opens, g.mind.Foreign
	}
	if h.cloud == nil {
		return o, nil
	}
	var err error
	g.cloud, err = h.cloud.newTalk(g.mind)
	o.Responder, o.AtHome, o.ReadOnly, o.FirstAudio = g.cloud, h.cloud.atHome, h.cloud.readOnly, d.cfg.Responder.FirstAudio
	return o, err
}

// guestWake is how a guest's turns are opened: whoever opens the page wants to be
// heard, where the box's own microphone is off.
func guestWake(engine string) string {
	if engine == dialogue.WakeOff {
		return dialogue.WakeButton
	}
	return engine
}

// guestKey is where the context of a guest's turns names the guest.
type guestKey struct{}

// here is the machine that the turn of ctx belongs to.
func (d *Daemon) here(ctx context.Context) *dialogue.Dialogue {
	if g, ok := ctx.Value(guestKey{}).(*guest); ok {
		return g.dialogue
	}
	return d.dialogue
}

// run serves the guest until ctx, and with it the call, ends.
func (g *guest) run(ctx context.Context) error {
	defer g.d.guests.join(g)()
	ctx = context.WithValue(ctx, guestKey{}, g)
	group := supervise.New(g.d.log)
	sub := g.bus.Subscribe("guest", guestQueue)
	for _, p := range []supervise.Part{
		{Name: "guest's events", Policy: supervise.Fatal, Run: func(ctx context.Context) error { g.tell(ctx, sub); return nil }},
		{Name: "guest's speaker", Policy: supervise.Fatal, Run: func(ctx context.Context) error { return g.call.Play(ctx, g.mixer) }},
		{Name: "guest's turns", Policy: supervise.Fatal, Run: g.dialogue.Run},
		{Name: "guest's ears", Policy: supervise.Fatal, Run: g.listener.Run},
		{Name: "guest's wishes", Policy: supervise.Fatal, Run: g.obey},
	} {
		group.Add(p)
	}
	if g.mind != nil {
		group.Add(supervise.Part{Name: "guest's thinker", Policy: supervise.Restart, Run: g.mind.Run})
	}
	if g.cloud != nil {
		group.Add(supervise.Part{Name: "guest's responder", Policy: supervise.Restart, Run: g.cloud.client.Run})
	}
	return group.Run(ctx)
}

// obey does what the page asks for.
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
			var refused dialogue.Refusal
			if err != nil && ctx.Err() == nil && !errors.As(err, &refused) {
				return err
			}
		}
	}
}

// tell shows the page its own events, words included, and everybody else what a turn
// of any source shows.
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
				g.d.bus.Publish(shown)
			}
		}
	}
}

// shown is a copy of e for the house; nil: it is the guest's own.
func (g *guest) shown(e event.Event) event.Event {
	words := func(text string) string {
		if g.d.cfg.Log.Transcripts {
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

// nextTurn numbers turns for every machine of the box.
func (d *Daemon) nextTurn() uint64 { return d.numbers.Add(1) }

// speaks hears whether the voice works.
func (d *Daemon) speaks(err error) {
	d.engineState("voice", err, "Text to speech ("+d.cfg.TTS.Engine+") does not work.")
}

// talkPart runs the calls; none where nobody may talk.
func talkPart(x *talk.Exchange) []supervise.Part {
	if x == nil {
		return nil
	}
	return []supervise.Part{{Name: "talk", Policy: supervise.Restart, Run: x.Run}}
}
