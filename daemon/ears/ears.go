package ears

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"hearthd/audio"
	"hearthd/audio/device"
	"hearthd/daemon/health"
	"hearthd/daemon/listen"
	"hearthd/daemon/supervise"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// turns takes what the ears hear.
type turns interface {
	fmt.Stringer
	Deliver(s *vad.Signal)
	Detect(w wake.Detection) (opens bool)
}

// Options are what Ears need.
type Options struct {
	Setup
	Microphone *Microphone
	Sense      *Sense
	Far        *audio.Reference // what the speaker plays
	Speaking   func() bool      // an answer sounds, or media aloud
	// Heeds reports whether a wake word may open a turn now.
	Heeds      func(word string) bool
	Turns      turns
	Responder  bool // there is a responder, which hears where a request ends
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Ears join the microphone of the box to its turns.
type Ears struct {
	*listen.Listener
	Words    *WordKeeper
	Recorder *Recorder
	Meter    *Meter

	opt      Options
	front    *FrontEnd
	servers  *wakeServers
	loudness loudness
}

// New builds the stages and opens nothing.
func New(opt Options) (*Ears, error) {
	e := &Ears{opt: opt, servers: newWakeServers(opt.Words, opt.Conditions, opt.Log)}
	e.Recorder = newRecorder(opt.Microphone.Muted, func() { e.DiscardOpen() })
	e.Words = &WordKeeper{
		dir: filepath.Join(opt.State, wordsDir), state: opt.State, words: opt.Words,
		recorder: e.Recorder,
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
	e.Meter = NewMeter(e.front, opt.Speaking)
	if e.Listener, err = e.front.Listen(opt.Microphone, opt.Far, opt.Speaking, e.look); err != nil {
		return nil, err
	}
	opt.Log.Debug("ears are built", "component", "listen", "stages", e.String())
	return e, nil
}

// String describes the way of a frame from the microphone to the turns, stage by stage.
func (e *Ears) String() string { return fmt.Sprintf("%v → %v", e.Listener, e.opt.Turns) }

// source is where frames come from.
type source interface {
	fmt.Stringer
	ReadFrame(ctx context.Context, f *audio.Frame) error
}

// Listen makes a listener that drives the front end with the frames of a source; look may be nil.
func (f *FrontEnd) Listen(
	from source, far *audio.Reference, speaking func() bool, look func(near *audio.Frame, kept bool),
) (*listen.Listener, error) {
	o := listen.Options{
		Source: from, Front: f.Front, Speaking: speaking, FullDuplex: f.FullDuplex, Look: look,
		IsGap: func(err error) bool { return errors.Is(err, device.ErrGap) },
	}
	if f.canceller != nil && far != nil {
		o.Far = far
	}
	return listen.New(o)
}

// Parts are the parts that run, in the order in which they start. tell is called when the
// microphone starts or stops working.
func (e *Ears) Parts(tell func(ctx context.Context, works bool) error) []supervise.Part {
	m := e.opt.Microphone
	return append([]supervise.Part{
		{Name: "microphone", Policy: supervise.Fatal, Run: func(ctx context.Context) error {
			return m.follow(ctx, tell)
		}},
		{Name: "capture", Policy: supervise.Fatal, Run: m.capture.Run},
		{Name: "listen", Policy: supervise.Fatal, Run: e.Run},
		{Name: "levels", Policy: supervise.Restart, Run: e.watchLevels},
	}, e.servers.parts...)
}

// SetMuted closes or opens the microphone.
func (e *Ears) SetMuted(muted bool) { e.opt.Microphone.SetMuted(muted) }

// Settings prepares options of the segmenter for Adjust.
func (e *Ears) Settings(o vad.Options) (*vad.Settings, error) {
	return vad.NewSettings(o, e.front.frame)
}

// Settled is closed once it is known that no frame will come for now.
func (e *Ears) Settled() <-chan struct{} { return e.opt.Microphone.Settled() }

// ExpectsNoFrames reports whether there is a good reason that no frames come.
func (e *Ears) ExpectsNoFrames() bool { return e.opt.Microphone.expectsNoFrames(e.Frames() > 0) }

// Level is how far the speech of the last seconds stood above the noise, in dB.
func (e *Ears) Level() float32 { return e.loudness.level() }

// look is called with each frame after the front end has processed it.
func (e *Ears) look(f *audio.Frame, held bool) {
	r := e.front.Front.Reading()
	e.loudness.Push(r.Level - r.Floor)
	e.Meter.Look(f, held)
}

// deliver passes on a signal of the segmenter, unless something is being enrolled.
func (e *Ears) deliver(s *vad.Signal) {
	if !e.Recorder.take(s) {
		e.opt.Turns.Deliver(s)
	}
}

// detected is deliver for wake words.
func (e *Ears) detected(w wake.Detection) (opens bool) {
	return e.heeds(w.Name) && e.opt.Turns.Detect(w)
}

// heeds reports whether a wake word is passed on. A stop word always is, because something may be
// ringing.
func (e *Ears) heeds(word string) bool {
	for _, w := range e.opt.Words {
		if w.Stop && w.Name == word {
			return true
		}
	}
	return !e.Recorder.recording() && e.opt.Heeds(word)
}

// watchLevels keeps the conditions about the microphone's level, and about sound that is lost
// because listening is too slow.
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
			keepIf(e.opt.Conditions, "microphone_late", l.late(e.opt.Microphone.Dropped()),
				"Sound of the microphone is lost, because this machine is too slow or too busy to listen: "+
					"take fewer wake words, audio.aec off, or a model that leaves the processor room.")
		}
	}
}

// showLevels keeps the conditions about the level; they hold only while the microphone is open.
func showLevels(c *health.Conditions, l *levels, open bool) {
	keepIf(c, "microphone_silent", open && l.silent.Load(),
		"The microphone gives no sound at all: it is switched off, not plugged in, or muted in the mixer (alsamixer).")
	keepIf(c, "microphone_clipping", open && l.clipping.Load(),
		"The microphone is overdriven: lower its capture level (alsamixer), or move it away from what is loud.")
}

// keepIf keeps a warning while it holds.
func keepIf(c *health.Conditions, code string, holds bool, text string) {
	if !holds {
		text = ""
	}
	c.Keep(code, health.Warning, text)
}
