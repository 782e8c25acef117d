// Package listen is the front end between the capture device and the dialogue. A Front
// removes the echo from each frame, looks for wake words in it and has utterances cut out
// of the stream. Listener.Run, on the caller's goroutine, drives it with the frames of the
// device. A signal borrows the Front's buffer for the call of Emit. The package must not
// import the dialogue, the device or an engine. It allocates nothing per frame, and never
// waits for anything but the next frame.
package listen

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/vad"
)

// reverberation is how long capture is still ignored after the real end of playback if nothing
// cancels the echo: a room reverberates for 300 to 500 ms.
const reverberation = int(400 * time.Millisecond / audio.FrameDuration)

// cutFade is the longest that an answer may still sound after the wake word that cuts it.
const cutFade = int(time.Second / audio.FrameDuration)

// source is the capture device.
type source interface {
	fmt.Stringer
	// ReadFrame waits for the next frame, or until ctx ends. An error that Options.IsGap
	// recognises says that the next frame does not continue the last one.
	ReadFrame(ctx context.Context, f *audio.Frame) error
}

// Options are what a Listener needs.
type Options struct {
	Source source
	Front  *Front
	// Far is what the speaker plays, for the canceller; nil: there is none.
	Far reference
	// Speaking reports whether an answer sounds: the segmenter is held while it does and
	// for 400 ms after. It is called once per frame. Earcons do not count: no detector
	// takes them for a voice, and people speak before they have ended.
	Speaking func() bool
	// FullDuplex reports whether so little of the echo is left that the segmenter need not
	// be held while an answer sounds. It is called once per frame.
	FullDuplex func() bool
	// IsGap reports whether an error of the source is only a gap.
	IsGap func(error) bool
	// Look is called with each frame of the microphone after the Front has processed it,
	// and whether it was kept from the segmenter. The frame is borrowed. It may be nil.
	Look func(near *audio.Frame, kept bool)
}

// reference is the sound of the speaker in step with the microphone.
type reference interface {
	// ReadFrame fills f with what the speaker played during the last frame of the
	// microphone; zeros while it is silent. It does not wait.
	ReadFrame(f *audio.Frame)
}

// Listener drives a Front with the frames of the capture device.
type Listener struct {
	opt    Options
	full   atomic.Bool                  // what FullDuplex returned last
	cut    atomic.Bool                  // the open utterance is to be discarded
	end    chan ending                  // cap 1; the newest
	adjust atomic.Pointer[vad.Settings] // not yet used by the segmenter, or nil
	frames atomic.Uint64
	first  chan struct{} // closed at the first frame

	// These belong to Run's goroutine:
	far    audio.Frame
	at     audio.Position // of the next frame
	ignore int            // frames that are still to be ignored
	woken  int            // frames for which an answer that was cut may still sound
}

// New checks the options.
func New(opt Options) (*Listener, error) {
	if opt.Source == nil || opt.Front == nil || opt.Speaking == nil || opt.FullDuplex == nil || opt.IsGap == nil {
		return nil, errors.New("new listener: a part is missing")
	}
	return &Listener{opt: opt, end: make(chan ending, 1), first: make(chan struct{})}, nil
}

// String describes the way of a frame, from its source through the stages.
func (l *Listener) String() string { return fmt.Sprintf("%v → %v", l.opt.Source, l.opt.Front) }

// Frames counts the frames that were listened to; while it grows the box can hear.
func (l *Listener) Frames() uint64 { return l.frames.Load() }

// Hearing is closed with the first frame.
func (l *Listener) Hearing() <-chan struct{} { return l.first }

// DiscardOpen discards the open utterance, because a person has just asked to be heard and
// will speak next. Any goroutine may call it.
func (l *Listener) DiscardOpen() { l.cut.Store(true) }

// ending is how much silence ends a pause of an utterance.
type ending struct {
	utterance uint64
	silence   time.Duration
}

// EndAfter sets how much silence ends the utterance, if it is pausing now, for this pause
// only. One goroutine at a time may call it; it does not block.
func (l *Listener) EndAfter(utterance uint64, silence time.Duration) {
	select {
	case <-l.end: // the last one has not been used yet
	default:
	}
	l.end <- ending{utterance, silence}
}

// Adjust makes the segmenter use other settings as soon as no utterance is open. Any
// goroutine may call it; the newest settings count.
func (l *Listener) Adjust(to *vad.Settings) { l.adjust.Store(to) }

// FullDuplex reports whether speech is heard while the speaker sounds. Any
// goroutine may call it.
func (l *Listener) FullDuplex() bool { return l.full.Load() }

// Run reads frames until ctx ends, or the source fails, and discards the
// utterance that is then open.
func (l *Listener) Run(ctx context.Context) error {
	defer l.opt.Front.Flush()
	var f audio.Frame
	for {
		err := l.opt.Source.ReadFrame(ctx, &f)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			l.push(&f)
		case l.opt.IsGap(err):
			l.opt.Front.Flush()
		default:
			return fmt.Errorf("read frame: %w", err)
		}
	}
}

// push takes one frame. The position advances even while the segmenter is held, so that it
// stays the clock of the microphone.
func (l *Listener) push(f *audio.Frame) {
	if l.frames.Add(1) == 1 {
		close(l.first)
	}
	at := l.at
	l.at += audio.FrameSamples
	if l.cut.Swap(false) {
		l.opt.Front.DiscardOpen()
	}
	select {
	case e := <-l.end:
		l.opt.Front.EndAfter(e.utterance, e.silence)
	default:
	}
	if to := l.adjust.Load(); to != nil && l.opt.Front.opt.Segmenter.Adjust(to) {
		l.adjust.CompareAndSwap(to, nil)
	}
	l.opt.Front.Hold(l.ignored())
	var far *audio.Frame
	if l.opt.Far != nil {
		l.opt.Far.ReadFrame(&l.far)
		far = &l.far
	}
	if l.opt.Front.Push(f, far, at) {
		l.ignore, l.woken = 0, cutFade
	}
	if l.opt.Look != nil {
		l.opt.Look(f, l.opt.Front.kept)
	}
}

// ignored reports whether the frame is ignored because it contains the speaker's own sound. It is
// not ignored while an answer that a wake word has just cut fades, because the person may go on in
// the same breath.
func (l *Listener) ignored() bool {
	full := l.opt.FullDuplex()
	l.full.Store(full)
	speaking := l.opt.Speaking()
	l.opt.Front.speaks = speaking
	if !speaking {
		l.woken = 0
	}
	switch {
	case full:
		l.ignore = 0
		return false
	case l.woken > 0:
		l.woken--
		return false
	case speaking:
		l.ignore = reverberation
		return true
	}
	if l.ignore > 0 {
		l.ignore--
		return true
	}
	return false
}
