package listen

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// canceller removes what the speaker plays, far, from what the microphone hears,
// near. out may not be either of them.
type canceller interface {
	fmt.Stringer
	Process(near, far, out *audio.Frame)
	// Placed reports whether it knows how late the echo is.
	Placed() bool
}

// blindMost is for how long the first answer is not listened to: until the echo has its
// place, which may never be, and the wake words have forgotten what was heard of it.
const blindMost = int(800 * time.Millisecond / audio.FrameDuration)

// monitor watches what the device delivered.
type monitor interface {
	fmt.Stringer
	Push(f *audio.Frame)
}

// leveller brings speech to the level that detectors know, in place.
type leveller interface {
	fmt.Stringer
	Process(f *audio.Frame)
	// Hold keeps it from learning while on is true.
	Hold(on bool)
}

// segmenter cuts utterances out of the stream.
type segmenter interface {
	fmt.Stringer
	Push(f *audio.Frame, at audio.Position, emit func(*vad.Signal))
	Flush(emit func(*vad.Signal))
	Anew(emit func(*vad.Signal))
	Restart(from audio.Position, emit func(*vad.Signal))
	EndAfter(utterance uint64, silence time.Duration)
	// Adjust reports whether the segmenter goes by the settings now.
	Adjust(to *vad.Settings) bool
	Reading() vad.Reading
}

// FrontOptions are the stages of a Front. Only Segmenter and Emit are needed.
type FrontOptions struct {
	Monitor   monitor
	Canceller canceller
	Leveller  leveller
	Spotters  []wake.Spotter
	Segmenter segmenter
	Guard     *Guard // of Segmenter's detector, with a Canceller
	// Emit takes the signals of the segmenter. It must not block; the signal is
	// borrowed.
	Emit func(*vad.Signal)
	// Detected is told of each wake word before the signals that follow from it. If
	// it returns true, what was being said up to the end of the word is discarded,
	// so that the word itself stands in no utterance. It must not block.
	Detected func(wake.Detection) (opens bool)
}

// Front is the way of a frame from the microphone to the utterances: canceller,
// leveller, wake-word spotters, segmenter. The first three see the continuous
// stream; only the segmenter can be held. It belongs to one goroutine and
// allocates nothing per frame. The buffer between the stages is its own.
type Front struct {
	opt    FrontOptions
	out    audio.Frame // what is left of the microphone's frame
	quiet  audio.Frame // zeros: a speaker that plays nothing
	rings  int         // frames for which the speaker may still be heard
	held   bool
	kept   bool              // the segmenter, from the last frame
	speaks bool              // the speaker does
	blind  int               // frames of its first answer that were not listened to
	open   bool              // an utterance is
	peak   utterancePeak     // of the utterance, before the leveller
	emit   func(*vad.Signal) // notes that before it tells
}

// NewFront checks the options.
func NewFront(opt FrontOptions) (*Front, error) {
	if opt.Segmenter == nil || opt.Emit == nil || len(opt.Spotters) > 0 && opt.Detected == nil {
		return nil, errors.New("new front end: a part is missing")
	}
	f := &Front{opt: opt}
	f.emit = f.tell
	return f, nil
}

func (f *Front) tell(s *vad.Signal) {
	switch s.Kind {
	case vad.Onset:
		f.open = true
		f.peak.begin()
	case vad.End, vad.Discard:
		f.open = false
		s.Level = f.peak.level()
	}
	if f.opt.Guard != nil {
		f.opt.Guard.hear(s.Kind)
	}
	f.opt.Emit(s)
}

// String tells the stages in the order in which a frame goes through them.
func (f *Front) String() string {
	var stages []string
	if f.opt.Monitor != nil {
		stages = append(stages, f.opt.Monitor.String())
	}
	if f.opt.Canceller != nil {
		stages = append(stages, f.opt.Canceller.String())
	}
	if f.opt.Leveller != nil {
		stages = append(stages, f.opt.Leveller.String())
	}
	for _, s := range f.opt.Spotters {
		stages = append(stages, s.String())
	}
	return strings.Join(append(stages, f.opt.Segmenter.String()), " → ")
}

// Open reports whether an utterance is open.
func (f *Front) Open() bool { return f.open }

// Push takes the next frame of the microphone, which begins at position at, and
// what the speaker played meanwhile; far may be nil when it played nothing.
// Frames must follow each other; after a gap comes Flush. It reports whether a
// wake word opened a turn; that also ends a Hold, because the person who said it
// may go on at once.
func (f *Front) Push(near, far *audio.Frame, at audio.Position) (opened bool) {
	if far == nil {
		far = &f.quiet
	}
	if f.opt.Monitor != nil {
		f.opt.Monitor.Push(near)
	}
	if f.opt.Canceller != nil {
		f.opt.Canceller.Process(near, far, &f.out)
	} else {
		f.out = *near
	}
	f.rings = max(0, f.rings-1)
	if *far != f.quiet {
		f.rings = farRings
	}
	f.guard(near)
	f.peak.push(&f.out)
	if f.opt.Leveller != nil {
		f.opt.Leveller.Hold(f.rings > 0) // it would learn from what is left of the echo
		f.opt.Leveller.Process(&f.out)
	}
	unplaced := f.unplaced()
	for _, s := range f.opt.Spotters {
		for _, d := range s.Push(&f.out, at) {
			if !unplaced && f.opt.Detected(d) {
				opened, f.held = true, false
				f.opt.Segmenter.Restart(d.Position, f.emit)
			}
		}
	}
	if f.kept = f.held || unplaced; !f.kept {
		f.opt.Segmenter.Push(&f.out, at, f.emit)
	}
	return opened
}

// unplaced reports whether the frame is of the begin of the first answer, of which
// nothing is cancelled yet: it may have the stop word in it. Earcons are no answers, and
// people speak beside them.
func (f *Front) unplaced() bool {
	if f.opt.Canceller == nil || !f.speaks || f.blind == blindMost || f.blind == 0 && f.opt.Canceller.Placed() {
		return false
	}
	f.blind++
	return true
}

func (f *Front) guard(near *audio.Frame) {
	switch {
	case f.opt.Guard == nil:
	case f.rings > 0:
		f.opt.Guard.weigh(near, &f.out)
	default:
		f.opt.Guard.rest(&f.out)
	}
}

// Speaks says whether the speaker says something from the next frame on.
func (f *Front) Speaks(on bool) { f.speaks = on }

// Hold keeps the frames from the segmenter while on is true, and discards what
// was open when that begins.
func (f *Front) Hold(on bool) {
	if on && !f.held {
		f.opt.Segmenter.Flush(f.emit)
	}
	f.held = on
}

// Kept reports whether the segmenter was kept from the last frame.
func (f *Front) Kept() bool { return f.kept }

// EndAfter says how much silence ends the utterance if it is pausing now.
func (f *Front) EndAfter(utterance uint64, silence time.Duration) {
	f.opt.Segmenter.EndAfter(utterance, silence)
}

// Anew discards the utterance that is open. The stream goes on.
func (f *Front) Anew() { f.opt.Segmenter.Anew(f.emit) }

// Flush ends the stream: the utterance that is open is discarded, and the next
// frame does not continue the last one. What the canceller and the leveller have
// learnt stays.
func (f *Front) Flush() {
	for _, s := range f.opt.Spotters {
		s.Reset()
	}
	f.opt.Segmenter.Flush(f.emit)
}

// Reading is what a meter shows as of the last frame that the segmenter saw.
func (f *Front) Reading() vad.Reading { return f.opt.Segmenter.Reading() }
