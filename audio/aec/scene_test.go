package aec

import (
	"math"
	"math/rand/v2"

	"hearthd/audio"
)

// babble is a voice that says nothing: pulses at a wandering pitch and noise in
// turns, through resonances that move with each syllable, 16 kHz, RMS -20 dBFS
// while it speaks, with a breath of half a second every few seconds.
func babble(seconds float64, pitch float64, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 7))
	x := make([]float64, int(seconds*audio.Rate))
	var phase float64
	var formants [3]resonance
	for at := 0; at < len(x); {
		n := audio.Rate/8 + r.IntN(audio.Rate/8)
		if r.IntN(12) == 0 {
			at += audio.Rate / 2
			continue
		}
		for i, hz := range []float64{300 + 500*r.Float64(), 900 + 1300*r.Float64(), 2400 + 1200*r.Float64()} {
			formants[i].tune(hz)
		}
		hissing, hz := r.IntN(4) == 0, pitch*(0.8+0.4*r.Float64())
		for i := 0; i < n && at < len(x); i, at = i+1, at+1 {
			v := 0.3 * r.NormFloat64()
			if !hissing {
				v *= 0.1
				if phase += hz / audio.Rate; phase >= 1 {
					phase--
					v += 4
				}
			}
			x[at] = mouth(&formants, v) * math.Sin(math.Pi*float64(i)/float64(n))
		}
	}
	speakUp(x)
	return x
}

// mouth is what a mouth of these resonances makes of v.
func mouth(formants *[3]resonance, v float64) float64 {
	y := 0.2 * v
	for j := range formants {
		y += formants[j].push(v) / float64(1+2*j)
	}
	return y
}

// speakUp makes x -20 dBFS on average while it is not silent.
func speakUp(x []float64) {
	sum, n := 0.0, 0
	for _, v := range x {
		if v != 0 {
			sum, n = sum+v*v, n+1
		}
	}
	scale(x, 0.1*math.Sqrt(float64(n)/sum))
}

func scale(x []float64, g float64) {
	for i := range x {
		x[i] *= g
	}
}

type resonance struct{ a, b, y1, y2 float64 }

func (r *resonance) tune(hz float64) {
	d := math.Exp(-math.Pi * 90 / audio.Rate)
	r.a, r.b = 2*d*math.Cos(2*math.Pi*hz/audio.Rate), -d*d
}

func (r *resonance) push(v float64) float64 {
	y := 0.1*v + r.a*r.y1 + r.b*r.y2
	r.y1, r.y2 = y, r.y1
	return y
}

// room is a way from a loudspeaker to a microphone.
type room struct {
	rt60   float64
	delay  int // samples
	drift  float64
	jump   int // samples more from jumpAt on
	jumpAt int
	level  float64 // dBFS of the echo
	drive  float64 // into the soft limit of the loudspeaker; 0 is 1.5
	seed   uint64
}

// echo is what the microphone hears of x: no bass, a soft limit, the direct
// sound, eight reflections and noise that dies away.
func (m room) echo(x []float64) []float64 {
	y := make([]float64, len(x))
	low, drive := 0.0, m.drive
	if drive == 0 {
		drive = 1.5
	}
	for i, v := range x {
		low += 0.07 * (v - low)
		y[i] = math.Tanh(drive*(v-low)) / drive
	}
	y = convolve(y, m.response())
	sum := 0.0
	for _, v := range y {
		sum += v * v
	}
	scale(y, math.Pow(10, m.level/20)/math.Sqrt(sum/float64(len(y))))
	out := make([]float64, len(y))
	for i := range y {
		delay := float64(m.delay)
		if m.jump != 0 && i >= m.jumpAt {
			delay += float64(m.jump)
		}
		out[i] = between(y, float64(i)*(1+m.drift)-delay)
	}
	return out
}

func (m room) response() []float64 {
	r := rand.New(rand.NewPCG(m.seed, 3))
	h := make([]float64, int(m.rt60*audio.Rate))
	for i := range h {
		t := float64(i) / audio.Rate
		h[i] = 0.03 * r.NormFloat64() * math.Exp(-6.9*t/m.rt60)
	}
	h[5] += 1
	for range 8 {
		h[20+r.IntN(300)] += 0.4 * r.NormFloat64()
	}
	return h
}

// convolve is x through h, as long as x.
func convolve(x, h []float64) []float64 {
	n := 1
	for n < len(h)*4 {
		n *= 2
	}
	t := newTransform(n)
	hs, xs, buf := make([]complex64, n/2+1), make([]complex64, n/2+1), make([]float32, n)
	for i, v := range h {
		buf[i] = float32(v)
	}
	t.Transform(hs, buf)
	y := make([]float64, len(x))
	step := n - len(h) + 1
	for at := 0; at < len(x); at += step {
		clear(buf)
		for i := range min(step, len(x)-at) {
			buf[i] = float32(x[at+i])
		}
		t.Transform(xs, buf)
		for k := range xs {
			xs[k] *= hs[k]
		}
		t.Inverse(buf, xs)
		for i := range min(n, len(x)-at) {
			y[at+i] += float64(buf[i])
		}
	}
	return y
}

// between is x at a place between two samples, by a windowed sinc.
func between(x []float64, at float64) float64 {
	const half = 16
	first := int(math.Floor(at))
	sum := 0.0
	for i := first - half + 1; i <= first+half; i++ {
		if i < 0 || i >= len(x) {
			continue
		}
		d := at - float64(i)
		w := math.Cos(math.Pi * d / (2 * half))
		if d != 0 {
			w *= w * math.Sin(math.Pi*d) / (math.Pi * d)
		}
		sum += w * x[i]
	}
	return sum
}

// scene is what a Canceller is given, in samples of ±32768, and of what it is made.
type scene struct {
	far          []float64
	echo, person []float64
	noise        []float64
}

// near is the sound at the microphone.
func (s *scene) near(i int) float64 {
	v := s.echo[i] + s.noise[i]
	if s.person != nil {
		v += s.person[i]
	}
	return v
}

// plays is a loudspeaker that says far in a room, with noise at -68 dBFS.
func plays(far []float64, m room) *scene {
	s := &scene{far: append([]float64(nil), far...), echo: m.echo(far), noise: make([]float64, len(far))}
	r := rand.New(rand.NewPCG(m.seed, 5))
	for i := range s.noise {
		s.noise[i] = 13 * r.NormFloat64()
	}
	scale(s.far, 32768)
	scale(s.echo, 32768)
	return s
}

// result is what came of a scene.
type result struct {
	out      []float64 // in step with the near end
	readings []Reading // after each frame
}

func (s *scene) run(c *Canceller) *result {
	res := &result{out: make([]float64, len(s.far))}
	var out audio.Frame
	s.each(func(near, far *audio.Frame, at int) {
		c.Process(near, far, &out)
		for i, v := range out {
			if j := at + i - int(Latency); j >= 0 {
				res.out[j] = float64(v)
			}
		}
		res.readings = append(res.readings, c.Reading())
	})
	return res
}

// each hands out the frames, which begin at sample at.
func (s *scene) each(push func(near, far *audio.Frame, at int)) {
	var near, far audio.Frame
	for at := 0; at+audio.FrameSamples <= len(s.far); at += audio.FrameSamples {
		for i := range near {
			near[i], far[i] = round(s.near(at+i)), round(s.far[at+i])
		}
		push(&near, &far, at)
	}
}

func round(v float64) int16 { return int16(math.Round(max(min(v, 32767), -32768))) }

// erle is by how many dB out is softer than the echo from second from to second
// to, person and all.
func (s *scene) erle(out []float64, from, to float64) float64 {
	a, b := int(from*audio.Rate), min(int(to*audio.Rate), len(out)-int(Latency))
	var in, left float64
	for i := a; i < b; i++ {
		v := out[i]
		if s.person != nil {
			v -= s.person[i]
		}
		in, left = in+s.echo[i]*s.echo[i], left+v*v
	}
	return 10 * math.Log10(in/left)
}
