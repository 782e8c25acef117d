package audio

import (
	"math"
	"testing"
)

func TestGainFollowsTheCubicLaw(t *testing.T) {
	for percent, want := range map[int]int16{-5: 0, 0: 0, 10: 10, 50: 1250, 100: 10000, 130: 10000} {
		out := make([]int16, 1)
		newGain(percent).apply(out, []int32{10000}, 48000)
		if out[0] != want {
			t.Errorf("10000 at %d %% is %d, want %d", percent, out[0], want)
		}
	}
}

func TestGainSaturatesInsteadOfWrapping(t *testing.T) {
	out := make([]int16, 6)
	newGain(100).apply(out, []int32{40000, -40000, 65534, -65536, 32767, -32768}, 48000)
	for i, want := range []int16{32767, -32768, 32767, -32768, 32767, -32768} {
		if out[i] != want {
			t.Errorf("sample %d is %d, want %d", i, out[i], want)
		}
	}
}

func TestGainIsExactAtFullVolume(t *testing.T) {
	g := newGain(100)
	for v := int32(math.MinInt16); v <= math.MaxInt16; v++ {
		out := make([]int16, 1)
		if g.apply(out, []int32{v}, 48000); int32(out[0]) != v {
			t.Fatalf("%d became %d", v, out[0])
		}
	}
}

func TestGainRampsOverFewMilliseconds(t *testing.T) {
	const rate = 48000
	g := newGain(100)
	in := make([]int32, rate/100)
	for i := range in {
		in[i] = 20000
	}
	out := make([]int16, len(in))
	g.Set(0)
	g.apply(out[:100], in[:100], rate) // a ramp goes on across calls
	g.apply(out[100:], in[100:], rate)
	last := int16(20000)
	for i, v := range out {
		if step := last - v; step < 0 || step > 100 {
			t.Fatalf("sample %d falls by %d, want at most 20000/240 and never up", i, step)
		}
		last = v
	}
	if out[0] == 0 || out[240] != 0 {
		t.Errorf("first sample %d, sample 240 %d; want a ramp of 5 ms to 0", out[0], out[240])
	}
}

func BenchmarkGainFrame(b *testing.B) {
	g, in, out := newGain(70), make([]int32, 960), make([]int16, 960)
	for i := range in {
		in[i] = int32(i * 30)
	}
	for b.Loop() {
		g.apply(out, in, 48000)
	}
}
