package player

import (
	"math/rand/v2"
	"testing"
)

// paced sends a ramp in bursts of 50 ms to a card of another speed, which takes 10 ms at a time, and says how much
// waits after each second.
func paced(t *testing.T, fast float64, seconds int) (waiting []float64) {
	t.Helper()
	const hz, want = 48000, 5760
	p := pacer{rate: hz, want: want}
	queue, taken, sum, next := 0, 0.0, 0, 0
	for ms := range seconds * 1000 {
		if ms == next {
			next = ms - ms%50 + 50 + rand.IntN(10)
			for range 5 {
				queue += len(p.fit(make([]int16, hz/100), queue))
			}
		}
		if ms%10 == 0 {
			if taken += hz / 100 * (1 + fast); queue > 0 {
				queue = max(queue-int(taken), 0)
			}
			taken -= float64(int(taken))
		}
		if sum += queue; ms%1000 == 999 {
			waiting = append(waiting, float64(sum)/1000)
			sum = 0
		}
	}
	return waiting
}

func TestWhatComesAtItsOwnPaceStaysAsFarBehind(t *testing.T) {
	for _, fast := range []float64{0, 300e-6, -300e-6} {
		list := paced(t, fast, 600)
		low, high := list[30], list[30]
		for _, w := range list[30:] {
			low, high = min(low, w), max(high, w)
		}
		if low < 4000 || high > 7500 {
			t.Errorf("a card that is %v faster has %v to %v samples waiting", fast, low, high)
		}
	}
}

func TestWhatWasHeldIsThrownAwayAndNotHeardLate(t *testing.T) {
	p := pacer{rate: 48000, want: 5760}
	queue := 0
	for range 500 { // ten seconds in which the track stands
		queue += len(p.fit(make([]int16, 960), queue))
	}
	if queue > 2*5760+960 {
		t.Errorf("%d samples wait after a pause", queue)
	}
	for i := range 100 {
		queue = max(queue-960, 0)
		queue += len(p.fit(make([]int16, 960), queue))
		if i > 20 && queue > 5760+960 {
			t.Fatalf("%d samples wait long after a pause", queue)
		}
	}
}

func TestABlockIsStretchedAlongALine(t *testing.T) {
	some := make([]int16, 960)
	for i := range some {
		some[i] = int16(10 * i)
	}
	var p pacer
	for _, n := range []int{956, 960, 964} {
		out := p.stretch(some, n)
		if len(out) != n || out[0] != 0 || out[n-1] != 9590 {
			t.Errorf("%d samples from %d to %d, want %d", len(out), out[0], out[len(out)-1], n)
		}
		for i := 1; i < n; i++ {
			if d := out[i] - out[i-1]; d < 9 || d > 11 {
				t.Fatalf("a jump of %d", d)
			}
		}
	}
}
