package vad

import (
	"errors"
	"fmt"
	"time"

	"hearthd/audio"
)

// Options sets a Segmenter. Onset and Hangover are times here, because the
// frames of detectors differ in length; they are counted in whole detector
// frames, rounded up.
type Options struct {
	Threshold    float32       // probability that starts speech
	Release      float32       // probability below which speech pauses
	Onset        time.Duration // speech without a break that starts an utterance
	Hangover     time.Duration // break that the gate tolerates in it
	PreRoll      time.Duration // audio kept from before the first voiced frame
	MinSpeech    time.Duration // less voice than this is no utterance
	EndSilence   time.Duration // silence that ends an utterance
	Pause        time.Duration // silence in it that is reported
	Sustain      time.Duration // voice in it that is more than a cough
	MaxUtterance time.Duration // longest utterance, pre-roll included
}

// DefaultOptions suits commands of one sentence in a kitchen. The hysteresis
// 0.5/0.35 is the one that Silero's authors ship. The onset is longer than the
// 20 to 40 ms of a knock, the hangover covers the closure of a plosive
// (50–150 ms), the pause is longer than those within a word, and a cough or an
// "mm-hm" has less than 300 ms of voice.
func DefaultOptions() Options {
	return Options{
		Threshold: 0.5, Release: 0.35,
		Onset: 60 * time.Millisecond, Hangover: 160 * time.Millisecond,
		PreRoll: 400 * time.Millisecond, MinSpeech: 250 * time.Millisecond,
		EndSilence: 700 * time.Millisecond, MaxUtterance: 15 * time.Second,
		Pause: 200 * time.Millisecond, Sustain: 300 * time.Millisecond,
	}
}

// Segmenter cuts a continuous stream of frames into utterances.
type Segmenter struct {
	det  Detector
	gate *Gate
	end  *Endpointer
	ring *PreRoll

	preRoll, onset, maxGap, pause, sustain audio.Position

	meter  meter
	prob   float32
	buf    []int16        // the detector frame that is being filled
	filled int            // samples in buf
	next   audio.Position // where the next frame should begin
	begun  bool
	state  state
	told   told
	from   audio.Position // what was before belongs to a wake word
	sig    Signal         // the one signal that emit sees, reused
	count  uint64
}

// told is what was reported of the utterance that is open.
type told struct {
	pause     bool // of the silence that it is in
	sustained bool
	voice     audio.Position // loud voice up to now
	loudest   float32        // frame, dBFS
}

// fallen is how far below the loudest frame a voice is an echo of itself, which
// detectors take for voice for a tenth of a second.
const fallen = 15 // dB

type state uint8

const (
	idle state = iota
	open
	// held is the time after a capped utterance: whatever made the noise has
	// not been silent since, so that it is not a new utterance.
	held
)

// New returns a Segmenter that listens through d.
func New(o Options, d Detector) (*Segmenter, error) {
	n := d.FrameSamples()
	if n < 1 || n > audio.Rate {
		return nil, fmt.Errorf("detector frame of %d samples: want 1 to %d", n, audio.Rate)
	}
	frames := func(t time.Duration) int {
		return int((audio.Samples(t) + audio.Position(n) - 1) / audio.Position(n))
	}
	g, gerr := NewGate(GateOptions{Threshold: o.Threshold, Release: o.Release,
		Onset: frames(o.Onset), Hangover: frames(o.Hangover)})
	e, eerr := NewEndpointer(EndpointerOptions{MinSpeech: o.MinSpeech, EndSilence: o.EndSilence, MaxUtterance: o.MaxUtterance})
	onset := audio.Position(frames(o.Onset) * n)
	p, perr := NewPreRoll(o.PreRoll + onset.Duration())
	var serr error
	switch {
	case o.Hangover >= o.EndSilence:
		serr = fmt.Errorf("gate hangover %v: want less than the end silence %v", o.Hangover, o.EndSilence)
	case o.Pause <= o.Hangover || o.Sustain <= 0:
		serr = fmt.Errorf("pause %v, sustained voice %v: want more than the gate hangover %v, and more than 0",
			o.Pause, o.Sustain, o.Hangover)
	case o.PreRoll+o.Onset >= o.MaxUtterance:
		serr = fmt.Errorf("pre-roll %v: want less than the longest utterance %v", o.PreRoll, o.MaxUtterance)
	}
	if err := errors.Join(gerr, eerr, perr, serr); err != nil {
		return nil, err
	}
	s := &Segmenter{
		det: d, gate: g, end: e, ring: p,
		preRoll: audio.Samples(o.PreRoll), onset: onset, maxGap: audio.Samples(o.EndSilence),
		pause: audio.Samples(o.Pause), sustain: audio.Samples(o.Sustain),
		buf: make([]int16, n),
	}
	s.meter.reset()
	return s, nil
}

// Push takes the next frame, which begins at position at, and calls emit with
// what follows from it: nothing, or signals in the order that Kind gives. A
// frame that arrives while an utterance is open is passed on before it is
// judged, so trailing silence is part of the utterance. Lost frames are
// tolerated as silence; a longer gap, or a step back, discards the utterance.
func (s *Segmenter) Push(f *audio.Frame, at audio.Position, emit func(*Signal)) {
	if s.begun && at != s.next {
		s.jump(at, emit)
	}
	s.begun, s.next = true, at+audio.FrameSamples
	s.meter.push(f)
	s.ring.Push(f, at)
	if s.state == open {
		s.emit(emit, Signal{Kind: Audio, At: at, Frame: f})
	}
	for rest := f[:]; len(rest) > 0; {
		n := copy(s.buf[s.filled:], rest)
		rest = rest[n:]
		if s.filled += n; s.filled == len(s.buf) {
			s.filled = 0
			s.judge(s.next-audio.Position(len(rest)), emit)
		}
	}
}

// judge rates the full detector frame that ends at now.
func (s *Segmenter) judge(now audio.Position, emit func(*Signal)) {
	s.prob = s.det.Probability(s.buf)
	was := s.gate.open
	if now > s.from {
		s.gate.Push(s.prob)
	}
	opened := s.gate.open && !was
	var voice audio.Position
	switch {
	case opened:
		voice = s.onset
	case s.gate.Voiced():
		voice = audio.Position(len(s.buf))
	}
	if s.state == idle {
		if opened {
			s.begin(now, voice, emit)
		}
		return
	}
	v := s.end.Push(voice, now)
	if s.state == open {
		s.report(voice, now, emit)
	}
	switch {
	case s.state == held:
		if v == Ended {
			s.state = idle
		}
	case v == Ended:
		s.finish(End, Silence, emit)
		s.state = idle
	case v == TooShort:
		s.finish(Discard, Short, emit)
		s.state = idle
	case v == Capped:
		s.finish(End, Cap, emit)
		s.state = held
	}
}

// begin opens an utterance at the end of its onset and passes the pre-roll on.
func (s *Segmenter) begin(now, voice audio.Position, emit func(*Signal)) {
	s.state, s.told = open, told{voice: voice, loudest: s.meter.level}
	s.count++
	speech := max(now-s.onset, s.from)
	start := s.next
	since := max(speech-s.preRoll, s.from+audio.FrameSamples-1) // of whole frames
	s.ring.Each(since, func(_ *audio.Frame, at audio.Position) { start = min(start, at) })
	s.end.Open(start, voice, now)
	s.emit(emit, Signal{Kind: Onset, At: start, Speech: speech})
	s.ring.Each(since, func(f *audio.Frame, at audio.Position) {
		s.emit(emit, Signal{Kind: Audio, At: at, Frame: f})
	})
}

// report tells of a pause once, and once that the utterance is more than a cough.
func (s *Segmenter) report(voice, now audio.Position, emit func(*Signal)) {
	if voice > 0 {
		s.told.pause = false
		s.told.loudest = max(s.told.loudest, s.meter.level)
		if s.meter.level > s.told.loudest-fallen {
			s.told.voice += voice
		}
		if !s.told.sustained && s.told.voice >= s.sustain {
			s.told.sustained = true
			s.emit(emit, Signal{Kind: Sustained, At: s.next, Speech: s.end.SpeechEnd()})
		}
		return
	}
	if !s.told.pause && now-s.end.SpeechEnd() >= s.pause {
		s.told.pause = true
		s.emit(emit, Signal{Kind: Pause, At: s.next, Speech: s.end.SpeechEnd()})
	}
}

// EndAfter sets the silence that ends an utterance, for the pause that it is in.
// When the utterance is another one, or somebody is speaking again, it does
// nothing.
func (s *Segmenter) EndAfter(utterance uint64, silence time.Duration) {
	if s.state == open && s.count == utterance && s.told.pause {
		s.end.wait = audio.Samples(silence)
	}
}

// Restart says that a wake word ended at from: what is open is discarded, and what
// follows the word, which may have been heard already, may be an utterance at once.
// No utterance reaches back into the word. The stream goes on.
func (s *Segmenter) Restart(from audio.Position, emit func(*Signal)) {
	if s.state == open {
		s.finish(Discard, Woken, emit)
	}
	s.state, s.from = idle, from
	s.gate.Reset()
}

func (s *Segmenter) finish(k Kind, r Reason, emit func(*Signal)) {
	s.emit(emit, Signal{Kind: k, At: s.next, Speech: s.end.SpeechEnd(), Reason: r})
}

func (s *Segmenter) emit(emit func(*Signal), sig Signal) {
	s.sig = sig
	s.sig.Utterance = s.count
	emit(&s.sig)
	s.sig.Frame = nil
}

// jump handles a frame that does not follow the last one. The samples of an
// unfinished detector frame go, since what follows would not fit them.
func (s *Segmenter) jump(at audio.Position, emit func(*Signal)) {
	if at > s.next && at-s.next < s.maxGap {
		s.filled = 0
		return
	}
	s.stop(Gap, emit)
}

// Flush ends the stream: an open utterance is discarded, and the next frame may
// have any position. The daemon calls it when capture closes or is ignored for
// a while, and to be ready at once for a person who pressed the button.
func (s *Segmenter) Flush(emit func(*Signal)) { s.stop(Closed, emit) }

func (s *Segmenter) stop(r Reason, emit func(*Signal)) {
	if s.state == open {
		s.finish(Discard, r, emit)
	}
	s.state, s.filled, s.begun, s.prob, s.from = idle, 0, false, 0, 0
	s.gate.Reset()
	s.ring.Reset()
	s.det.Reset()
	s.meter.reset()
}

// Reading is what the meter shows as of the last frame. Like Push, it belongs
// to the goroutine that pushes.
func (s *Segmenter) Reading() Reading {
	return Reading{Level: s.meter.level, Floor: s.meter.floor, Probability: s.prob}
}
