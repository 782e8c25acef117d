package harmonic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hearthd/audio"
	"hearthd/vad"
)

var kitchen = []struct {
	name string
	make generator
}{
	{"white", white}, {"pink", pink}, {"tap", tap}, {"dishes", dishes},
	{"hum 50 Hz", hum(50)}, {"hum 100 Hz", hum(100)}, {"motor 190 Hz", hum(190)},
}

func TestNoNoiseAloneOpensATurn(t *testing.T) {
	for _, k := range kitchen {
		for level, seconds := range map[float64]int{-60: 15, -35: 60, -10: 15} {
			r := rand.New(rand.NewPCG(2, 1))
			said, _ := segment(t, pcm(scale(k.make(seconds*audio.Rate, r), level)))
			t.Logf("%d s of %s at %v dBFS: %d onsets, %d utterances", seconds, k.name, level, (len(said)+1)/2, ends(said))
			if ends(said) > 0 {
				t.Errorf("%s at %v dBFS: %+v", k.name, level, said)
			}
		}
	}
}

func TestNoStepOfASteadyNoiseOpensATurn(t *testing.T) {
	for _, k := range kitchen {
		if k.name == "dishes" {
			continue
		}
		for _, step := range []float64{6, 15, 30} {
			r := rand.New(rand.NewPCG(2, 2))
			x := scale(k.make(12*audio.Rate, r), -50)
			for i := range x {
				if i/(3*audio.Rate)%2 == 1 {
					x[i] *= math.Pow(10, step/20)
				}
			}
			if said, _ := segment(t, pcm(x)); ends(said) > 0 {
				t.Errorf("%s, steps of %v dB: %+v", k.name, step, said)
			}
		}
	}
}

// bang is a sound of n samples at full scale.
type bang struct {
	name string
	n    int
	at   func(i int, r *rand.Rand) float64
}

func bangs() []bang {
	b := []bang{{"one sample", 1, func(int, *rand.Rand) float64 { return 1 }}}
	for _, ms := range []int{5, 10, 20, 30} {
		n := ms * audio.Rate / 1000
		b = append(b,
			bang{fmt.Sprintf("%d ms of noise", ms), n, func(_ int, r *rand.Rand) float64 { return 2*r.Float64() - 1 }},
			bang{fmt.Sprintf("%d ms plateau", ms), n, func(int, *rand.Rand) float64 { return 1 }})
		for _, f := range []float64{100, 250, 1000} {
			b = append(b, bang{fmt.Sprintf("%d ms of %v Hz", ms, f), n, func(i int, _ *rand.Rand) float64 {
				return math.Copysign(1, math.Sin(2*math.Pi*f*float64(i)/audio.Rate))
			}})
		}
	}
	return b
}

// Gaps from a single bang to a volley of eight a second.
func TestNoClickHoweverLoudOpensATurn(t *testing.T) {
	for _, b := range bangs() {
		for _, gap := range []int{2 * audio.Rate, audio.Rate / 2, audio.Rate / 3, audio.Rate / 8} {
			r := rand.New(rand.NewPCG(2, 3))
			x := scale(white(6*audio.Rate, r), -65)
			for i := audio.Rate; i+b.n < len(x); i += gap + r.IntN(gap/4) {
				for k := range b.n {
					x[i+k] = b.at(k, r)
				}
			}
			said, _ := segment(t, pcm(x))
			if len(said) > 0 {
				t.Logf("%s every %d samples: %d onsets", b.name, gap, (len(said)+1)/2)
			}
			if ends(said) > 0 {
				t.Errorf("%s every %d samples: %+v", b.name, gap, said)
			}
		}
	}
}

func TestSilenceIsNoSpeech(t *testing.T) {
	if said, _ := segment(t, make([]int16, 5*audio.Rate)); len(said) > 0 {
		t.Errorf("%+v", said)
	}
}

func TestResetMakesANewDetector(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	x := pcm(scale(pink(audio.Rate, r), -20))
	d, fresh := New(), New()
	for i := 0; i+hop <= len(x); i += hop {
		d.Probability(x[i : i+hop])
	}
	d.Reset()
	if *d != *fresh {
		t.Error("a reset detector differs from a new one")
	}
}

var _ vad.Detector = (*Detector)(nil)

// The sample path allocates nothing (DESIGN §1).
func TestProbabilityAllocatesNothing(t *testing.T) {
	d := New()
	x := pcm(scale(dishes(audio.Rate, rand.New(rand.NewPCG(2, 5))), -20))
	i := 0
	if n := testing.AllocsPerRun(500, func() {
		d.Probability(x[i : i+hop])
		i = (i + hop) % len(x)
	}); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

// BenchmarkSecond is the cost of one second of audio; the goal is 2 ms.
func BenchmarkSecond(b *testing.B) {
	d := New()
	x := pcm(scale(pink(audio.Rate, rand.New(rand.NewPCG(2, 6))), -20))
	for b.Loop() {
		for i := 0; i+hop <= len(x); i += hop {
			d.Probability(x[i : i+hop])
		}
	}
}
