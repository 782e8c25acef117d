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
	// Placed reports whether it knows the delay of the echo.
	Placed() bool
	// Plain is the last frame with less of the speaker taken out, and less of a person.
	Plain() *audio.Frame
}

// unheardMost is the longest that the first answer is not listened to. The delay of the echo is
// unknown then, and may stay so. The time is long enough for the spotters to forget what they
// heard.
const unheardMost = int(800 * time.Millisecond / audio.FrameDuration)

// monitor watches the frames of the device.
type monitor interface {
	fmt.Stringer
	Push(f *audio.Frame)
}

// leveller brings speech to the level for which detectors were trained, in place.
type leveller interface {
	fmt.Stringer
	Process(f *audio.Frame)
	// Hold stops it from adapting while on is true.
	Hold(on bool)
	// Amplify brings another frame of the same time to the level, in place.
	Amplify(f *audio.Frame)
}

// segmenter cuts utterances out of the stream.
type segmenter interface {
	fmt.Stringer
	Push(f *audio.Frame, at audio.Position, emit func(*vad.Signal))
	Flush(emit func(*vad.Signal))
	DiscardOpen(emit func(*vad.Signal))
	Restart(from audio.Position, emit func(*vad.Signal))
	EndAfter(utterance uint64, silence time.Duration)
	// Adjust reports whether the segmenter now uses the settings.
	Adjust(to *vad.Settings) bool
	Reading() vad.Reading
	// Spoken reports whether somebody speaks in the last frame, or may.
	Spoken() bool
}

// attentive is a spotter that accepts a word sooner when nobody spoke before it, and does not take
// for a person's what it has heard in the sound that the speaker plays.
type attentive interface {
	wake.Spotter
	Spoken(yes bool)
	Played(far, plain *audio.Frame, at audio.Position)
}

// FrontOptions are the stages of a Front. Only Segmenter and Emit are needed.
type FrontOptions struct {
	Monitor   monitor
	Canceller canceller
	Leveller  leveller
	Spotters  []wake.Spotter
	Segmenter segmenter
	Guard     *Guard // around the detector of Segmenter, if there is a Canceller
	// Emit is called with the signals of the segmenter, which are borrowed. It must not
	// block.
	Emit func(*vad.Signal)
	// Detected is called for each wake word, before the signals that follow from it. If it
	// returns true, what was said up to the end of the word is discarded, so that the
	// word itself is in no utterance. It must not block.
	Detected func(wake.Detection) (opens bool)
}

// Front is the chain of stages from the microphone to the utterances: canceller, leveller,
// wake-word spotters, segmenter. The first three see the continuous stream; only the
// segmenter can be held. It belongs to one goroutine, allocates nothing per frame, and owns
// the buffer between the stages.
type Front struct {
	opt     FrontOptions
	out     audio.Frame // what the canceller leaves of the microphone's frame
	quiet   audio.Frame // zeros: the speaker plays nothing
	farLeft int         // frames for which the speaker may still be heard
	held    bool
	kept    bool              // the last frame was kept from the segmenter
	speaks  bool              // the speaker plays an answer, from the next frame on
	unheard int               // frames of the first answer that were not listened to
	open    bool              // an utterance is open
	peak    utterancePeak     // of the utterance, before the leveller
	emit    func(*vad.Signal) // deliver, bound once so that Push allocates nothing
	plain   audio.Frame       // for spotters, while the speaker may be heard
	told    []attentive       // of the spotters
	others  []wake.Spotter
}

// NewFront checks the options.
func NewFront(opt FrontOptions) (*Front, error) {
	if opt.Segmenter == nil || opt.Emit == nil || len(opt.Spotters) > 0 && opt.Detected == nil {
		return nil, errors.New("new front end: a part is missing")
	}
	f := &Front{opt: opt}
	f.emit = f.deliver
	for _, s := range opt.Spotters {
		if a, ok := s.(attentive); ok {
			f.told = append(f.told, a)
		} else {
			f.others = append(f.others, s)
		}
	}
	return f, nil
}

func (f *Front) deliver(s *vad.Signal) {
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

// String names the stages in the order in which a frame passes them.
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

// Push takes the next frame of the microphone, which begins at position at, and what the
// speaker played meanwhile; nil: nothing. Frames must be contiguous; after a gap call Flush.
// It reports whether a wake word opened a turn. That also ends a Hold, because the person who
// said it may go on at once.
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
	f.farLeft = max(0, f.farLeft-1)
	if *far != f.quiet {
		f.farLeft = farTail
	}
	f.guard(near)
	f.peak.push(&f.out)
	if f.opt.Leveller != nil {
		f.opt.Leveller.Hold(f.farLeft > 0) // it would adapt to the rest of the echo
		f.opt.Leveller.Process(&f.out)
	}
	unplaced := f.unplaced()
	opened = f.spot(far, at, unplaced)
	if f.kept = f.held || unplaced; !f.kept {
		f.opt.Segmenter.Push(&f.out, at, f.emit)
	}
	for _, s := range f.told {
		s.Spoken(f.kept || f.opt.Segmenter.Spoken())
	}
	return opened
}

// spot shows the frame to the spotters. Those that hear the speaker too get it with more of the
// echo, and of a person, as well.
func (f *Front) spot(far *audio.Frame, at audio.Position, unplaced bool) (opened bool) {
	sounds := f.opt.Canceller != nil && f.farLeft > 0
	if sounds {
		f.plain = *f.opt.Canceller.Plain()
		if f.opt.Leveller != nil {
			f.opt.Leveller.Amplify(&f.plain)
		}
	}
	take := func(list []wake.Detection) {
		for _, d := range list {
			if !unplaced && f.opt.Detected(d) {
				opened, f.held = true, false
				f.opt.Segmenter.Restart(d.Position, f.emit)
			}
		}
	}
	for _, s := range f.told {
		if sounds {
			s.Played(far, &f.plain, at)
		}
		take(s.Push(&f.out, at))
	}
	for _, s := range f.others {
		take(s.Push(&f.out, at))
	}
	return opened
}

// unplaced reports whether the frame is from the beginning of the first answer, none of whose echo
// is cancelled yet, and which may contain the stop word. Earcons are no answers; people speak while
// they sound.
func (f *Front) unplaced() bool {
	if f.opt.Canceller == nil || !f.speaks || f.unheard == unheardMost || f.unheard == 0 && f.opt.Canceller.Placed() {
		return false
	}
	f.unheard++
	return true
}

func (f *Front) guard(near *audio.Frame) {
	switch {
	case f.opt.Guard == nil:
	case f.farLeft > 0:
		f.opt.Guard.weigh(near, &f.out)
	default:
		f.opt.Guard.rest(&f.out)
	}
}

// Hold keeps frames from the segmenter while on is true, and discards the open utterance
// when that begins.
func (f *Front) Hold(on bool) {
	if on && !f.held {
		f.opt.Segmenter.Flush(f.emit)
	}
	f.held = on
}

// EndAfter sets how much silence ends the utterance, if it is pausing now.
func (f *Front) EndAfter(utterance uint64, silence time.Duration) {
	f.opt.Segmenter.EndAfter(utterance, silence)
}

// DiscardOpen discards the open utterance. The stream goes on.
func (f *Front) DiscardOpen() { f.opt.Segmenter.DiscardOpen(f.emit) }

// Flush ends the stream: the open utterance is discarded, and the next frame does not
// continue the last one. The canceller and the leveller keep what they have learnt.
func (f *Front) Flush() {
	for _, s := range f.opt.Spotters {
		s.Reset()
	}
	f.opt.Segmenter.Flush(f.emit)
}

// Reading is the state of the segmenter after its last frame, for a meter.
func (f *Front) Reading() vad.Reading { return f.opt.Segmenter.Reading() }
