package cue

import (
	"math"
	"slices"
	"testing"
	"time"
)

var rates = []int{8000, 16000, 44100, 48000, 192000}

var all = []Cue{Listening, Done, Failed, Timer, Notice}

func TestEarconsKeepTheirLengthAndLevel(t *testing.T) {
	for _, rate := range rates {
		s := New(rate)
		for _, c := range all {
			limit := 300 * time.Millisecond
			if c == Timer {
				limit = 1200 * time.Millisecond
			}
			p := s.Samples(c)
			length := time.Duration(len(p)) * time.Second / time.Duration(rate)
			if length > limit || length < 100*time.Millisecond {
				t.Errorf("%v at %d lasts %v, limit %v", c, rate, length, limit)
			}
			loudest := max(int(slices.Max(p)), -int(slices.Min(p)))
			if db := 20 * math.Log10(float64(loudest)/32768); math.Abs(db+12) > 0.1 {
				t.Errorf("%v at %d peaks at %.1f dBFS, want -12", c, rate, db)
			}
		}
	}
}

// A click is a step: at the edges the first and the last millisecond must be
// next to nothing, and inside no sample may leave the last by more than the
// steepest of its tones does.
func TestEarconsDoNotClick(t *testing.T) {
	for _, rate := range rates {
		s := New(rate)
		for _, c := range all {
			p := s.Samples(c)
			edge := rate / 1000
			for i := range edge / 2 {
				if p[i] > peak/16 || p[i] < -peak/16 || p[len(p)-1-i] > peak/100 || p[len(p)-1-i] < -peak/100 {
					t.Errorf("%v at %d: edge sample %d is %d, from the end %d", c, rate, i, p[i], p[len(p)-1-i])
					break
				}
			}
			steepest := 0.0
			for _, n := range score(c) {
				steepest = max(steepest, 2*math.Pi*n.hz/float64(rate)*peak*1.8)
			}
			for i := 1; i < len(p); i++ {
				if d := math.Abs(float64(p[i]) - float64(p[i-1])); d > steepest {
					t.Errorf("%v at %d: sample %d jumps by %.0f, want at most %.0f", c, rate, i, d, steepest)
				}
			}
		}
	}
}

// pitch is the strongest of the tones that earcons use, in Hz.
func pitch(p []int16, rate int) float64 {
	best, at := 0.0, 0.0
	for hz := 200.0; hz < 1700; hz += 5 {
		var re, im float64
		for i, v := range p {
			sin, cos := math.Sincos(2 * math.Pi * hz * float64(i) / float64(rate))
			re, im = re+float64(v)*cos, im+float64(v)*sin
		}
		if e := re*re + im*im; e > best {
			best, at = e, hz
		}
	}
	return at
}

// The contour is what tells them apart: how the pitch goes from the first
// quarter to the last third.
func TestEarconsDifferInTheirContour(t *testing.T) {
	const rate = 16000
	s := New(rate)
	ratio := func(c Cue) float64 {
		p := s.Samples(c)
		if c == Timer {
			p = p[:rate*550/1000] // the first of its two calls
		}
		first, last := pitch(p[:len(p)/4], rate), pitch(p[len(p)*2/3:], rate)
		t.Logf("%v: %.0f to %.0f Hz", c, first, last)
		return last / first
	}
	if r := ratio(Listening); r < 1.4 {
		t.Errorf("Listening goes by %.2f, want up", r)
	}
	if r := ratio(Done); r > 0.8 {
		t.Errorf("Done goes by %.2f, want down", r)
	}
	if r := ratio(Failed); r < 0.97 || r > 1.03 {
		t.Errorf("Failed goes by %.2f, want level", r)
	}
	if r := ratio(Timer); r < 1.4 {
		t.Errorf("Timer goes by %.2f, want up", r)
	}
}

func TestEarconsAreTheSameEveryTime(t *testing.T) {
	a, b := New(48000), New(48000)
	for i, c := range all {
		if !slices.Equal(a.Samples(c), b.Samples(c)) {
			t.Errorf("%v differs from run to run", c)
		}
		if i > 0 && slices.Equal(a.Samples(c), a.Samples(all[i-1])) {
			t.Errorf("%v is the same as %v", c, all[i-1])
		}
	}
	if a.Samples(-1) != nil || a.Samples(count) != nil {
		t.Error("an unknown cue has samples")
	}
}

func BenchmarkNew48000(b *testing.B) {
	for b.Loop() {
		New(48000)
	}
}
