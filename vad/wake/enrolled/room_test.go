package enrolled

import (
	"math"
	"math/rand/v2"
	"testing"

	"hearthd/audio"
)

// across is x as it is heard across a room: the direct sound, and 500 reflections
// within 0.4 s that have 64 times its energy.
func across(x []int16, seed uint64) []int16 {
	const length, count, energy = 0.4 * audio.Rate, 500, 64
	r := rand.New(rand.NewPCG(seed, 3))
	sum := make([]float64, len(x))
	for i, v := range x {
		sum[i] = float64(v)
	}
	for range count {
		at := r.IntN(length)
		gain := math.Pow(10, -3*float64(at)/length) * math.Sqrt(energy*6*math.Ln10/count) * r.NormFloat64()
		for i, v := range x[:len(x)-at] {
			sum[at+i] += gain * float64(v)
		}
	}
	y := make([]int16, len(x))
	for i, v := range sum {
		y[i] = int16(max(-32768, min(32767, v/4)))
	}
	return y
}

func TestWordIsFoundAcrossTheRoom(t *testing.T) {
	s := newSpotter(t, enrol(t, "hey hearth", madeUp...))
	for seed := range uint64(4) {
		for _, v := range []voice{{112, 1.1}, {107, 0.93}} {
			s.Reset()
			if found := hear(s, 0, silence(), across(chant(v, madeUp...), seed), silence()); len(found) != 1 {
				t.Errorf("room %d: found %v", seed, found)
			}
			if found := hear(s, 0, silence(), across(chant(v, other...), seed), silence()); found != nil {
				t.Errorf("room %d: found %v in another word", seed, found)
			}
		}
	}
}

// TestTailLeavesNoiseAndOnsets lets a sound begin in steady noise, go on, and die
// away.
func TestTailLeavesNoiseAndOnsets(t *testing.T) {
	var cut tail
	noise := powers{1, 1}
	levels := []float32{0, 100, 100, 100, 50, 25, 12}
	for i, sound := range levels {
		p := powers{1, 1 + sound}
		cut.cut(&p, &noise)
		if p[0] != 1 {
			t.Fatalf("hop %d: noise of 1 became %v", i, p[0])
		}
		want := 1 + sound
		if i > 1 {
			want = 1 + tailLeast*sound
		}
		if d := p[1] - want; d < -1e-3 || d > 1e-3 && i != 2 {
			t.Errorf("hop %d: %v, want %v", i, p[1], want)
		}
	}
}
