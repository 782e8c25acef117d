package bed

import (
	"math"
	"math/rand/v2"

	"hearthd/audio"
)

// Noise is a sound of the kitchen that nobody means as speech.
type Noise struct {
	Name string
	// Talk says that people speak in it: a detector of speech is right to hear
	// them, so it is left out of what detectors are scored on.
	Talk bool
	Make func(samples int, seed uint64) []float64 // at an RMS of 1
}

// Noises are what the bed is disturbed by. people are the voices of babble and
// television.
func Noises(people []Speech) []Noise {
	plain := func(name string, fill func([]float64, *rand.Rand)) Noise {
		return Noise{Name: name, Make: func(n int, seed uint64) []float64 {
			x := make([]float64, n)
			fill(x, rand.New(rand.NewPCG(seed, 0xbed)))
			return level(x, 0)
		}}
	}
	return []Noise{
		plain("dishes", dishes), plain("tap", tap), plain("frying", frying), plain("fan", fan),
		plain("appliances", appliances), plain("music", music),
		plain("babble", func(x []float64, r *rand.Rand) { babble(x, people, r) }),
		{Name: "television", Talk: true, Make: func(n int, seed uint64) []float64 {
			x := make([]float64, n)
			television(x, people, rand.New(rand.NewPCG(seed, 0xbed)))
			return level(x, 0)
		}},
	}
}

// level scales x in place to an RMS of db, in dB of full scale.
func level(x []float64, db float64) []float64 {
	g := math.Pow(10, db/20) / math.Sqrt(power(x)+1e-20)
	for i := range x {
		x[i] *= g
	}
	return x
}

// ring adds a decaying sine: seconds is the time to 1/e.
func ring(x []float64, hz, seconds, amp, phase float64) {
	n := min(len(x), int(7*seconds*audio.Rate))
	if hz >= audio.Rate/2 {
		return
	}
	// A two-pole resonator costs two multiplications a sample.
	fall := math.Exp(-1 / (seconds * audio.Rate))
	w := 2 * math.Pi * hz / audio.Rate
	a, b := 2*fall*math.Cos(w), fall*fall
	y1, y2 := amp*math.Sin(phase), amp*math.Sin(phase-w)/fall
	for i := range n {
		x[i] += y1
		y1, y2 = a*y1-b*y2, y1
	}
}

// plate are the ratios of the modes of a free circular plate (Fletcher and
// Rossing, The Physics of Musical Instruments, 2nd ed., table 3.1).
func plate() []float64 { return []float64{1, 1.73, 2.33, 3.91, 4.11, 6.30, 6.71} }

// dishes are plates and bowls that are stacked, and cutlery that falls and
// bounces.
func dishes(x []float64, r *rand.Rand) {
	for at := 0; at < len(x); at += int((0.15 + r.ExpFloat64()*0.45) * audio.Rate) {
		base := 500 * math.Pow(6, r.Float64()) // 0.5 to 3 kHz
		hits, gap, amp := 1, 0.0, math.Pow(10, -r.Float64())
		if r.IntN(3) == 0 { // it bounces
			hits, gap = 3+r.IntN(6), 0.05+0.08*r.Float64()
		}
		hit := at
		for range hits {
			if hit >= len(x) {
				break
			}
			strike(x[hit:], base, amp, r)
			hit += int(gap * audio.Rate)
			gap *= 0.75
			amp *= 0.7
		}
	}
}

func strike(x []float64, base, amp float64, r *rand.Rand) {
	damp := 0.02 + 0.2*r.Float64()*r.Float64()
	for _, ratio := range plate() {
		f := base * ratio * (1 + 0.02*r.NormFloat64())
		ring(x, f, damp/math.Sqrt(ratio), amp*(0.2+r.Float64()), 2*math.Pi*r.Float64())
	}
	for i := range min(len(x), 60) { // the blow itself
		x[i] += amp * r.NormFloat64() * math.Exp(-float64(i)/12)
	}
}

// tap is a jet, which hisses, and the bubbles that it makes: each rings at the
// frequency of its radius and rises as it reaches the surface (van den Doel 2005).
func tap(x []float64, r *rand.Rand) {
	hiss(x, 0.2, 900, 5200, r)
	for at := 0.0; int(at) < len(x); at += r.ExpFloat64() * audio.Rate / 500 {
		radius := math.Pow(10, -0.5+1.2*r.Float64())       // 0.3 to 5 mm
		f := 3000 / radius                                 // Minnaert
		damping := 130/radius + 228*math.Pow(radius, -1.5) // per second
		chirp(x[int(at):], f, 1/damping, math.Pow(radius, 1.5)*r.Float64()*0.2)
	}
	wander(x, 4, 0.4, r)
}

// chirp adds a sine that dies away and rises by a tenth meanwhile.
func chirp(x []float64, hz, seconds, amp float64) {
	if hz > 7000 {
		return
	}
	phase := 0.0
	for i := range min(len(x), int(5*min(seconds, 0.05)*audio.Rate)) {
		t := float64(i) / audio.Rate
		x[i] += amp * math.Exp(-t/seconds) * math.Sin(phase)
		phase += 2 * math.Pi * hz * (1 + 0.1*t/seconds) / audio.Rate
	}
}

// frying is a hail of tiny steam pops over a hiss.
func frying(x []float64, r *rand.Rand) {
	hiss(x, 0.05, 2500, 7500, r)
	for at := 0.0; int(at) < len(x); at += r.ExpFloat64() * audio.Rate / 300 {
		ring(x[int(at):], 1500+5500*r.Float64(), 0.0005+0.002*r.Float64(), math.Pow(r.Float64(), 6), 0)
	}
	wander(x, 3, 1.5, r)
}

// fan is an extractor hood: broad low noise, the tone of its blades and its motor.
func fan(x []float64, r *rand.Rand) {
	hiss(x, 1, 60, 900, r)
	hiss(x, 0.25, 900, 4000, r)
	blades := 90 + 60*r.Float64()
	for k, a := range []float64{0.5, 0.25, 0.1, 0.05} {
		tone(x, blades*float64(k+1), a, 0.002, r)
	}
	tone(x, 100, 0.2, 0, r)
}

// tone adds a sine whose frequency wavers by the fraction drift.
func tone(x []float64, hz, amp, drift float64, r *rand.Rand) {
	phase, off := 2*math.Pi*r.Float64(), 0.0
	for i := range x {
		off += 0.0002 * (r.NormFloat64()*drift*40 - off)
		x[i] += amp * math.Sin(phase)
		phase += 2 * math.Pi * hz * (1 + off) / audio.Rate
	}
}

// hiss adds white noise between two frequencies: two one-pole low-passes and a
// high-pass, as a hose and a hob have it, without corners.
func hiss(x []float64, amp, low, high float64, r *rand.Rand) {
	a, b := 1-math.Exp(-2*math.Pi*high/audio.Rate), 1-math.Exp(-2*math.Pi*low/audio.Rate)
	var y1, y2, z float64
	for i := range x {
		y1 += a * (r.NormFloat64() - y1)
		y2 += a * (y1 - y2)
		z += b * (y2 - z)
		x[i] += amp * (y2 - z)
	}
}

// wander lets the level of x come and go by some dB, with the time constant
// seconds.
func wander(x []float64, db, seconds float64, r *rand.Rand) {
	a := 1 / (seconds * audio.Rate)
	spread := db * math.Sqrt(2/a)
	g := 0.0
	for i := range x {
		g += a * (r.NormFloat64()*spread - g)
		x[i] *= math.Pow(10, g/20)
	}
}
