package vad

import "fmt"

// gateOptions sets a gate. Threshold is the probability from which a frame
// counts as speech while the gate is closed, Release the one below which it
// counts as silence while it is open. Onset is how many frames in a row open
// the gate, Hangover how many in a row it tolerates before it closes, both in
// detector frames.
type gateOptions struct {
	Threshold, Release float32
	Onset, Hangover    int
}

// gate turns probabilities, which flicker, into a decision. A click is shorter than the onset, the
// gap before a plosive shorter than the hangover.
type gate struct {
	opt    gateOptions
	open   bool
	voiced bool // the last frame was speech, and not hangover; when the gate opens, the frames of the onset were too
	run    int  // frames in a row that speak for the other state
}

// newGate returns a closed gate.
func newGate(o gateOptions) (*gate, error) {
	switch {
	case !(o.Threshold > 0 && o.Threshold < 1):
		return nil, fmt.Errorf("gate threshold %v: want more than 0 and less than 1", o.Threshold)
	case !(o.Release > 0 && o.Release <= o.Threshold):
		return nil, fmt.Errorf("gate release %v: want more than 0 and at most the threshold %v", o.Release, o.Threshold)
	case o.Onset < 1:
		return nil, fmt.Errorf("gate onset %d: want at least one frame", o.Onset)
	case o.Hangover < 0:
		return nil, fmt.Errorf("gate hangover %d: want no negative number of frames", o.Hangover)
	}
	return &gate{opt: o}, nil
}

// Push takes the probability of the next frame and reports whether the gate is
// open after it.
func (g *gate) Push(p float32) bool {
	if !g.open {
		g.voiced = false
		if !(p >= g.opt.Threshold) { // NaN is no speech
			g.run = 0
			return false
		}
		if g.run++; g.run < g.opt.Onset {
			return false
		}
		g.open, g.voiced, g.run = true, true, 0
		return true
	}
	if g.voiced = p >= g.opt.Release; g.voiced {
		g.run = 0
		return true
	}
	if g.run++; g.run > g.opt.Hangover {
		g.open, g.run = false, 0
	}
	return g.open
}

// force opens the gate.
func (g *gate) force() { g.open, g.voiced, g.run = true, true, 0 }

// Reset closes the gate.
func (g *gate) Reset() { g.open, g.voiced, g.run = false, false, 0 }
