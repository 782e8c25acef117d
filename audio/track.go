package audio

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

var (
	// ErrNoDevice says that there is no playback device, or that the one that a
	// generation began on is gone.
	ErrNoDevice = errors.New("no playback device")

	// ErrStale says that a generation was cut, or that another one began.
	ErrStale = errors.New("playback was cut")
)

// noMark is where no sample is ever heard.
const noMark = math.MaxInt64

// Gen is one generation of a Track: what is written for one answer, or one
// earcon. Zero is none.
type Gen uint64

// Track is one source of a Mixer. A producer opens a generation with Begin,
// writes samples at the mixer's rate for it, and may wait with Drain until they
// were heard. Cut silences the track; whoever still writes for an older
// generation writes into nothing.
//
// The producers' side holds a mutex for the length of one copy. Mix does not
// take it: it knows the track by the ring and by atomics.
type Track struct {
	mixer *Mixer
	fade  fade
	ring  *Ring
	room  Doorbell // the ring is at most half full
	quiet Doorbell // everything written was heard
	there Doorbell // mark was heard

	mu    sync.Mutex // makes the producers one; guards the fields up to over
	gen   Gen
	start uint64        // ring position at which gen begins
	heard int64         // of gen, once its device is gone
	over  error         // why gen ended; nil while it runs
	ended chan struct{} // closed when gen ends

	mark  atomic.Int64  // ring position of which Reached waits to hear, or noMark
	cut   atomic.Uint64 // ring position before which nothing is heard any more
	base  atomic.Int64  // mixer clock minus ring position, of the samples played now
	floor atomic.Int64  // ring position that was heard before the samples of base
	duck  atomic.Bool   // the track is to be hardly heard
	hold  atomic.Bool   // the track is to stand still
	own   atomic.Int32  // volume of the track under that of the Mixer, in percent

	// The samples that were last too soft to be heard, by ring positions: from the first
	// one up to another, which is noMark while they go on.
	softFrom, softTo atomic.Int64

	// Mix only.
	hushed   bool    // the last sample was too soft
	playing  bool    // the last sample of the block before came from the ring
	level    float32 // factor of the last sample, 1 but for a duck or a hold
	volume   float32 // factor of the track's own volume
	fadeLen  int
	fadeLeft int
}

func newTrack(m *Mixer, f fade) *Track {
	t := &Track{
		mixer: m,
		fade:  f,
		ring:  NewRing(trackSamples),
		room:  NewDoorbell(),
		quiet: NewDoorbell(),
		there: NewDoorbell(),
		over:  ErrStale,
		level: f.from, volume: 1,
	}
	t.own.Store(100)
	t.mark.Store(noMark)
	t.softFrom.Store(noMark)
	return t
}

// Begin opens a generation and shuts out the writer of the one before. What
// that one has written is still heard, unless Cut is called first.
func (t *Track) Begin() Gen {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end(ErrStale)
	t.gen++
	t.start = t.ring.written()
	t.mark.Store(noMark)
	t.heard = 0
	t.over = nil
	t.ended = make(chan struct{})
	if t.mixer.Rate() == 0 {
		t.end(ErrNoDevice)
	}
	return t.gen
}

// end ends the generation that runs, if one does. mu is held.
func (t *Track) end(why error) {
	if t.over == nil {
		t.over = why
		close(t.ended)
	}
}

// state is nil while g is the generation that runs. mu is held.
func (t *Track) state(g Gen) error {
	if g != t.gen {
		return ErrStale
	}
	return t.over
}

// Write queues what there is room for of p and returns how many samples that
// was: none when g is over. It does not block.
func (t *Track) Write(g Gen, p []int16) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state(g) != nil {
		return 0
	}
	return t.put(p)
}

// put queues what there is room for of p. mu is held.
func (t *Track) put(p []int16) int {
	return t.ring.Write(p[:min(len(p), t.ring.capacity()-t.ring.Len())])
}

// WriteAll queues all of p and waits for room where there is none. It returns
// ErrStale or ErrNoDevice when g is over, or the error of ctx.
func (t *Track) WriteAll(ctx context.Context, g Gen, p []int16) error {
	return t.wait(ctx, g, t.room, func() bool {
		p = p[t.put(p):]
		return len(p) == 0
	})
}

// Drain waits until everything written for g was heard: mixed, and the latency
// of the device gone by. It returns ErrStale or ErrNoDevice when g is over
// before that, or the error of ctx.
func (t *Track) Drain(ctx context.Context, g Gen) error {
	return t.wait(ctx, g, t.quiet, func() bool {
		written := t.ring.written()
		return written == t.start || t.position() >= int64(written)
	})
}

// Reached waits until the first n samples of g were heard. It returns as Drain
// does. One goroutine at a time waits so.
func (t *Track) Reached(ctx context.Context, g Gen, n int64) error {
	t.mu.Lock()
	err, at := t.state(g), int64(t.start)+n
	if err == nil {
		t.mark.Store(at)
	}
	t.mu.Unlock()
	if err != nil {
		return err
	}
	return t.wait(ctx, g, t.there, func() bool { return t.position() >= at })
}

// Sounding reports whether something that was written is still to be heard. It
// takes no lock.
func (t *Track) Sounding() bool {
	return t.mixer.Rate() != 0 && t.position() < int64(t.ring.written())
}

// wait calls done at every ring of bell until it is true, with mu held and g
// running. A ring that another waiter took does no harm: Mix rings again while
// there is reason to.
func (t *Track) wait(ctx context.Context, g Gen, bell Doorbell, done func() bool) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		finished, ended, err := t.look(g, done)
		if finished || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
		case <-bell.C():
		}
	}
}

func (t *Track) look(g Gen, done func() bool) (finished bool, ended <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.state(g); err != nil {
		return false, nil, err
	}
	return done(), t.ended, nil
}

// Cut ends the generation that runs. From the next Mix on nothing that was written before is heard,
// but for a fade of 5 ms that avoids a click. It returns how many samples of the generation had
// been heard: mixed, and the latency of the device gone by. It is short of the truth by at most one
// period. If the track is ducked, what was heard ends where the duck began.
func (t *Track) Cut() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	heard := t.soFar() // before cut moves, after which Mix may skip
	t.heard = 0
	t.end(ErrStale)
	t.cut.Store(t.ring.written())
	return heard
}

// Heard is how many samples of the last generation have been heard so far, as Cut would say, or none after it.
func (t *Track) Heard() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.soFar()
}

func (t *Track) soFar() int64 {
	if t.over != nil {
		return t.heard // of a generation that lost its device
	}
	return t.sinceStart()
}

// Duck makes the voice 40 dB softer within 5 ms, which is silence to a person who
// may be speaking and does not count as heard, or brings it back over 250 ms, so that it does not startle.
// Media become 26 dB softer within 30 ms and come back over 400 ms. What is written goes on meanwhile. It takes no
// lock.
func (t *Track) Duck(on bool) { t.duck.Store(on) }

// Hold makes the track fall silent, as fast as for a duck, and stand still at the sample at which it did, or go on
// from there. A duck begins and ends beside it: what is held stays silent. It takes no lock.
func (t *Track) Hold(on bool) { t.hold.Store(on) }

// SetVolume sets the volume of the track under that of the Mixer, 0..100 percent by the law of Gain.
func (t *Track) SetVolume(percent int) { t.own.Store(int32(min(max(percent, 0), 100))) }

// Volume is that in percent.
func (t *Track) Volume() int { return int(t.own.Load()) }

// Aloud reports whether the track plays something that is neither ducked nor held. It takes no lock.
func (t *Track) Aloud() bool {
	return !t.duck.Load() && !t.hold.Load() && t.own.Load() > 0 && t.Sounding()
}

// Left is how many samples wait to be mixed. It takes no lock.
func (t *Track) Left() int { return t.ring.Len() }

// waiting reports whether there are samples for the next Mix, or some that were mixed and not heard yet.
func (t *Track) waiting() bool {
	return t.ring.Len() > 0 && !t.hold.Load() || t.position() < int64(t.ring.tail.Load())
}

// lose ends the generation that runs because its device is gone.
func (t *Track) lose() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over == nil {
		t.heard = t.sinceStart()
		t.end(ErrNoDevice)
	}
	t.cut.Store(t.ring.written())
}

// sinceStart is how many samples of the generation were heard. mu is held.
func (t *Track) sinceStart() int64 {
	at := t.position()
	if from := t.softFrom.Load(); at > from && at <= t.softTo.Load() {
		at = from
	}
	return max(at-int64(t.start), 0)
}

// position is the ring position up to which everything was heard.
func (t *Track) position() int64 {
	for {
		base := t.base.Load()
		at := t.mixer.clock.Load() - int64(t.mixer.latency.Load()) - base
		at = max(min(at, int64(t.ring.tail.Load())), t.floor.Load())
		if t.base.Load() == base { // else Mix has started over meanwhile
			return at
		}
	}
}
