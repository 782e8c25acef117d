package aec

import (
	"fmt"

	"hearthd/audio"
)

// maxDelay is the longest time from the render reference to its echo in the capture, in
// samples: 500 ms. Sound cards take 20 to 200 ms. It is less than searchLag.
const maxDelay = audio.Rate / 2

// longestAge is how many frames of silence go on making the filter less sure, 10 s.
const longestAge = 500

// Canceller takes the speaker's own sound out of what the microphone hears.
type Canceller struct {
	far, mic *history
	path     *kalman
	look     *search
	sup      *suppressor
	drift    drift

	x          []float32 // span: the far end at the time of its echo
	next       []float32 // span: the same of an echo that is still to come
	near       []float32 // part: the last samples of the microphone
	echo, left []float32 // part: what is predicted of it and the rest
	said       []float32 // the echo that was predicted lately and is predicted next: jumpMost, a block and jumpMost

	delay   float64 // samples from the render reference to the echo's begin
	settled float64 // drift at the time when the path was learnt
	known   bool    // delay was measured
	place   float64 // where in the filter the echo begins
	quiet   int     // frames since the far end was heard
	idle    int     // frames since all was silent
	active  int     // frames since it is not
	since   int     // frames since the last search
	heard   float32 // power of the microphone, of the last two frames
	taken   float32 // power that the filter takes off
	meant   float32 // power of what it predicts
	misses  int     // frames since the filter took most of what was heard
	strange int     // frames in which the filter did harm
	astray  int     // searches that found the echo elsewhere

	hears, predicts float64 // powers of the microphone and of the echo, smoothed over 0.7 s

	plain  audio.Frame
	judge  judge
	before judge // the judgement before the filter began to do harm
}

// New makes a Canceller that knows nothing yet.
func New() *Canceller {
	return &Canceller{
		far: newHistory(), mic: newHistory(), path: newKalman(), look: newSearch(), sup: newSuppressor(),
		drift: newDrift(),
		x:     make([]float32, span), next: make([]float32, span), near: make([]float32, part),
		echo: make([]float32, part), left: make([]float32, part), said: make([]float32, jumpMost+block+jumpMost),
		delay: minDelay, idle: 1, quiet: longestAge,
	}
}

func (c *Canceller) String() string {
	return fmt.Sprintf("canceller of echo up to %v late", audio.Position(maxDelay).Duration())
}

// Placed reports whether the delay of the echo is known.
func (c *Canceller) Placed() bool { return c.known }

// Plain is what the filter by itself leaves of the last frame, in step with the output: a person is
// less distorted in it, and the rest of the echo is louder. While the filter is not to be trusted it
// is the output. It is borrowed until the next frame.
func (c *Canceller) Plain() *audio.Frame { return &c.plain }

// Process writes to out what is left of near without the echo of far, which the speaker played
// meanwhile: zeros while it is silent. The output is a hop later than near. All are borrowed; out
// may be near.
func (c *Canceller) Process(near, far, out *audio.Frame) {
	c.far.write(far[:])
	c.mic.write(near[:])
	c.drift.step()
	c.quiet++
	if *far != (audio.Frame{}) {
		c.quiet = 0
	}
	if c.quiet > c.ringing() {
		c.rest(near, out)
		return
	}
	if c.idle > 0 {
		c.path.age(min(c.idle, longestAge))
		c.since = searchCalm - searchFirst // the device may have restarted
		c.judge.hush = float64(c.sup.noise.sum())
		c.idle, c.active, c.strange = 0, 0, 0
	}
	c.active++
	c.listen()
	f := frame{left: c.left[part-block:], echo: c.echo[part-block:], near: c.near[part-block:]}
	mute := c.learn(&f)
	for at := 0; at < block; at += hop {
		c.sup.process(f.left[at:at+hop], f.echo[at:at+hop], c.path.doubt, out[at:at+hop], mute)
		for i, v := range c.sup.left[:hop] {
			c.plain[at+i] = clip(v)
		}
	}
	if mute || !c.judge.trusted() {
		c.plain = *out
	}
	if c.known {
		c.judge.frame(&f, c.sup, out, c.strange == 0)
	}
	c.follow()
}

// ringing is how many frames after the last sound of the far end there may still be an echo, or
// some of the far end in the filter.
func (c *Canceller) ringing() int {
	const room = 10 // frames beyond the filter
	longest := int(c.delay)
	if !c.known {
		longest = maxDelay
	}
	return longest/block + depth + span/block + room
}

// rest is a frame without an echo.
func (c *Canceller) rest(near, out *audio.Frame) {
	c.idle++
	c.active = 0
	c.sup.pass(near, out, c.idle%(idleHops/2) == 0)
	c.plain = *out
}

// listen predicts the echo and takes it off.
func (c *Canceller) listen() {
	copy(c.x, c.x[block:])
	if c.known {
		c.aim()
	}
	c.far.read(c.x[span-block:], float64(c.far.end-block)-c.delay, 1-c.drift.grow)
	c.path.push(c.x)
	c.path.predict(c.echo, 0)
	c.mic.last(c.near, c.mic.end)
	for i, v := range c.near {
		c.left[i] = v - c.echo[i]
	}
}
