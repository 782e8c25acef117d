package neural

import (
	"bufio"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"hearthd/vad"
)

var _ vad.Detector = (*Detector)(nil)

func newDetector(tb testing.TB) *Detector {
	tb.Helper()
	d, err := New()
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// rateAll is the probability of each frame of x.
func rateAll(d *Detector, x []int16) []float32 {
	var list []float32
	for n := d.FrameSamples(); len(x) >= n; x = x[n:] {
		list = append(list, d.Probability(x[:n]))
	}
	return list
}

// golden is the signal of train/export.py: 4 s of noise and saw teeth, of
// integers only.
func golden() []int16 {
	x := make([]int16, 64000)
	state, phase := 12345, 0
	for i := range x {
		state = (state*1103515245 + 12345) % (1 << 31)
		noise := (state>>16)%2001 - 1000
		part := i / 16000
		phase = (phase + 400 + 300*(i/1600%5) + i%16000/80) % 65536
		tooth := 0
		if i/2400%3 > 0 {
			tooth = phase - 32768
		}
		v := noise*[]int{1, 3, 1, 8}[part] + floorDiv(tooth*[]int{0, 9, 3, 12}[part], 2)
		x[i] = int16(max(-32768, min(32767, floorDiv(v, []int{8, 20, 200, 12}[part]))))
	}
	return x
}

// floorDiv rounds down, as Python does.
func floorDiv(a, b int) int { return int(math.Floor(float64(a) / float64(b))) }

func TestProbabilitiesAreThoseOfTheReference(t *testing.T) {
	file, err := os.Open("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var want []float64
	for s := bufio.NewScanner(file); s.Scan(); {
		v, err := strconv.ParseFloat(s.Text(), 64)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, v)
	}
	got := rateAll(newDetector(t), golden())
	if len(got) != len(want) {
		t.Fatalf("%d probabilities, want %d", len(got), len(want))
	}
	worst := 0.0
	for i := range got {
		d := math.Abs(float64(got[i]) - want[i])
		worst = max(worst, d)
		if d > 1e-3 {
			t.Errorf("frame %d: %.5f, the reference says %.5f", i, got[i], want[i])
		}
	}
	t.Logf("largest difference %.1e", worst)
}

func TestResetForgetsTheStream(t *testing.T) {
	d := newDetector(t)
	x := golden()
	first := rateAll(d, x)
	d.Reset()
	for i, p := range rateAll(d, x) {
		if p != first[i] {
			t.Fatalf("frame %d: %v after Reset, %v at first", i, p, first[i])
		}
	}
}

func TestProbabilityAllocatesNothing(t *testing.T) {
	d := newDetector(t)
	x := golden()[20000:][:d.FrameSamples()]
	if n := testing.AllocsPerRun(20, func() { d.Probability(x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkProbability(b *testing.B) {
	d := newDetector(b)
	x := golden()
	n := d.FrameSamples()
	at := 0
	for b.Loop() {
		d.Probability(x[at : at+n])
		at = (at + n) % len(x)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1e3/float64(b.N)*rate/float64(n), "ms/s")
}

// quiet is 5 s of a sound that is no speech, given sample by sample.
func quiet(sound func(i int, r *rand.Rand) float64) []int16 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]int16, 5*rate)
	for i := range x {
		x[i] = sample(sound(i, r))
	}
	return x
}

// sample is v, full scale 1, as a converter gives it.
func sample(v float64) int16 { return int16(max(-32768, min(32767, 32768*v))) }

func TestWhatIsNoSpeechStaysBelowTheThreshold(t *testing.T) {
	for name, x := range map[string][]int16{
		"digital silence": quiet(func(int, *rand.Rand) float64 { return 0 }),
		"soft hiss":       quiet(func(_ int, r *rand.Rand) float64 { return 0.001 * r.NormFloat64() }),
		"loud hiss":       quiet(func(_ int, r *rand.Rand) float64 { return 0.1 * r.NormFloat64() }),
		"mains hum": quiet(func(i int, _ *rand.Rand) float64 {
			return 0.02 * math.Sin(2*math.Pi*50*float64(i)/rate)
		}),
		"clicks": quiet(func(i int, r *rand.Rand) float64 {
			return 0.5*r.NormFloat64()*math.Exp(-float64(i%8000)/20) + 0.0005*r.NormFloat64()
		}),
	} {
		above, worst := 0, float32(0)
		for _, p := range rateAll(newDetector(t), x) {
			worst = max(worst, p)
			if p > 0.5 {
				above++
			}
		}
		t.Logf("%s: highest %.3f, %d frames above 0.5", name, worst, above)
		if above > 2 { // the stream begins out of nothing
			t.Errorf("%s: %d frames are speech", name, above)
		}
	}
}

// spoken is a sentence of espeak-ng, at 16 kHz with a second of silence around
// it.
func spoken(t *testing.T) []float64 {
	t.Helper()
	wav, err := exec.Command("espeak-ng", "-v", "en-us", "-s", "150", "--stdout",
		"Set a timer for ten minutes, and tell me when the water boils.").Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("espeak-ng is not installed; packaging/deps.sh installs it")
	}
	if err != nil || len(wav) < 44 {
		t.Fatalf("espeak-ng: %d bytes, %v", len(wav), err)
	}
	from := int(binary.LittleEndian.Uint32(wav[24:]))
	body := wav[44:]
	x := make([]float64, rate)
	for i := 0; ; i++ {
		at := float64(i) * float64(from) / rate
		k := int(at)
		if 2*k+4 > len(body) {
			break
		}
		a := float64(int16(binary.LittleEndian.Uint16(body[2*k:])))
		b := float64(int16(binary.LittleEndian.Uint16(body[2*k+2:])))
		x = append(x, (a+(at-float64(k))*(b-a))/32768)
	}
	return append(x, make([]float64, rate)...)
}

func TestSpeechIsHeardAtAnyLevel(t *testing.T) {
	x := spoken(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, db := range []float64{0, -10, -20, -30} {
		y := make([]int16, len(x))
		gain := math.Pow(10, db/20)
		for i, v := range x {
			y[i] = sample(gain * (v + 0.0005*r.NormFloat64()))
		}
		p := rateAll(newDetector(t), y)
		inside, above := 0, 0
		for i := 60; i < len(p)-60; i++ {
			inside++
			if p[i] > 0.5 {
				above++
			}
		}
		t.Logf("%.0f dB: %d of %d frames", db, above, inside)
		if 4*above < 3*inside {
			t.Errorf("at %.0f dB %d of %d frames are speech", db, above, inside)
		}
		for i, v := range p[len(p)-25:] {
			if v > 0.35 {
				t.Errorf("at %.0f dB, %d ms after the end: %.2f", db, 500+20*i, v)
				break
			}
		}
	}
}
