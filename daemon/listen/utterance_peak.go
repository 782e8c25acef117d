package listen

import (
	"math"

	"hearthd/audio"
)

// vowel is the number of frames over which the level is averaged: as long as a vowel, longer
// than a click.
const vowel = 5

// utterancePeak is the level of the loudest vowel of an utterance, before the leveller, which
// would make near and far people alike.
type utterancePeak struct {
	last [vowel]float64 // mean squares of the last frames
	next int
	most float64
}

// push takes the next frame of the stream.
func (p *utterancePeak) push(f *audio.Frame) {
	sum := 0.0
	for _, s := range f {
		sum += float64(s) * float64(s)
	}
	p.last[p.next] = sum / audio.FrameSamples
	p.next = (p.next + 1) % vowel
	p.most = max(p.most, p.now())
}

func (p *utterancePeak) now() float64 {
	sum := 0.0
	for _, s := range p.last {
		sum += s
	}
	return sum / vowel
}

// begin forgets everything before the utterance that begins now.
func (p *utterancePeak) begin() { p.most = p.now() }

// level is the peak of the utterance so far, in dBFS.
func (p *utterancePeak) level() float32 {
	return float32(max(audio.SilentDBFS, 10*math.Log10(p.most/(1<<30)+1e-12)))
}
