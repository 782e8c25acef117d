package voice

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/audio/cue"
)

// engine speaks one sentence at a time.
type engine interface {
	// Speak yields the speech for text as it is made, in chunks of one rate. The sequence
	// ends after the first error; to stop ranging, or to end ctx, stops the engine.
	Speak(ctx context.Context, text string) iter.Seq2[audio.Chunk, error]
}

const (
	// firstLimit is for the first samples of a sentence where another voice can take over. It has to be enough for
	// a server that loads its model, and not be taken for a box that has not understood.
	firstLimit = 6 * time.Second
	// restTime is for how long an engine that took longer is not asked.
	restTime = 15 * time.Second
)

var errLate = errors.New("the engine did not speak in time")

// Options are what a Voice needs. Fallback speaks when Engine fails; it may be nil.
type Options struct {
	Log      *slog.Logger
	Mixer    *audio.Mixer
	Wake     func()      // wakes a resting device; must not block
	Dead     func() bool // the speaker is known not to work; nil: it works
	Engine   engine
	Fallback engine
	// Speaking is called after each sentence, with the error of Engine or nil.
	Speaking func(err error)
}

// Voice speaks through the mixer: one answer at a time, and earcons beside it. It is safe for
// use by several goroutines.
type Voice struct {
	opt Options

	mu      sync.Mutex
	current *Speech
	cues    *cue.Set
	rate    int                  // of cues
	volume  int                  // percent, as it was set
	raised  func(volume int) int // makes the volume while something rings, or nil
	rests   time.Time            // until when the engine is not asked
}

// New checks the options.
func New(opt Options) (*Voice, error) {
	if opt.Log == nil || opt.Mixer == nil || opt.Wake == nil || opt.Engine == nil || opt.Speaking == nil {
		return nil, errors.New("new voice: a part is missing")
	}
	return &Voice{opt: opt, volume: opt.Mixer.Volume()}, nil
}

// SetVolume sets the volume of all sound, in percent.
func (v *Voice) SetVolume(percent int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.volume = percent
	v.setVolume()
}

// Raise plays everything at the volume that level computes from the one that was set, until Raise
// is called with nil.
func (v *Voice) Raise(level func(volume int) int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.raised = level
	v.setVolume()
}

func (v *Voice) setVolume() {
	now := v.volume
	if v.raised != nil {
		now = v.raised(v.volume)
	}
	v.opt.Mixer.SetVolume(now)
}

// Wake gets the speaker ready, because an answer may follow soon.
func (v *Voice) Wake() { v.opt.Wake() }

// Dead reports whether the speaker is known not to work, so that nobody would hear anything.
func (v *Voice) Dead() bool { return v.opt.Dead != nil && v.opt.Dead() }

// Speaking reports whether an answer sounds now. It is cheap enough to be called for every
// frame.
func (v *Voice) Speaking() bool { return v.opt.Mixer.Voice().Sounding() }

// Cue plays an earcon beside any other sound. It does not wait.
func (v *Voice) Cue(k cue.Cue) {
	v.Wake()
	samples := v.samples(k, v.opt.Mixer.Rate())
	track := v.opt.Mixer.Earcon()
	track.Write(track.Begin(), samples) // without a device it is lost; the state of the box shows the same
}

// samples renders the earcons once for each rate that a device has.
func (v *Voice) samples(k cue.Cue, rate int) []int16 {
	if rate == 0 {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.rate != rate {
		v.cues, v.rate = cue.New(rate), rate
	}
	return v.cues.Samples(k)
}

// Begin starts the speech of an answer and cuts the one before.
func (v *Voice) Begin() *Speech {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.cut()
	v.current = &Speech{v: v, track: v.opt.Mixer.Voice(), begun: make(chan struct{})}
	v.current.gen = v.current.track.Begin()
	v.current.rate = v.opt.Mixer.Rate()
	return v.current
}

// Cut silences the current speech at once and returns how much of it was heard. It calls end first,
// so that whoever waits for the end of the speech knows by then that it was cut. end must neither
// block nor use v.
func (v *Voice) Cut(end func()) time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	end()
	return v.cut()
}

func (v *Voice) cut() time.Duration {
	s := v.current
	if s == nil {
		return 0
	}
	v.current = nil
	return s.cutAt(s.track.Cut())
}

// Duck makes the speech hardly audible at once, or brings it back smoothly. The speech goes on
// meanwhile.
func (v *Voice) Duck(on bool) { v.opt.Mixer.Voice().Duck(on) }

// DuckMedia makes radio and music softer, or brings them back. It changes nothing of what is paused.
func (v *Voice) DuckMedia(on bool) { v.opt.Mixer.Media().Duck(on) }

// Sounding reports whether the speaker plays an answer, or media aloud. It is as cheap as Speaking.
func (v *Voice) Sounding() bool { return v.Speaking() || v.opt.Mixer.Media().Aloud() }

// cutSpeech cuts s if it is still the current one.
func (v *Voice) cutSpeech(s *Speech) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.current == s {
		v.cut()
	}
}

// ask has the engine speak. Where another voice can take over, an engine that is late is left alone for a while.
func (v *Voice) ask(ctx context.Context, text string) iter.Seq2[audio.Chunk, error] {
	if v.opt.Fallback == nil {
		return v.opt.Engine.Speak(ctx, text)
	}
	return func(yield func(audio.Chunk, error) bool) {
		v.mu.Lock()
		rests := time.Now().Before(v.rests)
		v.mu.Unlock()
		if rests {
			yield(audio.Chunk{}, errLate)
			return
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		late := time.AfterFunc(firstLimit, func() { cancel(errLate) })
		defer late.Stop()
		for chunk, err := range v.opt.Engine.Speak(ctx, text) {
			late.Stop()
			if err != nil && errors.Is(context.Cause(ctx), errLate) {
				v.mu.Lock()
				v.rests = time.Now().Add(restTime)
				v.mu.Unlock()
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}
