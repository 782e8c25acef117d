package listen

import (
	"math"
	"math/rand/v2"
	"testing"

	"hearthd/audio"
	"hearthd/vad"
)

// leaves is a canceller that leaves a hundredth of what comes while far sounds.
type leaves struct{}

func (leaves) String() string { return "leaves" }

func (leaves) Placed() bool { return true }

func (leaves) Plain() *audio.Frame { return &audio.Frame{} }

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

func (anything) String() string { return "anything" }

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

// opinion is a detector that thinks the same of everything.
type opinion struct {
	loudness
	p float32
}

func (opinion) String() string { return "opinion" }

func (o opinion) Probability([]int16) float32 { return o.p }

func TestPersonMustBeClearerOverNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, c := range []struct {
		name                 string
		noise                int16
		sound                func(i int) float64
		p                    float32
		speaker, open, known bool
		want                 bool
	}{
		{"unclear voice over the speaker and a noise", 300, pulses(121), 0.7, true, false, false, false},
		{"voice over the speaker and a noise", 300, pulses(121), 0.8, true, false, false, true},
		{"unclear voice over the speaker", 10, pulses(121), 0.7, true, false, false, true},
		{"unclear voice over a noise", 300, pulses(121), 0.7, false, true, false, true},
		{"somebody who is known to speak", 300, pulses(121), 0.7, true, true, true, true},
		{"frying over the speaker", 300, crackles(r), 0.99, true, false, false, false},
		{"frying that begins", 300, crackles(r), 0.99, false, false, false, true},
		{"frying that goes on", 300, crackles(r), 0.99, false, true, false, false},
		{"whisper over the speaker", 10, hiss(r), 0.7, true, true, false, true},
		{"whisper", 10, hiss(r), 0.7, false, true, false, true},
		{"consonants of somebody who is known to speak", 300, hiss(r), 0.7, true, true, true, true},
	} {
		guard := NewGuard(opinion{p: c.p})
		quiet := frameOf(c.noise)
		for range 100 {
			guard.rest(quiet)
		}
		if c.open || c.known {
			guard.hear(vad.Onset)
		}
		if c.known {
			guard.hear(vad.Sustained)
		}
		heard := framesOf(c.sound, 5)
		for i := range heard {
			if c.speaker {
				guard.weigh(frameOf(4000), &heard[i])
			} else {
				guard.rest(&heard[i])
			}
		}
		if p := guard.Probability(nil); p >= 0.5 != c.want {
			t.Errorf("%s: %v counts as %.2f", c.name, c.p, p)
		}
	}
}

func TestWordsGoOnThroughTheirConsonants(t *testing.T) {
	guard := NewGuard(opinion{p: 0.9})
	quiet := frameOf(300)
	for range 100 {
		guard.rest(quiet)
	}
	vowel, fricative := framesOf(pulses(121), 5), framesOf(hiss(rand.New(rand.NewPCG(7, 7))), 20)
	for i := range vowel {
		guard.rest(&vowel[i])
		guard.Probability(nil)
	}
	guard.hear(vad.Onset)
	last := -1
	for i := range fricative {
		guard.rest(&fricative[i])
		if guard.Probability(nil) >= 0.5 {
			last = i
		}
	}
	if last < maxUnvoiced-1 || last > maxUnvoiced+2 { // the window holds some of the vowel
		t.Errorf("speech until frame %d of a fricative: want about %d", last, maxUnvoiced)
	}
}

// stuck is a detector whose state holds no number until it is reset.
type stuck struct{ resets int }

func (*stuck) FrameSamples() int { return audio.FrameSamples }
func (s *stuck) Reset()          { s.resets++ }
func (*stuck) String() string    { return "stuck" }

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
