package bed

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"hearthd/audio"
)

// Path is the way from what hearthd plays to what its microphone hears of it.
type Path struct {
	Response []float64     // of the room, with the speaker beside the microphone
	Level    float64       // of the echo in dBFS, RMS while it speaks
	Delay    time.Duration // of both sound cards together
	// Drift is by how much the microphone's clock is faster than the speaker's, in
	// parts per million: as when they are two cards.
	Drift float64
	// Jumps adds Jump to the delay at these times, as an underrun does.
	Jumps []time.Duration
	Jump  time.Duration
	// Speaker is what the loudspeaker makes of what it is given; nil: Loudspeaker.
	Speaker func([]float64) []float64
}

// Answers is what hearthd plays: one answer after another with pauses of a
// second or two, at an RMS of -20 dBFS while it speaks.
func Answers(own []Speech, seconds float64, seed uint64) *Dry {
	d := Converse(own, seconds, seed)
	gain := 0.1 / math.Sqrt(active(d.sound, d.voiced()))
	for i := range d.sound {
		d.sound[i] *= gain
	}
	return d
}

// Music is a record that hearthd plays without a pause, at an RMS of -20 dBFS.
func Music(record []float64) *Dry {
	d := &Dry{sound: level(record[:len(record)/Hop*Hop], -20), marks: make([]Label, len(record)/Hop)}
	for i := range d.marks {
		d.marks[i] = Spoken
	}
	d.turns = []Turn{{0, len(d.sound)}}
	return d
}

// Played is the conversation as the render reference has it.
func (d *Dry) Played() []int16 {
	p := make([]int16, len(d.sound))
	for i, v := range d.sound {
		p[i] = Sample(v)
	}
	return p
}

// Turns are where the sentences are.
func (d *Dry) Turns() []Turn { return d.turns }

// Echo is what the microphone hears of d and nothing else, as long as d.
func (p Path) Echo(d *Dry) []float64 {
	speaker := p.Speaker
	if speaker == nil {
		speaker = Loudspeaker
	}
	wet := Convolve(speaker(d.sound), p.Response)
	gain := math.Pow(10, p.Level/20) / math.Sqrt(active(wet, d.voiced()))
	y := make([]float64, len(wet))
	delay := p.Delay.Seconds() * audio.Rate
	jumps := p.Jumps
	for i := range y {
		for len(jumps) > 0 && i >= int(audio.Samples(jumps[0])) {
			delay += p.Jump.Seconds() * audio.Rate
			jumps = jumps[1:]
		}
		y[i] = gain * between(wet, float64(i)*(1-p.Drift*1e-6)-delay)
	}
	return y
}

// between is x at a place between samples: a sinc of 16 taps under a Hann window.
func between(x []float64, at float64) float64 {
	const half = 8
	first := int(math.Floor(at))
	part := at - float64(first)
	if part == 0 {
		if first < 0 || first >= len(x) {
			return 0
		}
		return x[first]
	}
	sum, sine := 0.0, math.Sin(math.Pi*part)/math.Pi
	for k := -half + 1; k <= half; k++ {
		i := first + k
		if i < 0 || i >= len(x) {
			continue
		}
		d := part - float64(k)
		w := math.Cos(math.Pi * d / (2 * half))
		s := sine / d
		if k&1 != 0 {
			s = -s
		}
		sum += x[i] * s * w * w
	}
	return sum
}

// Interruption is a sentence that somebody says, from sample At on.
type Interruption struct {
	At int
	Speech
}

// cutAfter is how long an answer goes on after somebody began to speak, in samples.
const cutAfter = audio.Rate / 2

// Interrupted are the answers as somebody in list makes them end: a second or more
// after the begin of each that is long enough, and before the next one.
func Interrupted(answers *Dry, list []Speech, seed uint64) (*Dry, []Interruption) {
	r := rand.New(rand.NewPCG(seed, 0x0e3))
	cut := &Dry{sound: slices.Clone(answers.sound), marks: slices.Clone(answers.marks), turns: slices.Clone(answers.turns),
		room: answers.room}
	var said []Interruption
	for i, answer := range answers.turns {
		s := list[r.IntN(len(list))]
		at := (answer.From + audio.Rate + r.IntN(audio.Rate/2)) / Hop * Hop
		next := len(cut.sound)
		if i+1 < len(answers.turns) {
			next = answers.turns[i+1].From
		}
		if at+cutAfter > answer.To || at+len(s.Sound)+audio.Rate > next {
			continue
		}
		said = append(said, Interruption{at, s})
		clear(cut.sound[at+cutAfter : answer.To])
		clear(cut.marks[(at+cutAfter)/Hop : answer.To/Hop])
		cut.turns[i].To = at + cutAfter
	}
	return cut, said
}

// Over adds what is said to what the microphone hears, at level dBFS through
// response, and returns where it is.
func Over(near []float64, said []Interruption, response []float64, level float64) []Turn {
	var turns []Turn
	for _, s := range said {
		padded := append(slices.Clone(s.Sound), make([]float64, len(response))...)
		wet := Convolve(padded, response)
		gain := math.Pow(10, level/20) / math.Sqrt(active(wet, s.Voiced))
		for i, v := range wet[:min(len(wet), len(near)-s.At)] {
			near[s.At+i] += gain * v
		}
		turns = append(turns, Turn{s.At, s.At + len(s.Sound)})
	}
	return turns
}

// Microphone adds a room's and a cheap microphone's own noise, dBFS, and converts.
func Microphone(x []float64, floor float64, seed uint64) []int16 {
	under := make([]float64, len(x))
	hiss(under, 1, 80, 3000, rand.New(rand.NewPCG(seed, 0xf1)))
	level(under, floor)
	p := make([]int16, len(x))
	for i, v := range x {
		p[i] = Sample(v + under[i])
	}
	return p
}
