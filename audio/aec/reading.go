package aec

import (
	"math"

	"hearthd/audio"
)

// Reading is what a Canceller knows about its own work.
type Reading struct {
	// Active says that there is or may be an echo now.
	Active bool
	// ERLE is by how much the output is softer than the microphone while the echo
	// is heard, in dB, smoothed over 0.7 s of it. A person who speaks lowers it.
	ERLE float64
	// Most is what ERLE would be if only the noise of the room were left.
	Most float64
	// Delay is the time from the render reference to its echo, if DelayKnown.
	Delay      audio.Position
	DelayKnown bool
	// DriftPPM is by how much the microphone's clock is faster than the speaker's.
	DriftPPM float64
	// Residual is the echo that is believed to be left in the output while it is
	// heard, and Floor the noise of the room, in dBFS.
	Residual, Floor float64
	// Good says that what is left of the echo will not be taken for a person. It becomes true after
	// half a second of echo for which that held, and false as soon as it does not hold.
	Good bool
}

const (
	voteAfter = 25   // frames of echo in a row that agree
	smoothing = 0.03 // of a frame: 0.7 s

	goodAbove = 4   // residual echo over noise floor: 6 dB
	badAbove  = 16  // 12 dB
	inaudible = -65 // dBFS of residual echo that no detector reacts to

	loudly    = 30. // this many times the residual echo is somebody else's voice, and says nothing about it
	trustERLE = 8   // of the filter alone, as a factor: 9 dB
	trustLeft = 0.3 // see judge.frame

	misfitMost = 15 // frames; a jump is found in fewer
)

// judge measures how good the cancelling is.
type judge struct {
	near, echo, left, out float64 // powers of a frame while the echo is heard, smoothed
	remains, floor        float64 // residual echo and noise, sums of lines
	trust, good           bool
	votes                 int     // frames that want good to change
	misfits               int     // frames in a row in which the filter does not fit
	hush                  float64 // floor before the speaker began, sum of lines
}

// trusted reports whether the filter models the path.
func (j *judge) trusted() bool { return j.trust }

// vouched reports whether the filter was good when it was last looked at, so that
// harm is a surprise.
func (j *judge) vouched() bool { return j.trust || j.good }

// fine reports whether it takes most of what the microphone hears beside the noise.
func (j *judge) fine() bool {
	room := min(j.room(), j.near/2)
	return (j.left-room)*trustERLE < j.near-room
}

// room is the power of the noise in a frame. A floor that is known only since the speaker began to
// sound may be an echo that the filter does not find.
func (j *judge) room() float64 { return min(j.hush, j.floor) * 2 * block / (window * hop) }

// distrust says that the filter no longer models the path.
func (j *judge) distrust() { j.trust, j.near, j.left, j.misfits = false, 0, 0, 0 }

// relearn says that the filter starts learning from the beginning.
func (j *judge) relearn() {
	*j = judge{floor: j.floor, hush: j.hush}
}

// frame takes a frame that went through the filter and the suppressor. fit says that the delay is
// right.
//
// The filter is trusted once it removes trustERLE. From then on near²−left² is what it removes, and
// equals echo², no matter how loud a person speaks; it becomes the negative of that when the path
// has changed completely.
func (j *judge) frame(f *frame, s *suppressor, out *audio.Frame, fit bool) {
	if !f.loud() {
		return
	}
	sum := 0.0
	for _, v := range out {
		sum += float64(v) * float64(v)
	}
	follow(&j.near, float64(f.powerNear))
	follow(&j.echo, float64(f.powerEcho))
	follow(&j.left, float64(f.powerLeft))
	follow(&j.out, sum)
	j.floor = float64(s.noise.sum())
	if j.hush == 0 && !s.noise.whole { // the room was never heard without the speaker
		j.floor = 0
	}
	switch {
	case j.near-j.left < trustLeft*j.echo:
		if j.misfits++; j.misfits >= misfitMost {
			j.trust = false
		}
	case j.fine():
		j.trust = true
		fallthrough
	default:
		j.misfits = 0
	}
	if now := float64(s.remains); sum < loudly*2*block/(window*hop)*(now+j.floor) {
		follow(&j.remains, now)
		j.vote(fit)
	}
}

func follow(x *float64, now float64) { *x += smoothing * (now - *x) }

func (j *judge) vote(fit bool) {
	limit := float64(goodAbove)
	if j.good {
		limit = badAbove
	}
	soft := j.remains < limit*j.floor || level(j.remains) < inaudible
	wants := j.trust && soft && (fit || j.good)
	if wants == j.good {
		j.votes = 0
		return
	}
	if j.votes++; j.votes >= voteAfter {
		j.good, j.votes = wants, 0
	}
}

// Reading is the state after the last frame.
func (c *Canceller) Reading() Reading {
	return Reading{
		Active: c.idle == 0, ERLE: decibels((c.judge.near + 1) / (c.judge.out + 1)),
		Most:  decibels((c.judge.near + 1) / (c.judge.room() + 1)),
		Delay: audio.Position(c.drift.lag), DelayKnown: c.known, DriftPPM: c.drift.grow * 1e6,
		Residual: level(c.judge.remains), Floor: level(float64(c.sup.noise.sum())), Good: c.judge.good,
	}
}

func decibels(power float64) float64 { return 10 * math.Log10(power+1e-12) }

// level is the power of a spectrum, the sum of its lines, in dBFS.
func level(sum float64) float64 {
	const fullScale = 32768 * 32768
	return decibels(2 * sum / (window * hop) / fullScale)
}
