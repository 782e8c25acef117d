package ears

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	"hearthd/audio"
	"hearthd/daemon/api"
	"hearthd/daemon/listen"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// Sound is a recording, read frame by frame.
type Sound interface {
	// Frame fills f with the next 20 ms, padded with silence at the end, and returns
	// io.EOF when there are none left.
	Frame(f *audio.Frame) error
}

// HearOptions says what Hear listens to.
type HearOptions struct {
	Setup
	Near      Sound // of the microphone
	Reference Sound // what the speaker played meanwhile; nil: nothing
}

// Heard is what the front end makes of one frame of the detector. Levels are the RMS of the
// 20 ms around the frame in dBFS, as the detector gets them.
type Heard struct {
	At     float64 `json:"at_s"`   // end of the frame in the recording
	Speech float32 `json:"speech"` // the detector's probability, 0 to 1
	Level  float32 `json:"level_dbfs"`
	Floor  float32 `json:"floor_dbfs"` // noise under it
	// Wake is how sure each wake word is at the end of the 20 ms, 0 to 1.
	Wake map[string]float32 `json:"wake,omitempty"`
	// Gain is what the automatic gain has added to Level; nil: there is none.
	Gain *float32 `json:"gain_db,omitempty"`
	// Echo is the state of the canceller; nil: there is none, or no reference.
	Echo   *api.MeterEcho `json:"echo,omitempty"`
	Events []HeardFact    `json:"events,omitempty"`
}

// HeardFact is a decision of the front end in a frame.
type HeardFact struct {
	// Type is wake, or a decision of the gate or the endpointer: onset, pause, sustained
	// (enough voice to cut an answer), end or discard.
	Type string `json:"type"`
	// At is the end of the word (wake), the first sample of speech (onset), the moment of
	// the decision (sustained), or the end of speech (the others).
	At        float64 `json:"at_s"`
	Utterance uint64  `json:"utterance,omitempty"`
	Reason    string  `json:"reason,omitempty"` // of end and discard
	Word      string  `json:"word,omitempty"`
	Score     float32 `json:"score,omitempty"`
}

// Hear runs the front end of the daemon over a recording, as fast as it can, and yields a
// Heard for each frame of the detector. While the reference sounds and its echo is not
// cancelled, only wake words are heard, as when the daemon speaks. Decisions that fall on
// the end of the recording are in one more Heard. The sequence ends after the first error.
// A Heard belongs to the caller.
func Hear(ctx context.Context, o HearOptions) iter.Seq2[Heard, error] {
	return func(yield func(Heard, error) bool) {
		if err := hear(ctx, o, yield); err != nil {
			yield(Heard{}, err)
		}
	}
}

// errEnough says that the caller does not want to hear the rest.
var errEnough = errors.New("enough was heard")

func hear(ctx context.Context, o HearOptions, yield func(Heard, error) bool) error {
	h := &hearer{near: o.Near, far: o.Reference, words: o.Words, yield: yield}
	front, err := NewFrontEnd(FrontEndOptions{Setup: o.Setup, Emit: h.emit, Detected: h.detected, Tap: h.tap})
	if err != nil {
		return err
	}
	if len(front.unheard) > 0 {
		return errors.Join(front.unheard...)
	}
	if front.fallback != nil {
		return front.fallback
	}
	h.ears, h.names = front, front.scoredNames()
	listener, err := listen.New(listen.Options{
		Source: h, Front: front.Front, Far: (*played)(h), Speaking: h.speaking, FullDuplex: front.FullDuplex,
		IsGap: func(error) bool { return false }, Look: h.look,
	})
	if err != nil {
		return err
	}
	err = listener.Run(ctx)
	switch {
	case errors.Is(err, errEnough):
		return nil
	case errors.Is(err, io.EOF):
		if len(h.early) > 0 {
			yield(Heard{At: h.at.Duration().Seconds(), Level: h.last.Level, Floor: h.last.Floor, Events: h.early}, nil)
		}
		return nil
	case err == nil:
		return ctx.Err()
	}
	return err
}

// hearer plays a recording as if it were the microphone. It collects what follows from each
// frame, and delivers that when the next frame is asked for.
type hearer struct {
	vad.Detector
	near, far Sound
	ears      *FrontEnd
	words     []Word
	yield     func(Heard, error) bool

	at     audio.Position // start of the frame that is pushed
	next   audio.Position
	rated  audio.Position // end of the last frame of the detector
	last   vad.Reading
	list   []Heard     // not delivered yet
	scores []float32   // of wake words
	names  []string    // of what is in scores
	early  []HeardFact // that belong to the next frame of the detector
	spoke  int         // frames until the reference counts as silent
	fault  error       // error of the reference
}

// ReadFrame stands for the capture device.
func (h *hearer) ReadFrame(_ context.Context, f *audio.Frame) error {
	if !h.deliver() {
		return errEnough
	}
	if h.fault != nil {
		return h.fault
	}
	h.at, h.next = h.next, h.next+audio.FrameSamples
	return h.near.Frame(f)
}

// played is a hearer as the render reference.
type played hearer

// lingers is how long the speaker counts as speaking after its last sound.
const lingers = int(300 * time.Millisecond / audio.FrameDuration)

// ReadFrame fills f with silence after the end of the reference, which may be
// shorter than what the microphone heard.
func (p *played) ReadFrame(f *audio.Frame) {
	err := io.EOF
	if p.far != nil {
		err = p.far.Frame(f)
	}
	if err != nil {
		clear(f[:])
	}
	if err != nil && err != io.EOF {
		p.fault = err
	}
	p.spoke = max(0, p.spoke-1)
	if *f != (audio.Frame{}) {
		p.spoke = lingers
	}
}

func (h *hearer) speaking() bool { return h.spoke > 0 }

func (h *hearer) tap(d vad.Detector) vad.Detector {
	h.Detector = d
	return h
}

// Probability is called by the segmenter before it decides anything.
func (h *hearer) Probability(samples []int16) float32 {
	p := h.Detector.Probability(samples)
	// After a wake word the segmenter goes again over frames that it had held back.
	h.rated = min(h.rated+audio.Position(len(samples)), h.at+audio.FrameSamples)
	h.list = append(h.list, Heard{At: h.rated.Duration().Seconds(), Speech: p, Events: h.early})
	h.early = nil
	return p
}

// Reset is called when the detector starts afresh with the frame that is pushed.
func (h *hearer) Reset() {
	h.Detector.Reset()
	h.rated = h.at
}

// look keeps track of time while the detector gets no frames.
func (h *hearer) look(_ *audio.Frame, kept bool) {
	if kept {
		h.rated = h.at + audio.FrameSamples
	}
}

func (h *hearer) emit(s *vad.Signal) {
	f := HeardFact{At: s.Speech.Duration().Seconds(), Utterance: s.Utterance, Reason: s.Reason.String()}
	switch s.Kind {
	case vad.Onset:
		f.Type = "onset"
	case vad.End:
		f.Type = "end"
	case vad.Discard:
		f.Type = "discard"
	case vad.Pause:
		f.Type = "pause"
	case vad.Sustained:
		f.Type, f.At = "sustained", s.At.Duration().Seconds()
	default:
		return
	}
	h.fact(f)
}

func (h *hearer) detected(d wake.Detection) bool {
	h.fact(HeardFact{Type: "wake", At: d.Position.Duration().Seconds(), Word: d.Name, Score: d.Score})
	return !slices.ContainsFunc(h.words, func(w Word) bool { return w.Stop && w.Name == d.Name })
}

func (h *hearer) fact(f HeardFact) {
	if n := len(h.list); n > 0 {
		h.list[n-1].Events = append(h.list[n-1].Events, f)
		return
	}
	h.early = append(h.early, f)
}

// deliver yields what the last frame led to.
func (h *hearer) deliver() bool {
	h.last = h.ears.Front.Reading()
	h.scores = h.ears.scores(h.scores[:0])
	for _, one := range h.list {
		one.Level, one.Floor, one.Wake = h.last.Level, h.last.Floor, h.wake()
		if h.ears.leveller != nil {
			gain := h.ears.leveller.Reading().Gain
			one.Gain = &gain
		}
		if h.ears.canceller != nil && h.far != nil {
			one.Echo = echoText(h.ears.canceller.Reading())
		}
		if !h.yield(one, nil) {
			return false
		}
	}
	h.list = h.list[:0]
	return true
}

// wake is the scores by name.
func (h *hearer) wake() map[string]float32 {
	if len(h.scores) == 0 {
		return nil
	}
	m := make(map[string]float32, len(h.scores))
	for i, p := range h.scores {
		m[h.names[i]] = p
	}
	return m
}
