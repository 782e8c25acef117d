package bed

import (
	"math"
	"math/rand/v2"

	"hearthd/audio"
)

// appliances beep, whistle, buzz, and are pushed across the floor.
func appliances(x []float64, r *rand.Rand) {
	hiss(x, 0.02, 50, 400, r)
	for at := audio.Rate / 2; at < len(x); at += int((1 + 2*r.Float64()) * audio.Rate) {
		rest := x[at:]
		switch r.IntN(5) {
		case 0: // an oven that is ready
			f := 900 + 1600*r.Float64()
			for k := range 3 + r.IntN(3) {
				beep(span(rest, float64(k)*0.4, 0.18), f)
			}
		case 1: // a kettle, rising
			whistle(span(rest, 0, 1+r.Float64()), 1200+800*r.Float64(), r)
		case 2: // a chair: stick and slip
			scrape(span(rest, 0, 0.3+0.5*r.Float64()), 90+150*r.Float64(), r)
		case 3: // a mixer
			motor(span(rest, 0, 1+r.Float64()), 130+120*r.Float64(), r)
		case 4: // a door
			ring(rest, 70+40*r.Float64(), 0.06, 2, 0)
			strike(rest, 220, 0.5, r)
		}
	}
}

// span is the stretch of x from a second on.
func span(x []float64, from, seconds float64) []float64 {
	a := min(len(x), int(from*audio.Rate))
	return x[a:min(len(x), a+int(seconds*audio.Rate))]
}

func beep(x []float64, hz float64) {
	for i := range x {
		edge := math.Min(1, math.Min(float64(i), float64(len(x)-i))/80)
		s := math.Sin(2 * math.Pi * hz * float64(i) / audio.Rate)
		x[i] += 0.4 * edge * (s + 0.3*s*s*s)
	}
}

func whistle(x []float64, hz float64, r *rand.Rand) {
	phase := 0.0
	for i := range x {
		u := float64(i) / float64(len(x))
		x[i] += 0.4 * u * (math.Sin(phase) + 0.2*r.NormFloat64())
		phase += 2 * math.Pi * hz * (1 + 0.3*u + 0.01*math.Sin(float64(i)/400)) / audio.Rate
	}
}

// scrape is a row of slips at hz, irregular, through the resonance of the floor.
func scrape(x []float64, hz float64, r *rand.Rand) {
	for at := 0.0; int(at) < len(x); at += audio.Rate / hz * (0.9 + 0.2*r.Float64()) {
		ring(x[int(at):], 300+40*r.NormFloat64(), 0.006, 0.6, 0)
		ring(x[int(at):], 1100+100*r.NormFloat64(), 0.003, 0.4, 0)
	}
}

func motor(x []float64, hz float64, r *rand.Rand) {
	for k := 1; k <= 14; k++ {
		tone(x, hz*float64(k), 0.3/math.Sqrt(float64(k)), 0.004, r)
	}
	hiss(x, 0.6, 500, 5000, r)
}

// music is a band of frequency-modulated tones (Chowning 1973): bass, chords, a
// lead with the vibrato of a singer, and drums, at 84 to 132 beats a minute.
func music(x []float64, r *rand.Rand) {
	beat := int(60.0 / (84 + 48*r.Float64()) * audio.Rate)
	scale := []int{0, 2, 4, 5, 7, 9, 11}
	hz := func(degree, octave int) float64 {
		return 220 * math.Pow(2, float64(octave)+float64(scale[((degree%7)+7)%7])/12)
	}
	for n, at := 0, 0; at < len(x); n, at = n+1, at+beat {
		root := []int{0, 5, 3, 4}[n/4%4]
		if n%4 == 0 {
			for _, third := range []int{0, 2, 4} {
				pluck(x[at:], hz(root+third, 0), 4*beat, 0.25, 2, 1.2, 0, r)
			}
		}
		pluck(x[at:], hz(root, -2), beat, 0.6, 1, 1.5, 0, r)
		for half := range 2 {
			if start := at + half*beat/2; start < len(x) && r.IntN(4) > 0 {
				pluck(x[start:], hz(root+r.IntN(7), 1), beat, 0.35, 1, 2.5, 0.012, r)
			}
		}
		ring(x[at:], 55, 0.08, []float64{1.2, 0, 1.2, 0}[n%4], math.Pi/2)
		snare := x[min(len(x), at+beat/2):]
		for i := range min(len(snare), 1200) {
			snare[i] += 0.3 * r.NormFloat64() * math.Exp(-float64(i)/250)
		}
	}
}

// pluck adds a note of two operators; vibrato is a fraction of the pitch.
func pluck(x []float64, hz float64, n int, amp, ratio, index, vibrato float64, r *rand.Rand) {
	phase, shake := 0.0, 5+r.Float64()
	for i := range min(len(x), n) {
		t := float64(i) / audio.Rate
		edge := math.Min(1, float64(i)/200) * math.Exp(-1.5*t) * math.Min(1, float64(n-i)/400)
		x[i] += amp * edge * math.Sin(phase+index*math.Exp(-2*t)*math.Sin(ratio*phase))
		phase += 2 * math.Pi * hz * (1 + vibrato*math.Sin(2*math.Pi*shake*t)) / audio.Rate
	}
}

// babble is nine people at once, none of whom can be made out.
func babble(x []float64, people []Speech, r *rand.Rand) {
	for range 9 {
		talk(x, people, 0.2, r)
	}
}

// talk lets one of the people speak from here to the end of x, sentence after
// sentence with pauses of about gap seconds.
func talk(x []float64, people []Speech, gap float64, r *rand.Rand) {
	for at := r.IntN(audio.Rate); at < len(x); {
		s := people[r.IntN(len(people))].Sound
		g := 0.1 / math.Sqrt(power(s))
		for i := range min(len(s), len(x)-at) {
			x[at+i] += g * s[i]
		}
		at += len(s) + int(r.ExpFloat64()*gap*audio.Rate)
	}
}

// television is a programme with music under it, from a small loudspeaker.
func television(x []float64, people []Speech, r *rand.Rand) {
	talk(x, people, 0.4, r)
	under := make([]float64, len(x))
	music(under, r)
	level(under, -34)
	for i := range x {
		x[i] += under[i]
	}
	copy(x, Loudspeaker(x))
}

// Loudspeaker is what a driver of five centimetres makes of x, full scale 1: no
// bass below about 180 Hz, and a cone whose excursion is limited, which is about
// one per cent of odd distortion at full level.
func Loudspeaker(x []float64) []float64 {
	y := make([]float64, len(x))
	a := math.Exp(-2 * math.Pi * 180 / audio.Rate)
	var p1, p2, q1, q2 float64
	for i, v := range x {
		u := a * (q1 + v - p1)
		p1, q1 = v, u
		w := a * (q2 + u - p2)
		p2, q2 = u, w
		y[i] = math.Tanh(0.7*w) / 0.7
	}
	return y
}

// Driven is a small loudspeaker that is driven hard: beside what Loudspeaker does, the
// excursion of its cone, which low tones make, changes how strongly it moves (a Volterra
// series of the second order with memory) and the suspension stiffens (of the third).
// For music at -20 dBFS this adds distortion 20 to 30 dB below the music.
func Driven(x []float64) []float64 {
	y := make([]float64, len(x))
	a := math.Exp(-2 * math.Pi * 180 / audio.Rate) // high-pass of the box
	c := 1 - math.Exp(-2*math.Pi*400/audio.Rate)   // low-pass of the cone
	const force, stiff, clip = 0.35, 0.5, 1.2
	var p1, p2, q1, q2, cone float64
	for i, v := range x {
		u := a * (q1 + v - p1)
		p1, q1 = v, u
		w := a * (q2 + u - p2)
		p2, q2 = u, w
		cone += c * (w - cone)
		w += force*cone*w - stiff*cone*cone*cone
		y[i] = math.Tanh(clip*w) / clip
	}
	return y
}

// Programme is n samples of people who speak one after the other at -26 dBFS, as
// on talk radio.
func Programme(n int, people []Speech, r *rand.Rand) []float64 {
	x := make([]float64, n)
	talk(x, people, 0.4, r)
	return level(x, -26)
}
