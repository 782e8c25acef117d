package device

/*
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"

// struct tap is a ring of sample frames from the device thread to a goroutine.
// The counters wrap; tail is written by the goroutine, the others by the thread.
struct tap {
	uint32_t head, tail, dropped;
	uint32_t size;        // sample frames in the ring, a power of two
	uint32_t frame_bytes; // of a sample frame
	int bell;             // eventfd
	unsigned char *ring;  // NULL for a speaker, which goes without
	uint32_t rate;        // sample frames per second
	uint32_t patience;    // sample frames that may wait in a quiet room
	uint32_t rung;        // head when the bell was rung last
	int32_t floor;        // about the peak of the room's noise
	int32_t attention;    // sample frames for which none may wait
	struct device *device; // once it has been started
	clockid_t clock;      // CPU time of the device thread
	int32_t clocked;      // clock is set, and both below
	int stat, schedstat;  // what the kernel tells about the device thread, or -1
};

// attentive reports whether the room is not quiet: within the last two seconds
// there was a peak of twice the noise.
static int attentive(struct tap *t, const int16_t *in, uint32_t frames)
{
	int32_t peak = 0;
	for (size_t i = 0, n = (size_t)frames * t->frame_bytes / sizeof *in; i < n; i++) {
		int32_t level = in[i] < 0 ? -in[i] : in[i];
		peak = level > peak ? level : peak;
	}
	if (peak > 2 * t->floor + 8)
		t->attention = 2 * (int32_t)t->rate;
	else if (t->attention > 0)
		t->attention -= (int32_t)frames;
	t->floor += peak < t->floor ? (peak - t->floor) / 4 : (peak - t->floor + 63) / 64;
	return t->attention > 0;
}

static void take(struct device *d, void *out, const void *in, uint32_t frames)
{
	struct tap *t = d->user;
	const uint64_t one = 1;
	uint32_t room = t->size - (t->head - __atomic_load_n(&t->tail, __ATOMIC_ACQUIRE));

	(void)out;
	// miniaudio takes the negative result of a read that fails while the device
	// is being stopped for a number of sample frames.
	if (!in || frames > INT32_MAX)
		return;
	if (frames > room) {
		__atomic_fetch_add(&t->dropped, frames - room, __ATOMIC_RELAXED);
		frames = room;
	}
	uint32_t at = t->head & (t->size - 1);
	size_t n = (size_t)frames * t->frame_bytes, first = (size_t)(t->size - at) * t->frame_bytes;
	if (first > n)
		first = n;
	memcpy(t->ring + (size_t)at * t->frame_bytes, in, first);
	memcpy(t->ring, (const char *)in + first, n - first);
	__atomic_store_n(&t->head, t->head + frames, __ATOMIC_RELEASE);
	int now = attentive(t, in, frames);
	if (!now && t->head - t->rung < __atomic_load_n(&t->patience, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&t->rung, t->head, __ATOMIC_RELEASE);
	// A write into an eventfd that nobody reads cannot fail in a thousand years.
	(void)!write(t->bell, &one, sizeof one);
}

// notified runs on the device thread before its first data callback.
static void notified(const struct notification *n)
{
	struct device *d = inside_started(n, notified);
	if (!d)
		return;
	struct tap *t = d->user;
	__atomic_store_n(&t->device, d, __ATOMIC_RELEASE);
	if (t->ring)
		d->data = take;
	if (t->clocked || pthread_getcpuclockid(pthread_self(), &t->clock))
		return;
	t->stat = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
	t->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	__atomic_store_n(&t->clocked, 1, __ATOMIC_RELEASE);
}

static int state(struct tap *t) { return inside_state(__atomic_load_n(&t->device, __ATOMIC_ACQUIRE)); }

static void *notified_address(void) { return (void *)notified; }
*/
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/gen2brain/malgo"
	"golang.org/x/sys/unix"
)

const (
	// tapHolds is how much sound a tap holds, at least.
	tapHolds = 500 * time.Millisecond
	// tapWaits is how much sound a patient tap hands over at a time.
	tapWaits = 40 * time.Millisecond
)

// tap takes sound from the device thread without entering Go there. Each entry from C wakes the Go
// scheduler's monitor and one more thread, which costs half as much again as everything else that
// capture does; an eventfd wakes only the thread that runs the goroutine.
//
// malgo sets its own data callback, but leaves the notification callback and the user data to its
// caller. Once the device has started, notified replaces malgo's callback by take, provided that
// miniaudio is laid out as inside.h says.
type tap struct {
	c    *C.struct_tap
	ring []byte   // of c
	bell *os.File // eventfd: each write is an edge for the poller, nobody reads it
	conn syscall.RawConn
	done chan struct{} // closed when run has ended; nil before it is started
	text [512]byte     // task's
}

// newTap makes config notify a tap, and deliver into it if run is called. It is
// freed after the device.
func newTap(config *malgo.DeviceConfig) (*tap, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make eventfd: %w", err)
	}
	t := &tap{bell: os.NewFile(uintptr(fd), "tap")}
	if t.conn, err = t.bell.SyscallConn(); err != nil {
		return nil, errors.Join(fmt.Errorf("make eventfd: %w", err), t.bell.Close())
	}
	t.c = (*C.struct_tap)(C.calloc(1, C.sizeof_struct_tap))
	t.c.bell = C.int(fd)
	config.NotificationCallback = (*[0]byte)(C.notified_address())
	config.PUserData = (*byte)(unsafe.Pointer(t.c))
	return t, nil
}

// States of a device.
const (
	neverStarted = C.INSIDE_NEVER
	stopped      = C.INSIDE_STOPPED
	started      = C.INSIDE_STARTED
)

// await waits until the device is in one of those states. While it is between two of them miniaudio
// must not be told to start or stop it: that would end the process.
func (t *tap) await(states ...int) {
	for !slices.Contains(states, int(C.state(t.c))) {
		time.Sleep(time.Millisecond)
	}
}

// run hands what the device thread delivers to data, in a goroutine of its own,
// and adds to dropped the samples that found no room. The device must not have
// been started.
func (t *tap) run(card format, data func(out, in []byte, frames uint32), dropped *atomic.Uint64) {
	size := 1 << bits.Len(uint(tapHolds.Seconds()*float64(card.rate)))
	frameBytes := 2 * card.channels
	t.c.size, t.c.frame_bytes, t.c.rate = C.uint32_t(size), C.uint32_t(frameBytes), C.uint32_t(card.rate)
	t.c.attention = C.int32_t(card.rate)
	t.c.ring = (*C.uchar)(C.calloc(C.size_t(size), C.size_t(frameBytes)))
	t.ring = unsafe.Slice((*byte)(t.c.ring), size*frameBytes)
	t.done = make(chan struct{})
	go func() {
		defer close(t.done)
		tail, lost := uint32(0), uint32(0)
		waiting := func(uintptr) bool { return t.head() != tail }
		for t.conn.Read(waiting) == nil {
			for n := t.head() - tail; n > 0; n = t.head() - tail {
				at := tail & uint32(size-1)
				n = min(n, uint32(size)-at)
				data(nil, t.ring[int(at)*frameBytes:][:int(n)*frameBytes], n)
				tail += n
				atomic.StoreUint32((*uint32)(&t.c.tail), tail)
			}
			if now := atomic.LoadUint32((*uint32)(&t.c.dropped)); now != lost {
				dropped.Add(uint64(now - lost))
				lost = now
			}
		}
	}()
}

// setPatient lets sound of a quiet room wait, so that the goroutine is woken half as often. Sound
// above the noise comes at once, and so does all sound in the two seconds after it.
func (t *tap) setPatient(on bool) {
	var frames uint32
	if on {
		frames = uint32(tapWaits.Seconds() * float64(t.c.rate))
	}
	atomic.StoreUint32((*uint32)(&t.c.patience), frames)
}

// busy is the CPU time that the device thread has taken, or 0. The device must not
// be gone.
func (t *tap) busy() time.Duration {
	var now unix.Timespec
	if atomic.LoadInt32((*int32)(&t.c.clocked)) == 0 || unix.ClockGettime(int32(t.c.clock), &now) != nil {
		return 0
	}
	return time.Duration(now.Nano())
}

// waited is how long the device thread has been ready to run while other threads had the
// processors, or 0. A wait that still goes on is not counted.
func (t *tap) waited() time.Duration {
	_, after, _ := bytes.Cut(t.task(t.c.schedstat), []byte(" "))
	var waited time.Duration
	for _, digit := range after {
		if digit < '0' || digit > '9' {
			break
		}
		waited = 10*waited + time.Duration(digit-'0')
	}
	return waited
}

// starved reports whether the device thread is ready to run, or has rung for sound
// that no goroutine has taken.
func (t *tap) starved() bool {
	_, state, _ := bytes.Cut(t.task(t.c.stat), []byte(") "))
	rung, tail := atomic.LoadUint32((*uint32)(&t.c.rung)), atomic.LoadUint32((*uint32)(&t.c.tail))
	return bytes.HasPrefix(state, []byte("R")) || int32(rung-tail) > 0
}

// task reads what the kernel says about the device thread, or nothing where it does not say. The
// result is valid until the next call.
func (t *tap) task(file C.int) []byte {
	if atomic.LoadInt32((*int32)(&t.c.clocked)) == 0 {
		return nil
	}
	n, err := unix.Pread(int(file), t.text[:], 0)
	if err != nil {
		return nil
	}
	return t.text[:n]
}

func (t *tap) head() uint32 { return atomic.LoadUint32((*uint32)(&t.c.head)) }

// free ends run. The device must be gone.
func (t *tap) free() {
	_ = t.bell.Close() // closing an eventfd cannot fail
	if t.c.clocked != 0 {
		_, _ = unix.Close(int(t.c.stat)), unix.Close(int(t.c.schedstat)) // nor can closing a file that was only read
	}
	if t.done != nil {
		<-t.done
	}
	C.free(unsafe.Pointer(t.c.ring))
	C.free(unsafe.Pointer(t.c))
}
