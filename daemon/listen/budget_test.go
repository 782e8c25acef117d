package listen

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hearthd/audio"
	"hearthd/vad"
	"hearthd/vad/neural"
	"hearthd/vad/wake"
)

// hum is two seconds of something voiced, then two of quiet noise, over and over.
func hum() []audio.Frame {
	r := rand.New(rand.NewPCG(1, 1))
	list := make([]audio.Frame, 200)
	for i := range list {
		for j := range list[i] {
			at := i*audio.FrameSamples + j
			v := r.IntN(40) - 20
			if period := 100 + (i/7)%20; i < 100 && at%period < period/2 {
				v += 6000 - 100*(at%period)
			}
			list[i][j] = int16(v)
		}
	}
	return list
}

// convinced takes the hum for speech, whatever its detector finds.
type convinced struct{ vad.Detector }

func (convinced) String() string { return "convinced" }

func (c convinced) Probability(samples []int16) float32 {
	p := c.Detector.Probability(samples)
	if slices.Max(samples) > 3000 {
		return 1
	}
	return min(p, 0.1)
}

// shipped is a segmenter with the detector of a fresh box.
func shipped(t testing.TB) *vad.Segmenter {
	t.Helper()
	detector, err := neural.New()
	if err != nil {
		t.Fatal(err)
	}
	seg, err := vad.New(vad.DefaultOptions(), NewGuard(convinced{detector}))
	if err != nil {
		t.Fatal(err)
	}
	return seg
}

// The sample path allocates nothing (DESIGN §1, promise 10): this is all of it
// between the capture ring and the dialogue, with the detector that ships, with
// utterances, with holds and with gaps.
func TestFrameFromSourceToUtteranceAllocatesNothing(t *testing.T) {
	seg := shipped(t)
	onsets, n := 0, 0
	front, err := NewFront(FrontOptions{
		Monitor: audio.NewMonitor(), Canceller: echoes{}, Leveller: louder{},
		Spotters:  []wake.Spotter{&loudest{every: 990}},
		Segmenter: seg, Detected: func(wake.Detection) bool { return true },
		Emit: func(s *vad.Signal) {
			if s.Kind == vad.Onset {
				onsets++
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(Options{
		Source: &script{}, Front: front, Far: nothing{},
		Speaking:   func() bool { return n%1000 > 950 },
		FullDuplex: func() bool { return false }, IsGap: func(error) bool { return false },
	})
	if err != nil {
		t.Fatal(err)
	}
	sound := hum()
	if got := testing.AllocsPerRun(3000, func() {
		l.push(&sound[n%len(sound)])
		n++
	}); got != 0 {
		t.Errorf("%v allocations per frame", got)
	}
	if onsets < 3 {
		t.Errorf("%d utterances in a minute of voice and silence: the path was not walked", onsets)
	}
}

func BenchmarkFrame(b *testing.B) {
	seg := shipped(b)
	front, err := NewFront(FrontOptions{Segmenter: seg, Emit: func(*vad.Signal) {}})
	if err != nil {
		b.Fatal(err)
	}
	l, err := New(Options{
		Source: &script{}, Front: front, Speaking: func() bool { return false },
		FullDuplex: func() bool { return false }, IsGap: func(error) bool { return false },
	})
	if err != nil {
		b.Fatal(err)
	}
	sound := hum()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.push(&sound[i%len(sound)])
	}
}
