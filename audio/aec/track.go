package aec

import (
	"math"

	"hearthd/audio"
)

const (
	minDelay = taps/2 + 1 // samples: the interpolator looks ahead
	lead     = 20         // samples of the filter before the echo

	searchFirst = 10  // frames between two searches until the delay is known
	searchLater = 25  // and then
	searchCalm  = 100 // while the filter is good and the drift known
	jumpAfter   = 5   // frames of harm after which the echo is looked for elsewhere
	jumpAgain   = 3
	giveUp      = 30 // frames of harm after which the filter learns from the beginning

	// jumpMost is how many samples later or earlier an echo may suddenly come for jump to find it,
	// jumpLeast how many it must be, and jumpSoon the number of frames in which it is looked for.
	jumpMost, jumpLeast, jumpSoon = audio.Rate / 5, lead, 8
	// outstands is by how much what is heard must be louder than the room: 6 dB.
	outstands = 4
	// misfit is the share that a filter leaves when it no longer fits, and explained the share of
	// that, and of what is heard, that it leaves at the right place. A voice is explained one pitch
	// later or earlier too, but not so much better.
	misfit, explained = 1. / 8, 1. / 16

	// loudest is how many times the power of the predicted echo the microphone hears at most when
	// the prediction, added, does harm: of what is unlike it twice its power is added, and that
	// exceeds the root of the product of both powers below 4.
	loudest = 4

	lostAge = 2000 // frames by which a filter that does harm is aged
	// nothing is the share of what the microphone hears that a trained, certain filter predicts
	// when a loudspeaker that was switched off has no echo.
	nothing = 0.02 // -17 dB

	// replayMost is how many frames the filter learns from again: a history holds them, the frames
	// before them that the filter needs, and the longest delay.
	replayMost = (historyLen-searchLag-span-taps)/block - depth

	patient = 6   // searches in which a trusted filter is kept although they contradict it
	realign = 0.5 // difference in samples from which the far end is read again
	audible = 30. // RMS of an echo that is worth a look
)

// learn lets the filter learn from the frame, unless it does harm. A filter that
// was good and now adds more than it takes stands at the wrong place: the delay has
// jumped. Everything is muted then, for the tenth of a second until the place is known,
// and nothing is learnt. Before there is a place at all nothing is muted: a person may
// speak beside the first earcon, and what the filter is unsure of is suppressed.
//
// A voice at the pitch of the echo may be its opposite for a syllable, and then the filter
// adds too. Such a person counts as harm only while they are hardly louder than the echo.
func (c *Canceller) learn(f *frame) (mute bool) {
	f.measure()
	if c.jump(f) {
		return true
	}
	follow(&c.hears, float64(f.powerNear))
	follow(&c.predicts, float64(f.powerEcho))
	c.heard += (f.powerNear - c.heard) / 2
	c.taken += (f.powerNear - f.powerLeft - c.taken) / 2
	c.meant += (f.powerEcho - c.meant) / 2
	harm := c.strange > 0 && c.taken <= 0 || c.meant-c.taken > root(c.heard*c.meant) && c.judge.vouched()
	switch {
	case harm && f.loud() && c.heard < loudest*c.meant:
		if c.strange == 0 {
			c.before = c.judge
		}
		c.strange++
	case c.taken > 0:
		c.strange = 0
	}
	if c.strange >= giveUp {
		c.strange = 0
		c.judge.distrust()
		c.path.age(lostAge)
	}
	if c.strange < 2 {
		c.path.adapt(c.left)
	}
	return c.strange >= 2
}

// jump sees in one frame that the echo has become later, as when the speaker had
// nothing to play for a moment, or earlier, as when sound of the microphone was lost:
// what the filter predicted a little while ago, or will a little later, is what is
// heard now, while what it predicts does not fit any more. A search for the delay needs
// five frames, and in so much of an echo a detector hears a person.
func (c *Canceller) jump(f *frame) bool {
	copy(c.said[:jumpMost], c.said[block:])
	copy(c.said[jumpMost:], f.echo)
	c.misses++
	if f.powerLeft < misfit*f.powerNear || f.powerNear < max(block*audible*audible, outstands*float32(c.judge.room())) {
		c.misses = 0
	}
	if c.misses == 0 || c.misses > jumpSoon || !c.known || !c.judge.trusted() {
		return false
	}
	best, late := f.powerNear, 0
	from := jumpMost + c.foresee()
	said := c.said[from:][:block]
	power := dot(said, said)
	for {
		if left := f.powerNear + power - 2*dot(f.near, said); left < best {
			best, late = left, jumpMost-from
		}
		if from--; from < 0 {
			break
		}
		said = c.said[from:][:block]
		gone := c.said[from+block]
		power += said[0]*said[0] - gone*gone
	}
	if best > explained*min(f.powerNear, f.powerLeft) || max(late, -late) < jumpLeast {
		return false
	}
	c.move(c.drift.lag + float64(late))
	c.misses = 0
	return true
}

// foresee predicts the echo, still to come, of what the speaker was given, and says for how many
// samples.
func (c *Canceller) foresee() int {
	n := min(int(c.delay-minDelay)/block, ahead)
	step := 1 - c.drift.grow
	for m := n % perPart; m <= n; m += perPart {
		c.far.read(c.next, float64(c.far.end)-c.delay-step*float64(span-m*block), step)
		c.path.foresee(c.next, m)
		c.path.predict(c.said[jumpMost+(m+1)*block-part:][:part], m)
	}
	return n * block
}

// follow looks for the delay when it is time to, and for the drift.
func (c *Canceller) follow() {
	c.since++
	n := searchMic
	switch {
	case c.strange >= jumpAfter && (c.strange-jumpAfter)%jumpAgain == 0:
		n = min(c.strange*block, searchMic) // what was before has another delay
	case c.since >= searchCalm, c.since >= searchLater && !c.calm():
	case !c.known && c.since >= searchFirst:
	default:
		return
	}
	c.since = 0
	if c.mic.power(n) < audible*audible {
		return
	}
	if lag, ok := c.look.find(c.far, c.mic, n, maxDelay); ok {
		c.found(lag)
	}
}

// calm reports whether the delay need not be searched for now.
func (c *Canceller) calm() bool {
	return c.known && c.judge.trusted() && c.drift.sure()
}

// found takes the lag that a search has found.
func (c *Canceller) found(lag float64) {
	off := lag - c.drift.lag
	switch {
	case !c.known:
		c.settle(lag, replayMost)
	case math.Abs(off) < lead && c.drift.saw(lag):
		c.astray = 0
		switch drifts := math.Abs(c.drift.grow-c.settled) > 10e-6 && c.drift.sure(); {
		case c.predicts < nothing*c.hears && !c.judge.trusted():
			c.settle(lag, searchMic/block)
		case drifts && !c.judge.trusted():
			c.settle(lag, replayMost)
		case math.Abs(off) > realign:
			c.aim()
			c.rewind(0)
		}
	case c.strange >= jumpAfter:
		c.move(lag)
	default:
		c.astray++
		switch {
		case c.astray >= 2 && math.Abs(off) < lead:
			c.drift.doubt()
			c.move(lag)
		case c.astray >= patient && !c.judge.fine() || c.astray >= 2 && !c.judge.trusted():
			c.drift.doubt()
			c.settle(lag, (c.astray-1)*searchLater+searchMic/block/2)
		}
	}
}

// settle learns the path again for an echo that begins at lag, from the sound of
// the last n frames or less.
func (c *Canceller) settle(lag float64, n int) {
	c.known, c.astray, c.strange = true, 0, 0
	c.drift.begin(lag)
	c.settled = c.drift.grow
	c.delay = max(math.Floor(lag)-lead, minDelay)
	c.place = lag - c.delay
	c.path.reset()
	c.judge.relearn()
	n = min(n, c.active, replayMost)
	c.rewind(n)
	for n--; n >= 0; n-- {
		c.past(n)
		c.path.predict(c.echo, 0)
		c.mic.last(c.left, c.mic.end-int64(n*block))
		for i, v := range c.echo {
			c.left[i] -= v
		}
		c.path.adapt(c.left)
	}
}

// move follows a lag that has jumped and keeps the path, because the room is the same, unless the
// echo began before the filter. What a filter did at the wrong place says nothing about the room.
func (c *Canceller) move(lag float64) {
	if c.place < lead/4 {
		c.settle(lag, c.strange)
		return
	}
	if c.strange > 0 {
		c.judge = c.before
	}
	c.astray, c.strange = 0, 0
	c.drift.begin(lag)
	c.aim()
	c.rewind(0)
}

// aim sets the delay so that the echo is where the filter has it.
func (c *Canceller) aim() { c.delay = max(c.drift.lag-c.place, minDelay) }

// rewind gives the filter the far end up to n blocks ago, at the delay.
func (c *Canceller) rewind(n int) {
	for p := n + depth - 1; p >= n; p-- {
		c.past(p)
	}
}

// past gives the filter the far end of n blocks ago.
func (c *Canceller) past(n int) {
	step := 1 - c.drift.grow
	c.far.read(c.x, float64(c.far.end)-c.delay-step*float64(n*block+span), step)
	c.path.push(c.x)
}

// frame is what was heard in one frame.
type frame struct {
	near, echo, left                []float32
	powerNear, powerEcho, powerLeft float32 // sums of squares
}

func (f *frame) measure() {
	f.powerNear, f.powerEcho, f.powerLeft = dot(f.near, f.near), dot(f.echo, f.echo), dot(f.left, f.left)
}

// loud reports whether the echo can be heard.
func (f *frame) loud() bool { return f.powerEcho > block*audible*audible }
