package audio

import (
	"slices"
	"sync/atomic"
	"time"
)

const (
	// renderSamples is the ring between the device thread and the reader: 1.4 s at
	// 48 kHz. A reader that stays away for longer starts over.
	renderSamples = 1 << 16

	// The reader keeps renderAhead in the ring, so that a device thread that is late does not run
	// it dry. It is less than the time from Mix to the ear, so that the echo is later than its
	// reference.
	renderAhead = 10 * time.Millisecond
	// renderSlack is how far the ring may be above renderAhead before some of it is skipped. The
	// clocks of two cards drift apart by that much in ten minutes.
	renderSlack = 15 * time.Millisecond
	// renderLate is the number of frames without samples after which the device counts as stopped.
	renderLate = 10
	// renderWatch is the number of frames over which the least fill of the ring is taken.
	renderWatch = 64
)

// Reference is the render reference: what the Mixer plays, at Rate, in step with
// the microphone. The device thread writes, and one goroutine calls ReadFrame once
// for each frame of the microphone, whenever it gets to that. The time from a
// sound in the Reference to its echo in the microphone is then constant, but for
// the drift of the two clocks, and jumps when a device restarts or samples are skipped.
type Reference struct {
	ring  *Ring
	rate  atomic.Int32  // of what was written from begin on
	begin atomic.Uint64 // ring position at which the device began
	opens atomic.Uint32 // devices that began; stored after the two above

	// Reader only.
	opened    uint32
	resampler *Resampler // nil without a device, or with one of a strange rate
	from      int        // rate of it
	card      []int16    // a frame at from
	ready     []int16    // samples at Rate that no frame has taken yet
	flowing   bool       // there was enough in the ring for the last frame
	dry       int        // frames since there was
	silent    int        // frames of zeros in a row
	least     int        // samples left in the ring after a frame, the least of watched
	watched   int        // frames
}

// Reference returns a reader of what m plays from now on. There is one at a time:
// the one before falls silent.
func (m *Mixer) Reference() *Reference {
	r := &Reference{ring: NewRing(renderSamples), ready: make([]int16, 0, 2*FrameSamples)}
	m.tap.Store(r)
	return r
}

// open is called on the device thread before the first samples of a device.
func (r *Reference) open(rate int) {
	r.rate.Store(int32(rate))
	r.begin.Store(r.ring.written())
	r.opens.Add(1)
}

// ReadFrame fills f with what the speaker is given during the next frame of the
// microphone: zeros when it is silent, rests or is not there. It does not wait,
// and allocates only when a device of another rate has begun.
func (r *Reference) ReadFrame(f *Frame) {
	if n := r.opens.Load(); n != r.opened {
		r.opened = n
		r.dry = renderLate
		r.reopen()
	}
	if r.resampler == nil || !r.flows() {
		clear(f[:])
		r.silent = 0
		return
	}
	r.fill()
	copy(f[:], r.ready)
	r.ready = r.ready[:copy(r.ready, r.ready[FrameSamples:])]
	r.watch()
}

// reopen begins with the samples of the device that began last.
func (r *Reference) reopen() {
	from := int(r.rate.Load())
	if begin := r.begin.Load(); begin > r.ring.tail.Load() {
		r.ring.skipTo(begin)
	}
	if r.resampler == nil || from != r.from {
		r.from = from
		r.card = make([]int16, from*FrameSamples/Rate+1)
		r.resampler, _ = NewResampler(from, Rate) // nil: a rate that nobody has
	}
	r.restart()
}

// restart forgets what went before.
func (r *Reference) restart() {
	if r.resampler != nil {
		r.resampler.Reset()
	}
	r.ready = r.ready[:0]
	r.flowing = false
	r.silent = 0
}

// flows reports whether the ring holds enough for a frame. When a device begins, everything beyond
// renderAhead is skipped, so that each start has the same delay: a device takes several periods at
// once then. When a device was only late, nothing is skipped, because device and microphone may
// each be more than a frame ahead for a moment.
func (r *Reference) flows() bool {
	have, need := r.ring.Len(), len(r.card)
	if r.flowing && have >= r.ring.capacity()*3/4 { // nobody has read for long
		r.restart()
		r.dry = renderLate
	}
	if r.flowing && have < need { // the device has stopped, or is late
		r.restart()
	}
	if !r.flowing {
		r.dry++
		extra := have - need - r.samples(renderAhead)
		if extra < 0 {
			return false
		}
		if r.dry < renderLate {
			extra = 0
		}
		r.dry = 0
		r.ring.skipTo(r.ring.tail.Load() + uint64(extra))
		r.flowing = true
		r.least, r.watched = have, 0
	}
	return true
}

// samples is how many of the card's samples d is.
func (r *Reference) samples(d time.Duration) int {
	return int(d * time.Duration(r.from) / time.Second)
}

// fill makes at least one frame ready. It takes from the card exactly the samples that are due. At
// most rates the filter is then in the same phase after each frame, so that a frame of nothing but
// zeros needs no filtering.
func (r *Reference) fill() {
	for len(r.ready) < FrameSamples {
		missing := FrameSamples - len(r.ready)
		card := r.card[:(missing*r.from+Rate-1)/Rate]
		card = card[:r.ring.Read(card)]
		r.silent++
		if slices.IndexFunc(card, func(v int16) bool { return v != 0 }) >= 0 {
			r.silent = 0
		}
		if r.silent > 2 && missing == FrameSamples && len(card)*Rate == FrameSamples*r.from {
			r.ready = r.ready[:FrameSamples]
			clear(r.ready)
			return
		}
		r.ready = r.resampler.Process(r.ready, card)
	}
}

// watch skips samples when there were too many for a while: the device's clock is
// faster, or the microphone has lost frames.
func (r *Reference) watch() {
	left := r.ring.Len()
	r.least = min(r.least, left)
	if r.watched++; r.watched < renderWatch {
		return
	}
	if extra := r.least - r.samples(renderAhead); extra > r.samples(renderSlack) {
		r.ring.skipTo(r.ring.tail.Load() + uint64(extra))
		left -= extra
	}
	r.least, r.watched = left, 0
}
