package aec

import "hearthd/audio"

const (
	driftMost   = 500e-6 // crystals are within 100 ppm
	driftUsual  = 100e-6 // standard deviation before anything is known
	driftWander = 2e-6   // what a minute of warming up adds to it

	// placed is the standard deviation of the lag that a search sees, in samples: 0.03
	// over one clock, and more with a person over the echo.
	placed = 0.1
	// strayed is the number of standard deviations from which a lag counts as a different one.
	strayed = 5
	// exact is the standard deviation of a drift that need not be measured so often.
	exact = 5e-6
)

// drift tracks the lag of the echo behind the render reference, which two clocks
// make grow steadily: a Kalman filter of the lag and of its growth. It sees only
// what the searches see, which do not depend on what the adaptive filter has made
// of an error of the drift, and it goes on while nothing sounds, so that the lag is
// right when the next answer begins.
type drift struct {
	lag  float64 // samples, now
	grow float64 // of the lag per sample: by how much the microphone's clock is faster

	unsureLag, unsure, both float64 // variances of lag and grow, and their covariance
}

func newDrift() drift { return drift{unsure: driftUsual * driftUsual} }

// begin takes a lag that is not related to the one before. The clocks are the same.
func (d *drift) begin(lag float64) { d.lag, d.unsureLag, d.both = lag, placed*placed, 0 }

// doubt says that the lags seen so far may have had another cause than drift.
func (d *drift) doubt() { d.unsure = driftUsual * driftUsual }

// step moves the estimate on by a block.
func (d *drift) step() {
	const wander = driftWander * driftWander * block / (60 * audio.Rate)
	d.lag += block * d.grow
	d.unsureLag += block * (2*d.both + block*d.unsure)
	d.both += block * d.unsure
	d.unsure += wander
}

// saw takes the lag that a search has found, unless it cannot be the same echo.
func (d *drift) saw(lag float64) (ok bool) {
	off, total := lag-d.lag, d.unsureLag+placed*placed
	if off*off > strayed*strayed*total {
		return false
	}
	a, b := d.unsureLag/total, d.both/total
	d.lag += a * off
	d.grow = max(min(d.grow+b*off, driftMost), -driftMost)
	d.unsureLag, d.both, d.unsure = (1-a)*d.unsureLag, (1-a)*d.both, d.unsure-b*d.both
	return true
}

// sure reports whether the searches have found out enough.
func (d *drift) sure() bool { return d.unsure < exact*exact }
