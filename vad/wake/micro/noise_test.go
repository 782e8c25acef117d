package micro

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// level is the root mean square of the loud tenths of a second: those within
// 20 dB of the loudest.
func level(pcm []int16) float64 {
	var power []float64
	for p := range slices.Chunk(pcm, 1600) {
		var e float64
		for _, v := range p {
			e += float64(v) * float64(v)
		}
		power = append(power, e/float64(len(p)))
	}
	var sum, n float64
	for _, p := range power {
		if p > slices.Max(power)/100 {
			sum += p
			n++
		}
	}
	return math.Sqrt(sum / n)
}

// white, pink (Paul Kellet's filter) and babble, which is eight voices: the clips
// backwards.
func white(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

func pink(r *rand.Rand, n int) []float64 {
	out := white(r, n)
	var a, b, c float64
	for i, w := range out {
		a = 0.99765*a + w*0.0990460
		b = 0.96300*b + w*0.2965164
		c = 0.57000*c + w*1.0526913
		out[i] = a + b + c + w*0.1848
	}
	return out
}

func babble(voices [][]int16) func(r *rand.Rand, n int) []float64 {
	return func(r *rand.Rand, n int) []float64 {
		out := make([]float64, n)
		for range 8 {
			v := voices[r.IntN(len(voices))]
			scale, at := 1/level(v), r.IntN(len(v))
			for i := range out {
				out[i] += scale * float64(v[len(v)-1-(at+i)%len(v)])
			}
		}
		return out
	}
}

// mix puts a second of noise before the clip, half a second after it, and noise
// of the given ratio in dB under all of it; gain is in dB too.
func mix(pcm []int16, noise []float64, snr, gain float64) []int16 {
	var power float64
	for _, v := range noise {
		power += v * v
	}
	scale := level(pcm) * math.Pow(10, -snr/20) / math.Sqrt(power/float64(len(noise)))
	g := math.Pow(10, gain/20)
	out := make([]int16, len(noise))
	for i := range out {
		v := noise[i] * scale
		if k := i - lead; k >= 0 && k < len(pcm) {
			v += float64(pcm[k])
		}
		out[i] = int16(max(-32768, min(32767, math.Round(v*g))))
	}
	return out
}

const (
	lead = 16000
	tail = 8000
)

// hears counts in how many clips of a word it is heard, of how many.
func hears(t *testing.T, change func(name string, pcm []int16) []int16) (heard, of int) {
	t.Helper()
	all := clips(t)
	for _, word := range []string{"okay_nabu", "hey_jarvis"} {
		s, err := New(models(t, word)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !strings.HasPrefix(name, word) {
				continue
			}
			of++
			s.Reset()
			if len(listen(s, change(name, all[name]))) > 0 {
				heard++
			}
		}
	}
	return heard, of
}

func TestWordsAreHeardInNoise(t *testing.T) {
	all := clips(t)
	var voices [][]int16
	for _, name := range slices.Sorted(maps.Keys(all)) {
		voices = append(voices, all[name])
	}
	kinds := []struct {
		name string
		make func(*rand.Rand, int) []float64
	}{{"white", white}, {"pink", pink}, {"babble", babble(voices)}}
	for _, snr := range []float64{20, 10, 5} {
		var heard, of int
		for _, k := range kinds {
			h, n := 0, 0
			for seed := range uint64(8) {
				a, b := hears(t, func(_ string, pcm []int16) []int16 {
					r := rand.New(rand.NewPCG(seed, 7))
					return mix(pcm, k.make(r, lead+len(pcm)+tail), snr, 0)
				})
				h += a
				n += b
			}
			t.Logf("%v dB %s: %d of %d", snr, k.name, h, n)
			heard += h
			of += n
		}
		// Issue 3 asks for 44 of 48 at 10 dB.
		if snr >= 10 && heard*48 < of*44 {
			t.Errorf("%v dB: %d of %d", snr, heard, of)
		}
	}
}

func TestGainChangesLittle(t *testing.T) {
	for gain := -30.0; gain <= 12; gain += 6 {
		heard, of := hears(t, func(_ string, pcm []int16) []int16 {
			r := rand.New(rand.NewPCG(3, 4))
			return mix(pcm, pink(r, lead+len(pcm)+tail), 30, gain)
		})
		t.Logf("%v dB: %d of %d", gain, heard, of)
		if gain >= -20 && gain <= 6 && heard < of {
			t.Errorf("%v dB: %d of %d", gain, heard, of)
		}
	}
}
