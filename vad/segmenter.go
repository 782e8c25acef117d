package vad

import (
	"errors"
	"fmt"
	"time"

	"hearthd/audio"
)

// A frame stands out when the detector is sure of it, or its level is above the noise floor: for
// hums and fans, detectors give middling probabilities for minutes. A steady noise is less than 2
// dB above the floor, speech at 0 dB more than 3 in every vowel.
const (
	sure     = 0.8
	standing = 3 // dB
)

// Segmenter cuts a continuous stream of frames into utterances.
type Segmenter struct {
	det  Detector
	fore *foreground
	settings

	meter  audio.Meter
	prob   float32
	buf    []int16        // the detector frame that is being filled
	filled int            // samples in buf
	next   audio.Position // where the next frame should begin
	begun  bool
	state  state
	told   told
	from   audio.Position // what was before belongs to a wake word or another utterance
	woken  bool           // what comes next is spoken by the person who said the wake word that ended at from
	risen  audio.Position // voice that is louder than what outlasted the cap
	sig    Signal         // the one signal that emit sees, reused
	count  uint64
}

// wokenSpan is how long after a wake word an utterance counts as spoken by the same person.
const wokenSpan = 10 * audio.Rate

// told is what was reported of the utterance that is open.
type told struct {
	pause     bool // of the silence that it is in
	sustained bool
	voice     audio.Position // up to now, without its echo
}

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
	set, err := NewSettings(o, n)
	if err != nil {
		return nil, err
	}
	return &Segmenter{det: d, fore: newForeground(n), settings: set.settings, buf: make([]int16, n)}, nil
}

// String names its stages. It belongs to the goroutine that pushes.
func (s *Segmenter) String() string {
	return fmt.Sprintf("%v → gate from %g to %g → pre-roll of %v → endpointer after %v", s.det, s.threshold, s.release,
		s.preRoll.Duration(), s.maxGap.Duration())
}

// Settings are Options, ready for a Segmenter to use.
type Settings struct{ settings }

type settings struct {
	gate *gate
	end  *endpointer
	ring *preRoll

	preRoll, onset, maxGap, pause, sustain audio.Position

	threshold, release float32
	maxWoken           time.Duration
}

// NewSettings checks o for a detector whose frames have n samples.
func NewSettings(o Options, n int) (*Settings, error) {
	if n < 1 || n > audio.Rate {
		return nil, fmt.Errorf("detector frame of %d samples: want 1 to %d", n, audio.Rate)
	}
	frames := func(t time.Duration) int {
		return int((audio.Samples(t) + audio.Position(n) - 1) / audio.Position(n))
	}
	g, gerr := newGate(gateOptions{Threshold: o.Threshold, Release: o.Release,
		Onset: frames(o.Onset), Hangover: frames(o.Hangover)})
	e, eerr := newEndpointer(endpointerOptions{MinSpeech: o.MinSpeech, EndSilence: o.EndSilence,
		MaxUtterance: o.MaxUtterance})
	onset := audio.Position(frames(o.Onset) * n)
	p, perr := newPreRoll(o.PreRoll + onset.Duration())
	if err := errors.Join(gerr, eerr, perr, o.check()); err != nil {
		return nil, err
	}
	return &Settings{settings{
		gate: g, end: e, ring: p,
		preRoll: audio.Samples(o.PreRoll), onset: onset, maxGap: audio.Samples(o.EndSilence),
		pause: audio.Samples(o.Pause), sustain: audio.Samples(o.Sustain),
		threshold: o.Threshold, release: o.Release, maxWoken: o.MaxWoken,
	}}, nil
}

// Another is a copy for another segmenter, which may be used while one uses s.
func (s *Settings) Another() *Settings {
	other := *s
	other.gate = &gate{opt: s.gate.opt}
	other.end = &endpointer{minSpeech: s.end.minSpeech, endSilence: s.end.endSilence, maxUtterance: s.end.maxUtterance}
	other.ring = ring(len(s.ring.frames))
	return &other
}

// Adjust makes the segmenter use other settings, which belong to it from then on, and reports
// whether it does: not while an utterance is open. The pre-roll starts over.
func (s *Segmenter) Adjust(to *Settings) bool {
	if s.state != idle {
		return false
	}
	s.settings = to.settings
	return true
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
	if s.from > s.next+audio.Rate { // it belonged to another stream
		s.from = s.next
	}
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
	n := audio.Position(len(s.buf))
	s.prob = s.det.Probability(s.buf)
	s.meter.Push(s.buf)
	voiced := s.prob >= s.release
	s.fore.push(s.meter.Level(), voiced)
	if s.state == held {
		s.outlast(now, voiced, emit)
		return
	}
	p, doubt := s.prob, audio.Position(0)
	if !s.stands() || s.state == open && !s.fore.own(voiced) {
		p = 0
		if voiced {
			doubt = n
		}
	}
	was := s.gate.open
	if now > s.from {
		s.gate.Push(p)
	}
	opened := s.gate.open && !was
	var voice audio.Position
	switch {
	case opened:
		voice = s.onset
	case s.gate.voiced:
		voice = n
	}
	if s.state == open {
		s.follow(voice, doubt, now, emit)
	} else if opened {
		if s.woken = s.woken && now < s.from+wokenSpan; !s.woken {
			s.fore.open(s.onset)
		}
		s.begin(now, emit)
	}
}

// stands reports whether the last frame is more than a steady noise.
func (s *Segmenter) stands() bool {
	return s.prob >= sure || s.meter.Level() >= s.meter.Floor()+standing
}

// follow goes on with the utterance that is open.
func (s *Segmenter) follow(voice, doubt, now audio.Position, emit func(*Signal)) {
	v := s.end.Push(voice, doubt, now)
	s.report(voice, now, emit)
	switch v {
	case ended:
		s.finish(End, Silence, emit)
		s.state = idle
	case tooShort:
		s.finish(Discard, Short, emit)
		s.state = idle
	case capped:
		s.finish(End, Cap, emit)
		s.state, s.risen = held, 0
	}
}

// outlast waits until what outlasted the cap is silent, or somebody talks over it.
func (s *Segmenter) outlast(now audio.Position, voiced bool, emit func(*Signal)) {
	n := audio.Position(len(s.buf))
	var voice audio.Position
	if voiced && s.stands() {
		voice = n
	}
	if s.fore.over(voiced) && s.prob >= s.threshold {
		s.risen += n
	} else {
		s.risen = 0
	}
	switch {
	case s.risen >= s.onset:
		s.gate.force()
		s.fore.rose(s.onset)
		s.begin(now, emit)
	case s.end.Push(voice, 0, now) == ended:
		s.gate.Reset()
		s.state = idle
	}
}

// begin opens an utterance at the end of its onset and passes the pre-roll on.
func (s *Segmenter) begin(now audio.Position, emit func(*Signal)) {
	s.state, s.told = open, told{voice: s.onset}
	s.count++
	speech := max(now-s.onset, s.from)
	start := s.next
	since := max(speech-s.preRoll, s.from+audio.FrameSamples-1) // of whole frames
	s.ring.each(since, func(_ *audio.Frame, at audio.Position) { start = min(start, at) })
	voice, limit := s.onset, time.Duration(0)
	if s.woken {
		// A short command that came at once was half over when the wake word was recognised.
		s.fore.each(now-start, s.onset, func(float32) { voice += audio.Position(len(s.buf)) })
		limit = s.maxWoken
	}
	s.end.Open(start, voice, now, limit)
	s.emit(emit, Signal{Kind: Onset, At: start, Speech: max(speech, start)})
	s.ring.each(since, func(f *audio.Frame, at audio.Position) {
		s.emit(emit, Signal{Kind: Audio, At: at, Frame: f})
	})
}

// report reports each pause once, and once that the utterance is more than a cough.
func (s *Segmenter) report(voice, now audio.Position, emit func(*Signal)) {
	if voice > 0 {
		s.told.pause = false
		if !s.fore.rings(s.meter.Level()) {
			s.told.voice += voice
		}
		if !s.told.sustained && s.told.voice >= s.sustain {
			s.told.sustained = true
			s.emit(emit, Signal{Kind: Sustained, At: s.next, Speech: s.end.speechEnd})
		}
		return
	}
	if !s.told.pause && now-s.end.speechEnd >= s.pause {
		s.told.pause = true
		s.emit(emit, Signal{Kind: Pause, At: s.next, Speech: s.end.speechEnd})
	}
}

// EndAfter sets the silence that ends an utterance, for the pause that it is in.
// When the utterance is another one, or somebody is speaking again, it does
// nothing.
func (s *Segmenter) EndAfter(utterance uint64, silence time.Duration) {
	if s.state == open && s.count == utterance && s.told.pause {
		s.end.EndAfter(silence)
	}
}

// Restart says that a wake word ended at from: what is open is discarded, and what follows the
// word, which may have been heard already, may be an utterance at once. No utterance reaches back
// into the word. The person who said it is the one who is listened to: other voices that were there
// before, and are softer, do not keep the utterance open. The stream goes on.
func (s *Segmenter) Restart(from audio.Position, emit func(*Signal)) {
	if s.state == open {
		s.finish(Discard, Woken, emit)
	}
	s.state, s.from, s.woken = idle, from, true
	s.gate.Reset()
	s.fore.woken(max(0, s.next-from))
}

func (s *Segmenter) finish(k Kind, r Reason, emit func(*Signal)) {
	s.emit(emit, Signal{Kind: k, At: s.next, Speech: s.end.speechEnd, Reason: r})
	if k == End {
		s.from, s.woken = s.next, false
	}
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

// Flush ends the stream: an open utterance is discarded, and the next frame may have any position.
// The noise floor and what was learnt from a wake word stay. The daemon calls it when capture
// closes or is ignored for a while.
func (s *Segmenter) Flush(emit func(*Signal)) { s.stop(Closed, emit) }

// DiscardOpen discards what is open, because a person has just asked to be heard.
func (s *Segmenter) DiscardOpen(emit func(*Signal)) { s.stop(Closed, emit) }

func (s *Segmenter) stop(r Reason, emit func(*Signal)) {
	if s.state == open {
		s.finish(Discard, r, emit)
	}
	s.state, s.filled, s.begun, s.prob = idle, 0, false, 0
	s.gate.Reset()
	s.ring.Reset()
	s.det.Reset()
	s.fore.cut()
}

// Reading is what the meter shows as of the last frame. Like Push, it belongs
// to the goroutine that pushes.
func (s *Segmenter) Reading() Reading {
	return Reading{Level: s.meter.Level(), Floor: s.meter.Floor(), Probability: s.prob}
}

// Spoken reports whether the detector's last frame was speech.
func (s *Segmenter) Spoken() bool { return s.prob >= s.threshold }
