package listen

import (
	"math"
	"testing"

	"hearthd/audio"
	"hearthd/vad"
)

// leaves is a canceller that leaves a hundredth of what comes while far sounds.
type leaves struct{}

func (leaves) Process(near, far, out *audio.Frame) {
	for i := range out {
		out[i] = near[i]
		if far[0] == 9000 {
			out[i] /= 100
		}
	}
}

// any takes every sound for speech.
type anything struct{ loudness }

func (anything) Probability(samples []int16) float32 {
	if samples[0] != 0 {
		return 1
	}
	return 0
}

func TestRestOfTheEchoIsNobodyAndAPersonIsSomebody(t *testing.T) {
	guard := NewGuard(anything{})
	seg, err := vad.New(vad.DefaultOptions(), guard)
	if err != nil {
		t.Fatal(err)
	}
	onsets := 0
	f, err := NewFront(FrontOptions{
		Canceller: leaves{}, Segmenter: seg, Guard: guard,
		Emit: func(s *vad.Signal) {
			if s.Kind == vad.Onset {
				onsets++
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := audio.Position(0)
	push := func(near, far int16, frames int) int {
		for range frames {
			f.Push(frameOf(near), frameOf(far), at)
			at += audio.FrameSamples
		}
		return onsets
	}
	if n := push(8000, 9000, 100); n != 0 {
		t.Errorf("%d onsets by what was left of the echo", n)
	}
	if n := push(8000, 8000, 20); n != 1 { // it is not cancelled: a person as loud as the echo
		t.Errorf("%d onsets by a person", n)
	}
	push(0, 0, 100)
	if n := push(80, 0, 100); n != 2 { // as soft as the echo was, and the speaker is silent
		t.Errorf("%d onsets, and the speaker is silent", n)
	}
}

// unsure is a detector that is not quite sure of anything.
type unsure struct{ loudness }

func (unsure) Probability([]int16) float32 { return 0.7 }

func TestPersonMustBeClearerOverNoiseWhileTheSpeakerSounds(t *testing.T) {
	for _, c := range []struct {
		name              string
		noise, near, far  int16
		believed, doubted bool
	}{
		{"speaker over a noise", 300, 3000, 9000, false, true},
		{"speaker in a quiet room", 10, 3000, 9000, false, false},
		{"noise alone", 300, 3000, 0, false, false},
		{"somebody who is known to speak", 300, 3000, 9000, true, false},
	} {
		guard := NewGuard(unsure{})
		quiet := frameOf(c.noise)
		for range 100 {
			guard.rest(quiet)
		}
		guard.believe(c.believed)
		if c.far != 0 {
			guard.weigh(frameOf(c.near), frameOf(c.near/2))
		}
		if p := guard.Probability(nil); p < 0.5 != c.doubted {
			t.Errorf("%s: 0.7 counts as %.2f", c.name, p)
		}
	}
}

// stuck is a detector whose state holds no number until it is reset.
type stuck struct{ resets int }

func (*stuck) FrameSamples() int { return audio.FrameSamples }
func (s *stuck) Reset()          { s.resets++ }
func (s *stuck) Probability([]int16) float32 {
	if s.resets == 0 {
		return float32(math.NaN())
	}
	return 0.9
}

func TestDetectorThatIsNoNumberBeginsAnew(t *testing.T) {
	d := &stuck{}
	g := NewGuard(d)
	if p := g.Probability(nil); p != 0 || d.resets != 1 {
		t.Errorf("%v after %d resets", p, d.resets)
	}
	if p := g.Probability(nil); p != 0.9 || d.resets != 1 {
		t.Errorf("%v after %d resets", p, d.resets)
	}
}
