package audio

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var ratePairs = []struct{ from, to int }{
	{48000, 16000}, {44100, 16000}, {22050, 48000}, {16000, 48000}, {24000, 48000}, {48000, 44100},
	{48000, 24000}, {24000, 16000}, {22050, 16000}, {192000, 8000}, {8000, 192000},
}

const toneAmplitude = 32000.0

func newResampler(t testing.TB, from, to int) *Resampler {
	t.Helper()
	r, err := NewResampler(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tone(hz float64, rate, n int) []int16 {
	p := make([]int16, n)
	for i := range p {
		p[i] = int16(math.Round(toneAmplitude * math.Sin(2*math.Pi*hz*float64(i)/float64(rate))))
	}
	return p
}

// split fits a sine of hz to p by least squares and returns its level and that
// of everything else, in dB of the test tone.
func split(p []int16, hz float64, rate int) (fit, rest float64) {
	var ss, cc, sc, ps, pc, pp float64
	for i, v := range p {
		sin, cos := math.Sincos(2 * math.Pi * hz * float64(i) / float64(rate))
		y := float64(v) / toneAmplitude
		ss, cc, sc = ss+sin*sin, cc+cos*cos, sc+sin*cos
		ps, pc, pp = ps+y*sin, pc+y*cos, pp+y*y
	}
	det := ss*cc - sc*sc
	a, b := (ps*cc-pc*sc)/det, (pc*ss-ps*sc)/det
	explained := a*ps + b*pc
	full := float64(len(p)) / 2
	return 10 * math.Log10(explained/full), 10 * math.Log10(max(pp-explained, 1e-30)/full)
}

// resampled runs a tone through and cuts off the filter's run-in and the start.
func resampled(t *testing.T, from, to int, hz float64) []int16 {
	r := newResampler(t, from, to)
	out := r.Process(nil, tone(hz, from, from/8))
	return out[to/50:]
}

func TestResamplerPassesItsBandAndMakesNoImages(t *testing.T) {
	for _, p := range ratePairs {
		ripple, image := 0.0, math.Inf(-1)
		edge := 0.43 * float64(min(p.from, p.to))
		for k := range 15 {
			hz := 60 + (edge-60)*float64(k)/14
			fit, rest := split(resampled(t, p.from, p.to, hz), hz, p.to)
			ripple, image = max(ripple, math.Abs(fit)), max(image, rest)
		}
		t.Logf("%d to %d: ripple %.2f dB, images and noise %.1f dB", p.from, p.to, ripple, image)
		if ripple > 0.5 {
			t.Errorf("%d to %d: ripple %.2f dB, want at most 0.5", p.from, p.to, ripple)
		}
		if image > -80 {
			t.Errorf("%d to %d: images at %.1f dB, want below -80", p.from, p.to, image)
		}
	}
}

func TestResamplerRejectsWhatIsAboveTheNewNyquist(t *testing.T) {
	for _, p := range ratePairs {
		low, high := float64(p.to)/2, float64(p.from)/2
		if low >= high {
			continue
		}
		worst, at := math.Inf(-1), 0.0
		for k := range 40 {
			// Denser near the edge, where the side lobes are highest.
			x := float64(k) / 40
			hz := low + 1 + (high-low-2)*x*x
			var sum float64
			out := resampled(t, p.from, p.to, hz)
			for _, v := range out {
				sum += float64(v) * float64(v)
			}
			level := 10 * math.Log10(max(sum, 1e-30)/float64(len(out))/(toneAmplitude*toneAmplitude/2))
			if level > worst {
				worst, at = level, hz
			}
		}
		t.Logf("%d to %d: worst alias %.1f dB at %.0f Hz", p.from, p.to, worst, at)
		if worst > -80 {
			t.Errorf("%d to %d: alias of %.0f Hz at %.1f dB, want below -80", p.from, p.to, at, worst)
		}
	}
}

// A tone just below the old Nyquist makes an image just above it: the sharpest
// case of converting up.
func TestResamplerSuppressesTheImageNextToTheOldNyquist(t *testing.T) {
	for _, p := range ratePairs {
		if p.from >= p.to {
			continue
		}
		hz := 0.499 * float64(p.from)
		_, rest := split(resampled(t, p.from, p.to, hz), hz, p.to)
		if rest > -80 {
			t.Errorf("%d to %d: image of %.0f Hz at %.1f dB, want below -80", p.from, p.to, hz, rest)
		}
	}
}

func TestResamplerGivesTheSameWhateverTheBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range ratePairs {
		src := make([]int16, 9000)
		for i := range src {
			src[i] = int16(rng.IntN(1 << 16))
		}
		whole := newResampler(t, p.from, p.to)
		want := whole.Flush(whole.Process(nil, src))
		r := newResampler(t, p.from, p.to)
		var got []int16
		for rest := src; len(rest) > 0; {
			n := min(1+rng.IntN(700), len(rest))
			got, rest = r.Process(got, rest[:n]), rest[n:]
		}
		if got = r.Flush(got); !slices.Equal(got, want) {
			t.Errorf("%d to %d: blocks change the result", p.from, p.to)
		}
		// Flush has reset it: the same again.
		if again := r.Flush(r.Process(nil, src)); !slices.Equal(again, want) {
			t.Errorf("%d to %d: Flush leaves something behind", p.from, p.to)
		}
		length := (len(src) + r.taps/2) * p.to / p.from
		if d := len(want) - length; d < -1 || d > 1 {
			t.Errorf("%d to %d: %d samples of %d and the tail, want %d", p.from, p.to, len(want), len(src), length)
		}
	}
}

func TestResamplerDelaysAsItSays(t *testing.T) {
	for _, p := range ratePairs {
		r := newResampler(t, p.from, p.to)
		src := make([]int16, p.from/10)
		src[0] = 30000
		var weighted, sum float64 // centre of the energy of the answer to one pulse
		for i, v := range r.Process(nil, src) {
			e := float64(v) * float64(v)
			weighted, sum = weighted+e*float64(i), sum+e
		}
		got := time.Duration(weighted / sum / float64(p.to) * float64(time.Second))
		if d := (got - delay(r, p.from)).Abs(); d > time.Second/time.Duration(4*min(p.from, p.to)) {
			t.Errorf("%d to %d: Delay %v, measured %v", p.from, p.to, delay(r, p.from), got)
		}
	}
}

func TestResamplerCopiesBetweenEqualRates(t *testing.T) {
	r := newResampler(t, 16000, 16000)
	src := []int16{1, -2, 32767, -32768}
	if got := r.Process(nil, src); !slices.Equal(got, src) || delay(r, 16000) != 0 || len(r.Flush(nil)) != 0 {
		t.Errorf("got %v with delay %v", got, delay(r, 16000))
	}
}

func TestResamplerSaturatesOvershoot(t *testing.T) {
	r := newResampler(t, 48000, 16000)
	src := make([]int16, 4800)
	for i := range src {
		src[i] = 32767
		if i/30%2 == 1 {
			src[i] = -32768
		}
	}
	out := r.Process(nil, src)
	if slices.Max(out) != 32767 || slices.Min(out) != -32768 {
		t.Errorf("square wave became %d..%d, want it held at full scale", slices.Min(out), slices.Max(out))
	}
	for i := 1; i < len(out); i++ { // a wrapped sample would jump by more than full scale
		if d := int(out[i]) - int(out[i-1]); d > 65535 || d < -65535 {
			t.Fatalf("sample %d jumps by %d", i, d)
		}
	}
}

func TestResamplerRefusesWhatIsOutOfBounds(t *testing.T) {
	for _, p := range [][2]int{{0, 16000}, {16000, 0}, {-8000, 16000}, {7999, 16000}, {16000, 192001}, {44099, 48000}} {
		if _, err := NewResampler(p[0], p[1]); err == nil {
			t.Errorf("%d to %d: no error", p[0], p[1])
		}
	}
}

func TestResamplerProcessesWithoutAllocating(t *testing.T) {
	r := newResampler(t, 48000, 16000)
	src, dst := make([]int16, 960), make([]int16, 0, 400)
	if n := testing.AllocsPerRun(50, func() { dst = r.Process(dst[:0], src) }); n != 0 {
		t.Errorf("%v allocations per frame, want 0: this is on the sample path", n)
	}
}

func BenchmarkResampler(b *testing.B) {
	for _, p := range ratePairs {
		b.Run(fmt.Sprintf("%dto%d", p.from, p.to), func(b *testing.B) {
			r := newResampler(b, p.from, p.to)
			src, dst := tone(1000, p.from, p.from/50), make([]int16, 0, p.to/50+2)
			for b.Loop() {
				dst = r.Process(dst[:0], src)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/(float64(b.N)/50), "ms/s-audio")
		})
	}
}

func BenchmarkNewResampler44100to16000(b *testing.B) {
	for b.Loop() {
		newResampler(b, 44100, 16000)
	}
}

// delay is how much later than its input the output is: about 2 ms between
// 48 kHz and 16 kHz, nothing between equal rates.
func delay(r *Resampler, from int) time.Duration {
	if r.taps == 0 {
		return 0
	}
	// Half the filter, whose steps are 1/up of an input sample.
	steps := time.Duration(r.taps*r.up - 1)
	return steps * time.Second / (2 * time.Duration(r.up) * time.Duration(from))
}
