package audio

import (
	"math/rand/v2"
	"sync"
	"testing"
)

func TestRingRoundsItsCapacityUpToAPowerOfTwo(t *testing.T) {
	for samples, want := range map[int]int{-3: 1, 0: 1, 1: 1, 2: 2, 3: 4, 320: 512, 512: 512, 513: 1024} {
		if got := NewRing(samples).capacity(); got != want {
			t.Errorf("NewRing(%d).Cap() = %d, want %d", samples, got, want)
		}
	}
}

func TestRingDropsTheNewestWhenFull(t *testing.T) {
	r := NewRing(4)
	if n := r.Write([]int16{1, 2, 3, 4, 5, 6}); n != 4 {
		t.Fatalf("Write took %d samples, want 4", n)
	}
	if r.Dropped() != 2 || r.written() != 4 || r.Len() != 4 {
		t.Errorf("dropped %d, written %d, len %d; want 2, 4, 4", r.Dropped(), r.written(), r.Len())
	}
	p := make([]int16, 8)
	if n := r.Read(p); n != 4 || p[0] != 1 || p[3] != 4 {
		t.Errorf("Read gave %v", p[:n])
	}
	if n := r.Read(p); n != 0 {
		t.Errorf("Read of an empty ring gave %d samples", n)
	}
}

func TestRingDiscardEmptiesIt(t *testing.T) {
	r := NewRing(8)
	r.Write([]int16{1, 2, 3})
	if r.skipTo(r.head.Load()); r.Len() != 0 {
		t.Errorf("%d samples are left", r.Len())
	}
	r.Write([]int16{4})
	p := make([]int16, 2)
	if n := r.Read(p); n != 1 || p[0] != 4 {
		t.Errorf("Read after Discard gave %v", p[:n])
	}
}

// The producer writes a counter and, when the ring is full, goes on counting as
// a device does. The consumer must see the counter with gaps only where Write
// said that it dropped.
func TestRingLosesRepeatsAndReordersNothingButCountedDrops(t *testing.T) {
	for _, capacity := range []int{1, 2, 64, 1024} {
		const total = 300_000
		r, bell := NewRing(capacity), NewDoorbell()
		var accepted []int16 // what Write took; read after the producer ended
		var producer sync.WaitGroup
		producer.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(capacity)))
			block := make([]int16, 2*capacity+7)
			for next := 0; next < total; {
				p := block[:min(1+rng.IntN(len(block)), total-next)]
				for i := range p {
					p[i] = int16(next + i)
				}
				n := r.Write(p)
				accepted = append(accepted, p[:n]...)
				next += len(p)
				bell.Ring()
			}
		})
		ended := make(chan struct{})
		go func() { producer.Wait(); close(ended) }()

		var got []int16
		rng := rand.New(rand.NewPCG(2, uint64(capacity)))
		block := make([]int16, capacity+3)
		drain := func() {
			for n := -1; n != 0; {
				n = r.Read(block[:1+rng.IntN(len(block))])
				got = append(got, block[:n]...)
			}
		}
		for running := true; running; {
			select {
			case <-bell.C():
			case <-ended:
				running = false
			}
			drain()
		}
		if uint64(len(got)) != r.written() || r.written()+r.Dropped() != total {
			t.Fatalf("capacity %d: read %d, written %d, dropped %d of %d",
				capacity, len(got), r.written(), r.Dropped(), total)
		}
		for i := range got {
			if got[i] != accepted[i] {
				t.Fatalf("capacity %d: sample %d is %d, want %d", capacity, i, got[i], accepted[i])
			}
		}
	}
}

func TestRingDiscardMayRaceWithTheProducer(t *testing.T) {
	const total = 200_000
	r := NewRing(128)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; i < total; i += 50 {
			r.Write(make([]int16, 50))
		}
	}()
	var taken uint64
	p := make([]int16, 30)
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		taken += uint64(r.Read(p))
		last := r.head.Load()
		taken += last - r.tail.Load()
		r.skipTo(last)
	}
	if taken != r.written() || taken+r.Dropped() != total {
		t.Errorf("took %d, written %d, dropped %d of %d", taken, r.written(), r.Dropped(), total)
	}
}

func TestRingMovesSamplesWithoutAllocating(t *testing.T) {
	r, bell, p := NewRing(1024), NewDoorbell(), make([]int16, FrameSamples)
	if n := testing.AllocsPerRun(100, func() { r.Write(p); bell.Ring(); r.Read(p) }); n != 0 {
		t.Errorf("%v allocations per frame, want 0: this runs on the device thread", n)
	}
}

func BenchmarkRingFrame(b *testing.B) {
	r, p := NewRing(1<<14), make([]int16, FrameSamples)
	b.SetBytes(2 * FrameSamples)
	for b.Loop() {
		r.Write(p)
		r.Read(p)
	}
}

func BenchmarkDoorbell(b *testing.B) {
	bell := NewDoorbell()
	for b.Loop() {
		bell.Ring()
		<-bell.C()
	}
}
