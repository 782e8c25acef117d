package audio

import "math"

// This file is the part of a Track that runs on the device thread.

// audible is the level from which on words are heard over one's own voice: -20 dB.
const audible = 0.1

// fade is how a track falls for a duck, and comes back.
type fade struct {
	duck float32 // factor of what is ducked
	fall float32 // seconds from full level to silence
	rise float32 // seconds from silence to full level
	from float32 // factor at which what was silent begins
}

// voiceFade ducks to what is under the noise of a kitchen: -40 dB.
func voiceFade() fade { return fade{duck: 0.01, fall: gainRamp, rise: 0.25, from: 1} }

// mediaFade leaves music audible: -26 dB. It falls within half of the 60 ms that may pass, begins softly, and comes
// back without startling.
func mediaFade() fade { return fade{duck: 0.05, fall: 0.03, rise: 0.4} }

// mix adds the next samples to sum, using in as scratch of the same length. now
// is the mixer's clock at the first of them. It says whether there were any.
func (t *Track) mix(sum []int32, in []int16, now int64, rate int) bool {
	at := t.fadeOut(sum, in, now, rate)
	if t.fadeLeft > 0 {
		return true
	}
	in = in[at:]
	if t.hold.Load() {
		in = in[:t.tail(len(in), rate)]
	}
	if !t.playing && t.ring.Len() > 0 && len(in) > 0 {
		t.settle(now + int64(at))
	}
	n := t.ring.Read(in)
	t.soften(in[:n], rate)
	for i, v := range in[:n] {
		sum[at+i] += int32(v)
	}
	t.playing = n > 0 && n == len(in) && at+n == len(sum)
	return at+n > 0
}

// tail is how many of the next n samples are heard of what is held: those in which it falls silent.
func (t *Track) tail(n, rate int) int {
	if !t.playing {
		return 0
	}
	return min(n, int(math.Ceil(float64(t.level*t.fade.fall*float32(rate)))))
}

// settle says that the next sample of the ring is mixed at a time of the clock.
func (t *Track) settle(at int64) {
	t.floor.Store(t.position())
	t.base.Store(at - int64(t.ring.tail.Load()))
}

// fadeOut brings what was cut to silence, if anything was, and returns how many
// samples of sum that took.
func (t *Track) fadeOut(sum []int32, in []int16, now int64, rate int) int {
	cut := t.cut.Load()
	tail := t.ring.tail.Load()
	if tail >= cut {
		return 0
	}
	if t.fadeLeft == 0 && t.playing {
		t.fadeLen = min(int(gainRamp*float32(rate)), int(cut-tail))
		t.fadeLeft = t.fadeLen
	}
	n := t.ring.Read(in[:min(len(in), t.fadeLeft)])
	t.soften(in[:n], rate)
	for i, v := range in[:n] {
		sum[i] += int32(v) * int32(t.fadeLeft-i) / int32(t.fadeLen+1)
	}
	t.fadeLeft -= n
	if t.fadeLeft == 0 {
		t.ring.skipTo(cut)
		t.settle(now + int64(n)) // otherwise the clock would first have to pass the time of what was skipped
		t.playing = false
	}
	return n
}

// soften applies volume, duck and hold to p, the next samples. Where no sound went before, the
// level is there at once, or begins at silence, as the track has it.
func (t *Track) soften(p []int16, rate int) {
	target := float32(1)
	switch {
	case t.hold.Load():
		target = 0
	case t.duck.Load():
		target = t.fade.duck
	}
	volume := linear(t.Volume())
	if !t.playing && t.fadeLeft == 0 {
		t.level, t.volume = target*t.fade.from, volume
	}
	at := int64(t.ring.tail.Load()) - int64(len(p))
	t.hush(at)
	if t.level == 1 && target == 1 && t.volume == 1 && volume == 1 { // nearly always
		return
	}
	step := 1 / (t.fade.rise * float32(rate))
	if target < t.level {
		step = 1 / (t.fade.fall * float32(rate))
	}
	ramp := 1 / (gainRamp * float32(rate))
	for i, v := range p {
		t.level = toward(t.level, target, step)
		t.volume = toward(t.volume, volume, ramp)
		t.hush(at + int64(i))
		p[i] = int16(float32(v) * t.level * t.volume)
	}
}

// hush notes whether the sample at a ring position is too soft to be heard.
func (t *Track) hush(at int64) {
	soft := t.level < audible
	switch {
	case soft == t.hushed:
		return
	case soft: // in this order: a reader in between still finds the samples audible
		t.softFrom.Store(at)
		t.softTo.Store(noMark)
	default:
		t.softTo.Store(at)
	}
	t.hushed = soft
}

// restart is called before the first block for another device, which does not continue a fade or a
// sound of the last one.
func (t *Track) restart() {
	t.playing, t.fadeLeft = false, 0
}

// wake rings for those who wait, after Mix.
func (t *Track) wake() {
	if t.ring.Len() <= t.ring.capacity()/2 {
		t.room.Ring()
	}
	at := t.position()
	if at >= int64(t.ring.written()) {
		t.quiet.Ring()
	}
	if m := t.mark.Load(); at >= m && t.mark.CompareAndSwap(m, noMark) {
		t.there.Ring()
	}
}
