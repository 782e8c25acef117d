package bed

import (
	"math"
	"math/rand/v2"
	"slices"

	"hearthd/audio"
)

// Turn is where a sentence of a Track is, from its first to after its last sample.
type Turn struct{ From, To int }

// Track is a stretch of sound with what is true of it.
type Track struct {
	Samples []int16
	Labels  []Label // per Hop
	Turns   []Turn
}

// Dry is what people say in turn, before a microphone.
type Dry struct {
	sound []float64
	marks []Label
	turns []Turn
	room  bool
}

// gaps between sentences in seconds: all are longer than the silence that ends
// an utterance, so that each sentence is one.
const minGap, maxGap = 1.3, 3.0

// Converse lets the sentences follow one another in random order, each at its
// own level around 0 dB of an RMS of 1, until seconds are full.
func Converse(list []Speech, seconds float64, seed uint64) *Dry {
	r := rand.New(rand.NewPCG(seed, 0xd13))
	n := int(seconds * audio.Rate / Hop)
	d := &Dry{sound: make([]float64, n*Hop), marks: make([]Label, n)}
	var order []int
	for at := 100; ; { // a second to settle
		if len(order) == 0 {
			order = r.Perm(len(list))
		}
		s := list[order[0]]
		order = order[1:]
		gap := int((minGap + r.Float64()*(maxGap-minGap)) * audio.Rate / Hop)
		if at+len(s.Voiced)+gap > n {
			return d
		}
		d.put(at, s, math.Pow(10, (r.Float64()-0.5)*8/20))
		at += len(s.Voiced) + gap
	}
}

// put adds a sentence from hop at on.
func (d *Dry) put(at int, s Speech, gain float64) {
	g := gain / math.Sqrt(active(s.Sound, s.Voiced))
	for i, v := range s.Sound {
		d.sound[at*Hop+i] += g * v
	}
	for i, v := range s.Voiced {
		if v {
			d.marks[at+i] = Spoken
		}
	}
	d.turns = append(d.turns, Turn{at * Hop, at*Hop + len(s.Sound)})
}

// active is the power of x where it is speech.
func active(x []float64, voiced []bool) float64 {
	sum, n := 0.0, 0
	for i, v := range voiced {
		if v {
			sum += power(x[i*Hop : (i+1)*Hop])
			n++
		}
	}
	return sum / float64(max(1, n))
}

// In is the conversation in a room of which response is a Room's.
func (d *Dry) In(response []float64) *Dry {
	return &Dry{sound: Convolve(d.sound, response), marks: d.marks, turns: d.turns, room: true}
}

// selfNoise is a cheap microphone's own, in dBFS.
const selfNoise = -72

// Heard is the conversation as a microphone has it: speech at level dBFS, RMS
// where somebody speaks, and noise, an RMS of 1 and at least as long, snr dB
// below it. noise may be nil.
func (d *Dry) Heard(level float64, noise []float64, snr float64) *Track {
	gain := math.Pow(10, level/20) / math.Sqrt(active(d.sound, d.voiced()))
	under := math.Pow(10, (level-snr)/20)
	r := rand.New(rand.NewPCG(uint64(len(d.sound)), 0x5e1f))
	self := math.Pow(10, selfNoise/20)
	t := &Track{Samples: make([]int16, len(d.sound)), Labels: slices.Clone(d.marks), Turns: d.turns}
	for i, v := range d.sound {
		v = v*gain + self*r.NormFloat64()
		if noise != nil {
			v += under * noise[i]
		}
		t.Samples[i] = Sample(v)
	}
	blur(t.Labels, d.room)
	return t
}

func (d *Dry) voiced() []bool {
	v := make([]bool, len(d.marks))
	for i, m := range d.marks {
		v[i] = m == Spoken
	}
	return v
}

// Samples is the length of the conversation.
func (d *Dry) Samples() int { return len(d.sound) }

// Sample is v, full scale 1, as a converter gives it.
func Sample(v float64) int16 {
	return int16(math.Max(-32768, math.Min(32767, math.Round(v*32768))))
}

// Alone is a noise in which nobody speaks to the microphone, at dbfs.
func Alone(n Noise, samples int, dbfs float64, seed uint64) *Track {
	t := &Track{Samples: make([]int16, samples), Labels: make([]Label, samples/Hop)}
	for i, v := range level(n.Make(samples, seed), dbfs) {
		t.Samples[i] = Sample(v)
	}
	return t
}
