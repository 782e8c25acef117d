package aec

import "math"

const (
	driftEvery = 50     // blocks between two looks at the path
	driftGain  = 0.6    // share of what was seen there that is corrected at once
	driftMost  = 500e-6 // crystals are within 100 ppm

	searches = 10  // that say something about the drift
	together = 200 // blocks within which two of them can be compared
	afresh   = 0.4 // samples between two of them: the rate is wrong after all
)

// drift is how much faster than the speaker the microphone's clock is. While the
// filter learns, the place where a search sees the echo tells it: to a tenth of a
// sample, each of them counting for less than the one before. Once the filter is
// good, the phase of its path tells it ten times more exactly.
type drift struct {
	rate   float64     // by which the far end is read faster than it was written
	before []complex64 // parts × bins: the path age blocks ago
	age    int         // 0 is none
	clock  int         // blocks
	place  float64     // of the last search
	seen   int         // its clock; 0 is none
	count  int         // searches that were compared
}

func newDrift() drift { return drift{before: make([]complex64, parts*bins)} }

func (d *drift) reset() { *d = drift{before: d.before} }

// restart says that the next path is not to be compared with the last one.
func (d *drift) restart() { d.age = 0 }

// lose says that nothing is to be compared with what was before: the delay was
// set anew, or time has passed.
func (d *drift) lose() { d.age, d.seen = 0, 0 }

// saw takes the place where a search sees the echo, which stands still if the
// rate is right.
func (d *drift) saw(place float64) {
	later, passed := place-d.place, d.clock-d.seen
	comparable := d.seen != 0 && passed <= together
	d.place, d.seen = place, d.clock
	if !comparable {
		return
	}
	if math.Abs(later) > afresh {
		d.count = min(d.count, 2)
	}
	if d.sure() {
		return
	}
	d.count++
	d.turn(later/float64(d.count+1), passed)
}

// sure reports whether the searches have said all that they can.
func (d *drift) sure() bool { return d.count > searches }

// turn changes the rate because the echo has come later by so many samples in so
// many blocks.
func (d *drift) turn(later float64, blocks int) {
	d.rate -= later / float64(blocks*block)
	d.rate = max(min(d.rate, driftMost), -driftMost)
}

// push takes the path after each block while the filter is good.
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
