package hearing

import (
	"math"
	"math/rand/v2"
	"testing"

	"hearthd/audio"
	"hearthd/audio/cue"
	"hearthd/rigs/hearing/bed"
	"hearthd/vad/neural"
)

// Nothing is held back while an earcon sounds, so that who answers it at once is heard;
// the detector has to know it from a voice without the help of a canceller, loud and
// soft, in a kitchen, and through a loudspeaker that is driven too hard.
func TestNoEarconIsTakenForAVoice(t *testing.T) {
	set := cue.New(audio.Rate)
	beside := bed.Kitchen().Response([3]float64{1, 1, 1}, [3]float64{1.13, 1, 1}, 3)
	ways := map[string]func([]float64) []float64{
		"dry":     func(x []float64) []float64 { return x },
		"kitchen": func(x []float64) []float64 { return bed.Convolve(bed.Loudspeaker(x), beside) },
		"driven": func(x []float64) []float64 {
			const peak = 0.16 // 4 dB under that of the earcons
			for i := range x {
				x[i] = max(-peak, min(peak, x[i]))
			}
			return bed.Convolve(bed.Loudspeaker(x), beside)
		},
	}
	for c := cue.Listening; set.Samples(c) != nil; c++ {
		for name, way := range ways {
			for _, peak := range []float64{-6, -20, -40} {
				x := make([]float64, 3*audio.Rate)
				for i, v := range set.Samples(c) {
					x[audio.Rate+i] = float64(v) / -math.MinInt16
				}
				if p := likest(t, way(x), peak); p >= 0.35 { // where the gate lets go
					t.Errorf("%v, %s, at %v dBFS: %.2f", c, name, peak, p)
				}
			}
		}
	}
}

// likest is what the detector rates highest of x, at a peak in dBFS over the noise of a
// cheap microphone.
func likest(t *testing.T, x []float64, peak float64) (most float32) {
	t.Helper()
	det, err := neural.New()
	if err != nil {
		t.Fatal(err)
	}
	loudest := 0.0
	for _, v := range x {
		loudest = max(loudest, math.Abs(v))
	}
	gain, r := math.Pow(10, peak/20)/loudest, rand.New(rand.NewPCG(1, 2))
	frame := make([]int16, det.FrameSamples())
	for len(x) >= len(frame) {
		for i := range frame {
			frame[i] = bed.Sample(x[i]*gain + 8e-4*r.NormFloat64())
		}
		most, x = max(most, det.Probability(frame)), x[len(frame):]
	}
	return most
}
