package daemon

import (
	"context"
	"errors"
	"io"
	"iter"

	"hearthd/audio"
	"hearthd/config"
	"hearthd/vad"
	"hearthd/vad/wake"
)

// HearOptions says what Hear listens to.
type HearOptions struct {
	Config    config.Config
	StateDir  string // where wake words are installed
	Near      string // a WAV of what the microphone heard
	Reference string // a WAV of what the speaker played meanwhile, or empty
}

// Heard is what the front end makes of one frame of its detector. Levels are dBFS
// and RMS of the 20 ms around the frame, as the detector was given them.
type Heard struct {
	At     float64     `json:"at_s"`   // end of the frame in the recording
	Speech float32     `json:"speech"` // the detector's probability, 0 to 1
	Level  float32     `json:"level_dbfs"`
	Floor  float32     `json:"floor_dbfs"` // noise under it
	Events []HeardFact `json:"events,omitempty"`
}

// HeardFact is something that the front end decided in a frame.
type HeardFact struct {
	// Type is wake, or what the gate and the endpointer did: onset, end or discard.
	Type string `json:"type"`
	// At is the end of the word for wake, the first sample of speech for onset and
	// the end of speech for the others.
	At        float64 `json:"at_s"`
	Utterance uint64  `json:"utterance,omitempty"`
	Reason    string  `json:"reason,omitempty"` // of end and discard
	Word      string  `json:"word,omitempty"`
	Score     float32 `json:"score,omitempty"`
}

// Hear takes the front end of the daemon over a recording, as fast as it goes, and
// yields one Heard for each frame of the detector; what belongs to the end of the
// recording is among the events of a last one. The sequence ends after the first
// error; errors name the file. A Heard is the caller's.
func Hear(ctx context.Context, o HearOptions) iter.Seq2[Heard, error] {
	return func(yield func(Heard, error) bool) {
		if err := hear(ctx, o, yield); err != nil {
			yield(Heard{}, err)
		}
	}
}

// hear returns nil too when yield wants no more.
func hear(ctx context.Context, o HearOptions, yield func(Heard, error) bool) (err error) {
	near, err := openRecording(o.Near)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, near.close()) }()
	var far *recording
	if o.Reference != "" {
		if far, err = openRecording(o.Reference); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, far.close()) }()
	}
	h := &hearer{}
	ears, err := newEars(&o.Config, earsOptions{Emit: h.emit, Detected: h.detected, Tap: h.tap})
	if err != nil {
		return err
	}
	var n, f audio.Frame
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := near.frame(&n); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if err := reference(far, &f); err != nil {
			return err
		}
		ears.front.Push(&n, &f, h.now)
		h.now += audio.FrameSamples
		if !h.deliver(ears.front.Reading(), yield) {
			return nil
		}
	}
	last := ears.front.Reading()
	ears.front.Flush()
	if len(h.early) > 0 {
		h.list = append(h.list, Heard{At: h.now.Duration().Seconds(), Events: h.early})
		h.deliver(last, yield)
	}
	return nil
}

// reference fills f with what the speaker played, which may be shorter than what
// the microphone heard.
func reference(far *recording, f *audio.Frame) error {
	if far == nil {
		return nil
	}
	err := far.frame(f)
	if err == io.EOF {
		clear(f[:])
		return nil
	}
	return err
}

// hearer collects what one frame leads to.
type hearer struct {
	vad.Detector
	now   audio.Position // begin of the frame that is pushed
	rated audio.Position // end of the detector's last frame
	list  []Heard        // not delivered yet
	early []HeardFact    // of the detector's next frame
}

func (h *hearer) tap(d vad.Detector) vad.Detector {
	h.Detector = d
	return h
}

// Probability is called by the segmenter before it decides anything.
func (h *hearer) Probability(samples []int16) float32 {
	p := h.Detector.Probability(samples)
	h.rated += audio.Position(len(samples))
	h.list = append(h.list, Heard{At: h.rated.Duration().Seconds(), Speech: p, Events: h.early})
	h.early = nil
	return p
}

// Reset is called when the frames of the detector begin anew with what is pushed.
func (h *hearer) Reset() {
	h.Detector.Reset()
	h.rated = h.now
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
	default:
		return
	}
	h.fact(f)
}

func (h *hearer) detected(d wake.Detection) bool {
	h.fact(HeardFact{Type: "wake", At: d.Position.Duration().Seconds(), Word: d.Name, Score: d.Score})
	return true
}

func (h *hearer) fact(f HeardFact) {
	if n := len(h.list); n > 0 {
		h.list[n-1].Events = append(h.list[n-1].Events, f)
		return
	}
	h.early = append(h.early, f)
}

// deliver yields what the pushed frame led to.
func (h *hearer) deliver(r vad.Reading, yield func(Heard, error) bool) bool {
	for _, one := range h.list {
		one.Level, one.Floor = r.Level, r.Floor
		if !yield(one, nil) {
			return false
		}
	}
	h.list = h.list[:0]
	return true
}
