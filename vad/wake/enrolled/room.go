package enrolled

import (
	"math"

	"hearthd/audio"
)

// gate separates sound from the silence of the room. It follows the level of frames in three bands
// that overlap: a tap or a hum that hides a voice in one of them leaves another one free.
type gate struct {
	begun  bool
	before float32 // last sample
	slow   float32 // of the filters
	low    float32
	mid    float32
	floors [gateBands]float32
}

// The gate's floor falls at once and rises by 2 dB a second, below the level of
// a steady noise by about its fluctuation.
const (
	gateBands = 3
	gateOver  = 3    // dB over the floor
	fall      = 0.3  // of the difference, for a frame
	rise      = 0.04 // dB for a frame

	// First-order filters: the low band is 130 to 570 Hz, the middle one ends at
	// 1.3 kHz and rises below it.
	highPass, lowPass, midPass = 0.05, 0.2, 0.4
)

// open reports whether f is louder than the room.
func (g *gate) open(f *audio.Frame) bool {
	var e [gateBands]float32
	for _, v := range f {
		x := float32(v)
		d := x - emphasis*g.before
		g.before = x
		g.slow += highPass * (x - g.slow)
		g.low += lowPass * (x - g.slow - g.low)
		g.mid += midPass * (d - g.mid)
		e[0] += g.low * g.low
		e[1] += g.mid * g.mid
		e[2] += d * d
	}
	loud := false
	for i, v := range e {
		db := 10 * float32(math.Log10(float64(v/audio.FrameSamples)+1))
		floor := &g.floors[i]
		switch {
		case !g.begun:
			*floor = db
		case db < *floor:
			*floor += fall * (db - *floor)
		default:
			*floor += min(db-*floor, rise)
		}
		loud = loud || db > *floor+gateOver
	}
	g.begun = true
	return loud
}

// room is what the Spotter knows of the noise and of the speech in it.
type room struct {
	known  bool
	noise  powers
	smooth powers
	level  float32 // level of recent speech
	usual  float32 // the level that the words were enrolled at

	speech speech
}

// speech is the recent speech, with a memory of a second.
type speech struct {
	sum   moments // not divided by the count
	count float32 // hops
}

// quiet takes the powers of a hop without sound.
func (r *room) quiet(p *powers) {
	rate := float32(0.2)
	if !r.known {
		rate = 1
	}
	r.known = true
	for b, v := range p {
		r.noise[b] += rate * (v - r.noise[b])
		r.smooth[b] = r.noise[b]
	}
}

// sound takes the powers of a hop with sound. Noise below it is followed at its
// minima, rising by 2 dB a second; the level of speech falls by 0.9 dB a second,
// to 10 dB under the one of enrolment or 3 dB over the noise.
func (r *room) sound(p *powers) {
	for b, v := range p {
		r.smooth[b] += 0.1 * (v - r.smooth[b])
		if d := r.smooth[b] - r.noise[b]; d < 0 {
			r.noise[b] += 0.3 * d
		} else {
			r.noise[b] *= 1.005
		}
	}
	noise := r.noise.total()
	r.level = max(0.998*r.level, min(p.total()-noise, 2*r.level), 0.1*r.usual, 2*noise)
}

// hear takes the cepstrum of the same hop.
func (r *room) hear(p *powers, x *cepstrum) {
	if p.total() < 3*r.noise.total() {
		return
	}
	const memory = 0.99
	s := &r.speech
	for c, v := range x {
		s.sum.mean[c] = memory*s.sum.mean[c] + v
		s.sum.square[c] = memory*s.sum.square[c] + v*v
	}
	s.count = memory*s.count + 1
}
