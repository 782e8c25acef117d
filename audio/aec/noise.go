package aec

import "math"

// shortest is how many hops the noise floor is looked for in: 2 s, longer than
// people speak without a breath in any one line of the spectrum.
const shortest = 200

// noiseFloor is the power of each line without speech, by minimum statistics
// (Martin 2001, with a fixed smoothing): the least of the smoothed power of the
// last two to four seconds.
type noiseFloor struct {
	smooth, least, before []float32
	floor                 []float32 // the estimate
	hops                  int       // that least has seen
	begun                 bool
	whole                 bool // shortest was seen
}

func newNoiseFloor() noiseFloor {
	all := make([]float32, 4*lines)
	n := noiseFloor{smooth: all[:lines], least: all[lines : 2*lines], before: all[2*lines : 3*lines],
		floor: all[3*lines:]}
	for k := range n.least {
		n.least[k], n.before[k] = math.MaxFloat32, math.MaxFloat32
	}
	return n
}

// push takes the power of a spectrum that stands for the given hops, 1 or idleHops.
func (n *noiseFloor) push(power []float32, hops int) {
	// The least of a power that is smoothed so is 2 dB below its mean.
	const smoothing, bias = 0.15, 1.6
	a := float32(smoothing)
	if hops > 1 {
		a = 2 * smoothing
	}
	if !n.begun {
		n.begun = true
		copy(n.smooth, power)
	}
	for k, v := range power {
		n.smooth[k] += a * (v - n.smooth[k])
		n.least[k] = min(n.least[k], n.smooth[k])
		n.floor[k] = bias * min(n.least[k], n.before[k])
	}
	if n.hops += hops; n.hops >= shortest {
		n.hops, n.whole = 0, true
		copy(n.before, n.least)
		copy(n.least, n.smooth)
	}
}

// sum is the power of all lines.
func (n *noiseFloor) sum() (power float32) {
	for _, v := range n.floor {
		power += v
	}
	return power
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }
