package ears

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"time"

	"hearthd/audio"
	"hearthd/audio/device"
	"hearthd/daemon/api"
	"hearthd/daemon/health"
	"hearthd/daemon/listen"
	"hearthd/daemon/supervise"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// turns takes what was heard.
type turns interface {
	fmt.Stringer
	Deliver(s *vad.Signal)
	Detect(w wake.Detection) (opens bool)
}

// Options are what the ears of a box work with.
type Options struct {
	Setup
	Microphone *Microphone
	Sense      *Sense
	Far        *audio.Reference // what the speaker plays
	Speaking   func() bool      // an answer sounds
	// Heeds reports whether a wake word may open a turn now.
	Heeds      func(word string) bool
	Turns      turns
	Responder  bool // there is one, which hears where a request ends
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Ears are those of the box: they join its microphone to the turns.
type Ears struct {
	opt      Options
	front    *FrontEnd
	listener *listen.Listener
	meter    *Meter
	words    *wordKeeper
	servers  *wakeServers
	loudness loudness
}

// New builds the stages and opens nothing.
func New(opt Options) (*Ears, error) {
	e := &Ears{opt: opt, servers: newWakeServers(opt.Words, opt.Conditions, opt.Log)}
	e.words = &wordKeeper{
		dir: filepath.Join(opt.State, WordsDir), state: opt.State, words: opt.Words,
		recorder: newRecorder(), muted: opt.Microphone.Muted, anew: e.Anew,
	}
	var err error
	e.front, err = NewFrontEnd(FrontEndOptions{
		Setup: opt.Setup, Emit: e.deliver, Detected: e.detected, Servers: e.servers.spotters, Sense: opt.Sense,
	})
	if err != nil {
		return nil, err
	}
	if len(e.front.unheard) > 0 {
		opt.Conditions.Set("wake", health.Warning, wordsText(e.front.unheard))
	}
	if text := opt.Sense.text(opt.Responder); text != "" {
		opt.Conditions.Set("detector", health.Warning, text)
	}
	e.meter = NewMeter(e.front, opt.Speaking)
	if e.listener, err = e.front.Listen(opt.Microphone, opt.Far, opt.Speaking, e.look); err != nil {
		return nil, err
	}
	opt.Log.Debug("ears are built", "component", "listen", "stages", e.String())
	return e, nil
}

// String tells the way of a frame from the microphone to the turns, stage by stage.
func (e *Ears) String() string { return fmt.Sprintf("%v → %v", e.listener, e.opt.Turns) }

// source is where frames come from.
type source interface {
	fmt.Stringer
	ReadFrame(ctx context.Context, f *audio.Frame) error
}

// Listen drives the front end with the frames of a source; look may be nil.
func (f *FrontEnd) Listen(from source, far *audio.Reference, speaking func() bool, look func(near *audio.Frame, kept bool)) (*listen.Listener, error) {
	o := listen.Options{
		Source: from, Front: f.Front, Speaking: speaking, FullDuplex: f.FullDuplex, Look: look,
		IsGap: func(err error) bool { return errors.Is(err, device.ErrGap) },
	}
	if f.canceller != nil && far != nil {
		o.Far = far
	}
	return listen.New(o)
}

// Parts are what runs, in the order in which it starts. tell is told whether the
// microphone works.
func (e *Ears) Parts(tell func(ctx context.Context, works bool) error) []supervise.Part {
	m := e.opt.Microphone
	return append([]supervise.Part{
		{Name: "microphone", Policy: supervise.Fatal, Run: func(ctx context.Context) error { return m.Follow(ctx, tell) }},
		{Name: "capture", Policy: supervise.Fatal, Run: m.capture.Run},
		{Name: "listen", Policy: supervise.Fatal, Run: e.listener.Run},
		{Name: "levels", Policy: supervise.Restart, Run: e.watchLevels},
	}, e.servers.parts...)
}

// Anew discards the utterance that is open, because a person asks to be heard now.
func (e *Ears) Anew() { e.listener.Anew() }

// EndAfter says how much silence ends the utterance if it is pausing now.
func (e *Ears) EndAfter(utterance uint64, silence time.Duration) {
	e.listener.EndAfter(utterance, silence)
}

// FullDuplex reports whether speech is heard while the speaker sounds.
func (e *Ears) FullDuplex() bool { return e.listener.FullDuplex() }

// SetMuted closes or opens the microphone.
func (e *Ears) SetMuted(muted bool) { e.opt.Microphone.SetMuted(muted) }

// Settings are how utterances are cut, for Adjust.
func (e *Ears) Settings(o vad.Options) (*vad.Settings, error) {
	return vad.NewSettings(o, e.front.frame)
}

// Adjust has the ears go by other settings, as soon as no utterance is open.
func (e *Ears) Adjust(s *vad.Settings) { e.listener.Adjust(s) }

// Frames counts the frames that were listened to, and Hearing is closed with the first.
func (e *Ears) Frames() uint64           { return e.listener.Frames() }
func (e *Ears) Hearing() <-chan struct{} { return e.listener.Hearing() }

// Settled is closed when it is known that no frame will come for now.
func (e *Ears) Settled() <-chan struct{} { return e.opt.Microphone.Settled() }

// RestsRightly reports whether it is in order that no frames come.
func (e *Ears) RestsRightly() bool { return e.opt.Microphone.restsRightly(e.listener.Frames() > 0) }

// Level is how far the speech of the last seconds stood above the noise, in dB.
func (e *Ears) Level() float32 { return e.loudness.Level() }

// Meter gives readings of the microphone until ctx ends.
func (e *Ears) Meter(ctx context.Context) <-chan api.Meter { return e.meter.Watch(ctx) }

// List, Install and Enroll look after the wake words, for the control API.
func (e *Ears) List(ctx context.Context) ([]api.Word, error) { return e.words.List(ctx) }

func (e *Ears) Install(ctx context.Context, name string, manifest, network []byte) (api.Word, error) {
	return e.words.Install(ctx, name, manifest, network)
}

func (e *Ears) Enroll(ctx context.Context, name string) iter.Seq2[api.EnrollStep, error] {
	return e.words.Enroll(ctx, name)
}

// look is shown each frame that the front end has had.
func (e *Ears) look(f *audio.Frame, held bool) {
	r := e.front.Front.Reading()
	e.loudness.Push(r.Level - r.Floor)
	e.meter.Look(f, held)
}

// deliver hands a signal of the segmenter on, unless a wake word is being enrolled.
func (e *Ears) deliver(s *vad.Signal) {
	if !e.words.recorder.take(s) {
		e.opt.Turns.Deliver(s)
	}
}

// detected is deliver for wake words.
func (e *Ears) detected(w wake.Detection) (opens bool) {
	return e.heeds(w.Name) && e.opt.Turns.Detect(w)
}

// heeds reports whether a wake word is handed on: one that stops always is, for
// something may ring.
func (e *Ears) heeds(word string) bool {
	for _, w := range e.opt.Words {
		if w.Stop && w.Name == word {
			return true
		}
	}
	return !e.words.recorder.recording() && e.opt.Heeds(word)
}

// watchLevels keeps the conditions of the microphone's level, and of whether its sound
// is looked at as fast as it comes.
func (e *Ears) watchLevels(ctx context.Context) error {
	tick := time.NewTicker(levelsEvery)
	defer tick.Stop()
	var l lag
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			showLevels(e.opt.Conditions, e.front.levels, e.opt.Microphone.hears())
			holds(e.opt.Conditions, "microphone_late", l.late(e.opt.Microphone.Dropped()),
				"Sound of the microphone is lost, because this machine is too slow or too busy to listen: take fewer wake words, audio.aec off, or a model that leaves the processor room.")
		}
	}
}

// showLevels keeps the conditions of the level, of a microphone that is open.
func showLevels(c *health.Conditions, l *levels, open bool) {
	holds(c, "microphone_silent", open && l.silent.Load(),
		"The microphone gives no sound at all: it is switched off, not plugged in, or muted in the mixer (alsamixer).")
	holds(c, "microphone_clipping", open && l.clipping.Load(),
		"The microphone is overdriven: lower its capture level (alsamixer), or move it away from what is loud.")
}

// holds sets or clears a warning.
func holds(c *health.Conditions, code string, yes bool, text string) {
	if yes {
		c.Set(code, health.Warning, text)
		return
	}
	c.Clear(code)
}
