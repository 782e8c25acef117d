package vad

import (
	"testing"
	"time"

	"hearthd/audio"
)

// manual is a Manual and what it has told.
type manual struct {
	*Manual
	at    audio.Position
	heard []Signal
}

func newManual(t *testing.T) *manual {
	t.Helper()
	m, err := NewManual(DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return &manual{Manual: m}
}

func (m *manual) tell(s *Signal) { m.heard = append(m.heard, *s) }

// push lets time pass.
func (m *manual) push(d time.Duration) {
	for range d / audio.FrameDuration {
		m.Push(&audio.Frame{}, m.at, m.tell)
		m.at += audio.FrameSamples
	}
}

// kinds counts the signals of one utterance.
func (m *manual) kinds(utterance uint64) (audio int, rest []Kind) {
	for _, s := range m.heard {
		switch {
		case s.Utterance != utterance:
		case s.Kind == Audio:
			audio++
		default:
			rest = append(rest, s.Kind)
		}
	}
	return audio, rest
}

func TestNothingIsAnUtteranceUntilSomebodyAsks(t *testing.T) {
	m := newManual(t)
	m.push(time.Minute)
	if len(m.heard) != 0 {
		t.Errorf("%d signals", len(m.heard))
	}
}

func TestAskedForUtteranceBeginsWithItsPreRollAndEndsWhenItsEndIsHeard(t *testing.T) {
	m := newManual(t)
	m.push(2 * time.Second)
	m.DiscardOpen(m.tell)
	m.push(time.Second)
	m.EndAfter(7, 0) // another one's
	m.push(audio.FrameDuration)
	m.EndAfter(1, 0)
	m.push(time.Second)
	n, rest := m.kinds(1)
	// 400 ms of pre-roll, 1.02 s, and the frame with which it ends.
	if n != 20+51+1 || len(rest) != 2 || rest[0] != Onset || rest[1] != End {
		t.Errorf("%d frames, %v", n, rest)
	}
	if first, last := m.heard[0], m.heard[len(m.heard)-1]; first.At != audio.Samples(1600*time.Millisecond) ||
		last.Reason != Silence {
		t.Errorf("%+v to %+v", first, last)
	}
}

func TestAskedForUtteranceDoesNotReachBackIntoTheWakeWord(t *testing.T) {
	m := newManual(t)
	m.push(2 * time.Second)
	m.Restart(m.at-audio.Samples(100*time.Millisecond), m.tell)
	m.push(audio.FrameDuration)
	m.DiscardOpen(m.tell) // the window opens a moment later
	m.push(audio.FrameDuration)
	for id, frames := range map[uint64]int{1: 5 + 1, 2: 5 + 2} {
		if n, rest := m.kinds(id); n != frames || rest[0] != Onset {
			t.Errorf("utterance %d: %d frames, %v", id, n, rest)
		}
	}
	if last := m.heard[6+1]; last.Kind != Discard || last.Reason != Woken {
		t.Errorf("%+v", last)
	}
}

func TestAskedForUtteranceIsCapped(t *testing.T) {
	m := newManual(t)
	m.DiscardOpen(m.tell)
	m.push(time.Minute)
	last := m.heard[len(m.heard)-1]
	if n, rest := m.kinds(1); last.Reason != Cap || n != int(DefaultOptions().MaxUtterance/audio.FrameDuration) ||
		len(rest) != 2 || last.Utterance != 1 {
		t.Errorf("%d frames, %v, %+v", n, rest, last)
	}
}

// An earcon sounds once the button was pressed, and the microphone is held meanwhile.
func TestAskedForUtteranceOutlivesAFlushBeforeIt(t *testing.T) {
	m := newManual(t)
	m.push(time.Second)
	m.DiscardOpen(m.tell)
	m.Flush(m.tell)
	m.at += audio.Samples(300 * time.Millisecond)
	m.push(time.Second)
	if n, rest := m.kinds(1); n != 50 || len(rest) != 1 {
		t.Errorf("%d frames, %v", n, rest)
	}
	m.Flush(m.tell)
	if last := m.heard[len(m.heard)-1]; last.Kind != Discard || last.Reason != Closed {
		t.Errorf("%+v", last)
	}
}

func TestManualAllocatesNothingPerFrame(t *testing.T) {
	m := newManual(t)
	m.DiscardOpen(func(*Signal) {})
	var f audio.Frame
	if n := testing.AllocsPerRun(1000, func() {
		m.Push(&f, m.at, func(*Signal) {})
		m.at += audio.FrameSamples
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
