package audio

import (
	"math/bits"
	"sync/atomic"
)

// Ring carries samples from one producer goroutine or thread to one consumer
// without a lock and without blocking either. A full ring keeps what it has:
// the newest samples are dropped and counted.
//
// Positions count samples since the ring was made and never wrap; 64 bits last
// for three million years at 192 kHz.
type Ring struct {
	buf     []int16
	mask    uint64
	head    atomic.Uint64 // samples accepted; stored by the producer only
	tail    atomic.Uint64 // samples taken; stored by the consumer only
	dropped atomic.Uint64
}

// NewRing makes a ring for at least the given number of samples: the next power
// of two, not less than one.
func NewRing(samples int) *Ring {
	size := 1 << bits.Len(uint(max(samples, 1)-1))
	return &Ring{buf: make([]int16, size), mask: uint64(size - 1)}
}

// Write appends what fits of p and returns how many samples that was. The rest
// is dropped and counted. Producer only.
func (r *Ring) Write(p []int16) int {
	head := r.head.Load()
	n := min(len(p), len(r.buf)-int(head-r.tail.Load()))
	at := int(head & r.mask)
	k := copy(r.buf[at:], p[:n])
	copy(r.buf, p[k:n])
	r.head.Store(head + uint64(n))
	if n < len(p) {
		r.dropped.Add(uint64(len(p) - n))
	}
	return n
}

// Read fills p from the oldest samples and returns how many there were.
// Consumer only.
func (r *Ring) Read(p []int16) int {
	tail := r.tail.Load()
	n := min(len(p), int(r.head.Load()-tail))
	at := int(tail & r.mask)
	k := copy(p[:n], r.buf[at:])
	copy(p[k:n], r.buf)
	r.tail.Store(tail + uint64(n))
	return n
}

// skipTo throws away the samples before position pos, which has been written.
// Consumer only.
func (r *Ring) skipTo(pos uint64) { r.tail.Store(pos) }

// Len is the number of samples in the ring. The producer may find less there
// than Len said, the consumer more.
func (r *Ring) Len() int {
	tail := r.tail.Load() // before head, so that the difference is not negative
	return min(int(r.head.Load()-tail), len(r.buf))
}

// capacity is the number of samples that the ring holds.
func (r *Ring) capacity() int { return len(r.buf) }

// written counts the samples that the ring accepted.
func (r *Ring) written() uint64 { return r.head.Load() }

// Dropped counts the samples that found the ring full.
func (r *Ring) Dropped() uint64 { return r.dropped.Load() }

// Doorbell wakes a goroutine that waits for something that another goroutine or
// thread has done. Rings while nobody waits count as one.
type Doorbell struct{ c chan struct{} }

// NewDoorbell returns a bell that nobody has rung.
func NewDoorbell() Doorbell {
	return Doorbell{c: make(chan struct{}, 1)}
}

// Ring never blocks and may be called from any thread.
func (d Doorbell) Ring() {
	select {
	case d.c <- struct{}{}:
	default:
	}
}

// C delivers one value after one or more rings. The receiver then looks for
// itself what there is to do, because a ring can be older than its last look.
func (d Doorbell) C() <-chan struct{} { return d.c }
