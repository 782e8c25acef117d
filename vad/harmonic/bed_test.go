package harmonic

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hearthd/audio"
	"hearthd/vad"
)

// say makes speech at audio.Rate with a Debian synthesiser, trimmed to where it
// sounds.
func say(t testing.TB, voice, text string) []float64 {
	t.Helper()
	out := filepath.Join(t.TempDir(), "say.wav")
	argv := []string{"flite", "-voice", voice, "-t", text, "-o", out}
	if voice == "espeak" {
		argv = []string{"espeak-ng", "-v", "en-gb", "-w", out, text}
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		t.Skipf("%s is not installed; packaging/deps.sh installs it", argv[0])
	}
	if msg, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, msg)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	// Both write the canonical 44-byte header: rate at 24, samples from 44.
	rate := int(binary.LittleEndian.Uint32(b[24:]))
	x := make([]float64, (len(b)-44)/2)
	for i := range x {
		x[i] = float64(int16(binary.LittleEndian.Uint16(b[44+2*i:]))) / 32768
	}
	return trim(resample(x, rate))
}

// resample converts x to audio.Rate with a windowed sinc, Hann, 16 zero crossings a side.
func resample(x []float64, rate int) []float64 {
	if rate == audio.Rate {
		return x
	}
	step := float64(rate) / audio.Rate
	cut := math.Min(1, 1/step)
	half := 16 / cut
	y := make([]float64, int(float64(len(x))/step))
	for i := range y {
		c := float64(i) * step
		for k := int(math.Ceil(c - half)); float64(k) <= c+half; k++ {
			if k < 0 || k >= len(x) {
				continue
			}
			d := float64(k) - c
			s := cut
			if d != 0 {
				s = math.Sin(math.Pi*cut*d) / (math.Pi * d)
			}
			y[i] += x[k] * s * (0.5 + 0.5*math.Cos(math.Pi*d/half))
		}
	}
	return y
}

// trim cuts x to the 10 ms frames within 40 dB of its loudest one.
func trim(x []float64) []float64 {
	var e []float64
	top := 0.0
	for i := 0; i+hop <= len(x); i += hop {
		v := power(x[i : i+hop])
		e = append(e, v)
		top = math.Max(top, v)
	}
	a, b := 0, len(e)
	for a < b && e[a] < top*1e-4 {
		a++
	}
	for b > a && e[b-1] < top*1e-4 {
		b--
	}
	return x[a*hop : b*hop]
}

func power(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return s / float64(max(1, len(x)))
}

// scale returns x at an RMS of dbfs.
func scale(x []float64, dbfs float64) []float64 {
	g := math.Pow(10, dbfs/20) / math.Sqrt(power(x)+1e-20)
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v * g
	}
	return y
}

// A generator makes n samples of a noise at any level.
type generator func(n int, r *rand.Rand) []float64

func white(n int, r *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// pink is Paul Kellet's refined filter, −3 dB per octave within 0.05 dB.
func pink(n int, r *rand.Rand) []float64 {
	var b [7]float64
	x := make([]float64, n)
	for i := range x {
		w := r.NormFloat64()
		b[0] = .99886*b[0] + w*.0555179
		b[1] = .99332*b[1] + w*.0750759
		b[2] = .96900*b[2] + w*.1538520
		b[3] = .86650*b[3] + w*.3104856
		b[4] = .55000*b[4] + w*.5329522
		b[5] = -.7616*b[5] - w*.0168980
		x[i] = b[0] + b[1] + b[2] + b[3] + b[4] + b[5] + b[6] + w*.5362
		b[6] = w * .115926
	}
	return x
}

// hum is a mains or motor hum with twelve harmonics.
func hum(f float64) generator {
	return func(n int, r *rand.Rand) []float64 {
		x := make([]float64, n)
		for h := 1; h <= 12; h++ {
			a, ph := 1/float64(h), r.Float64()*2*math.Pi
			for i := range x {
				x[i] += a * math.Sin(2*math.Pi*f*float64(h)*float64(i)/audio.Rate+ph)
			}
		}
		return x
	}
}

// tap is running water: noise through two resonances, its level wandering by
// some dB within tenths of a second, with bubbles, which are short chirps.
func tap(n int, r *rand.Rand) []float64 {
	w := white(n, r)
	x := make([]float64, n)
	var y1, y2, z1, z2, g float64
	for i := range x {
		y := w[i] + 1.5*y1 - 0.8*y2
		y1, y2 = y, y1
		z := w[i] + 0.6*z1 - 0.6*z2
		z1, z2 = z, z1
		g += 0.0005 * (r.NormFloat64()*8 - g)
		x[i] = (0.3*y + z) * math.Pow(10, g/20)
	}
	s := math.Sqrt(power(x))
	for i := 0; i < n; i += 1 + int(r.ExpFloat64()*0.03*audio.Rate) {
		f, d, a := 400+r.Float64()*1600, 0.003+r.Float64()*0.01, s*(0.5+1.5*r.Float64())
		for k := 0; k < audio.Rate/20 && i+k < n; k++ {
			t := float64(k) / audio.Rate
			x[i+k] += a * math.Exp(-t/d) * math.Sin(2*math.Pi*f*(1+3*t)*t)
		}
	}
	return x
}

// dishes is clatter: blows one to eight a second, in bursts, each a click that
// excites five to nine inharmonic modes which ring for 20 to 200 ms.
func dishes(n int, r *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := 0; i < n; {
		blow(x[i:], r)
		gap := 0.06 + r.ExpFloat64()*0.2
		if r.IntN(6) == 0 {
			gap += 1
		}
		i += int(gap * audio.Rate)
	}
	return x
}

func blow(x []float64, r *rand.Rand) {
	amp := math.Pow(10, -r.Float64()*20/20)
	for k := 0; k < 80 && k < len(x); k++ {
		x[k] += amp * r.NormFloat64() * math.Exp(-float64(k)/20)
	}
	base := 450 + 1800*r.Float64()
	for m := range 5 + r.IntN(5) {
		f := base * (1 + float64(m)*(0.4+0.8*r.Float64()))
		d, a := 0.02+0.18*r.Float64(), amp*(0.3+0.7*r.Float64())/float64(1+m)
		for k := 0; k < audio.Rate/2 && k < len(x) && f < 7800; k++ {
			t := float64(k) / audio.Rate
			x[k] += a * math.Exp(-t/d) * math.Sin(2*math.Pi*f*t)
		}
	}
}

// pcm converts to 16 bits, clipping.
func pcm(x []float64) []int16 {
	y := make([]int16, len(x))
	for i, v := range x {
		y[i] = int16(math.Max(-32768, math.Min(32767, math.Round(v*32768))))
	}
	return y
}

// segment runs samples through the detector and a Segmenter with the default
// options and returns what it said, frames left out, each with the position at
// which it said it.
func segment(t testing.TB, samples []int16) (said []vad.Signal, when []audio.Position) {
	t.Helper()
	s, err := vad.New(vad.DefaultOptions(), New())
	if err != nil {
		t.Fatal(err)
	}
	var f audio.Frame
	for i := 0; i+len(f) <= len(samples); i += len(f) {
		copy(f[:], samples[i:])
		s.Push(&f, audio.Position(i), func(g *vad.Signal) {
			if g.Kind != vad.Audio {
				said = append(said, *g)
				when = append(when, audio.Position(i+len(f)))
			}
		})
	}
	return said, when
}

// ends counts the utterances among the signals.
func ends(said []vad.Signal) (n int) {
	for _, g := range said {
		if g.Kind == vad.End {
			n++
		}
	}
	return n
}
