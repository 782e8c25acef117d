package aec

import "math"

const (
	driftEvery = 50     // blocks between two looks
	driftGain  = 0.6    // share of what was seen that is corrected at once
	driftMost  = 500e-6 // crystals are within 100 ppm
)

// drift is how much faster the clock of the microphone...
type drift struct {
	rate   float64     // by which the far end is read faster than written
	before []complex64 // parts × bins: the path driftEvery blocks ago
	age    int         // blocks since; 0 is none
	clock  int         // blocks
	place  float64
	seen   int // clock of place
	count  int
}

func newDrift() drift { return drift{before: make([]complex64, parts*bins)} }

func (d *drift) reset() { *d = drift{before: d.before} }

func (d *drift) restart() { d.age = 0 }

func (d *drift) lose() { d.age, d.seen = 0, 0 }

// saw takes the place where a search sees the echo, which stands still if the
// rate is right.
func (d *drift) saw(place float64) {
	was, passed := d.place, d.clock-d.seen
	fresh := d.seen == 0 || passed > 200
	d.place, d.seen = place, d.clock
	if fresh {
		return
	}
	later := place - was
	if math.Abs(later) > 0.4 {
		d.count = min(d.count, 2)
	}
	if d.count > 10 {
		return
	}
	d.count++
	d.turn(later/float64(d.count+1), passed)
}

func (d *drift) turn(later float64, blocks int) {
	d.rate -= later / float64(blocks*block)
	d.rate = max(min(d.rate, driftMost), -driftMost)
}

// push takes the path after each block.
func (d *drift) push(w []complex64) {
	if d.age++; d.age == 1 {
		copy(d.before, w)
	}
	if d.age <= driftEvery {
		return
	}
	if later, ok := d.moved(w); ok {
		d.turn(driftGain*later, driftEvery)
	}
	copy(d.before, w)
	d.age = 1
}

// moved is by how many samples w is later than before: the slope of the phase
// between them from 300 to 5000 Hz, by three steps of Gauss and Newton.
func (d *drift) moved(w []complex64) (later float64, ok bool) {
	const low, high = 300 * span / 16000, 5000 * span / 16000
	for range 3 {
		var slope, weight, same, all float64
		for k := low; k < high; k++ {
			var re, im float64
			for p := range parts {
				a, b := d.before[p*bins+k], w[p*bins+k]
				re += float64(real(a)*real(b) + imag(a)*imag(b))
				im += float64(real(a)*imag(b) - imag(a)*real(b))
				all += float64(real(a)*real(a)+imag(a)*imag(a)+real(b)*real(b)+imag(b)*imag(b)) / 2
			}
			s, c := math.Sincos(2 * math.Pi * float64(k) / span * later)
			re, im = re*c-im*s, im*c+re*s
			slope -= float64(k) * im
			weight += float64(k) * float64(k) * math.Abs(re)
			same += re
		}
		if same < 0.5*all || weight == 0 {
			return 0, false
		}
		later += slope / weight * span / (2 * math.Pi)
	}
	return later, true
}
