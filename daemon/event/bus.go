package event

import (
	"sync"
	"sync/atomic"
	"time"
)

// Bus hands every published event to every subscriber without waiting for any.
type Bus struct {
	mu   sync.Mutex // orders Seq with delivery
	seq  uint64
	subs map[*Subscription]struct{}
}

// NewBus returns a Bus without subscribers.
func NewBus() *Bus {
	return &Bus{subs: make(map[*Subscription]struct{})}
}

// Subscription is one observer's queue. An event that finds it full is dropped
// and counted.
type Subscription struct {
	bus     *Bus
	name    string
	ch      chan Event
	dropped atomic.Uint64
}

// Subscribe opens a queue for at most size events, at least one. The name is for
// those who report what was dropped.
func (b *Bus) Subscribe(name string, size int) *Subscription {
	s := &Subscription{bus: b, name: name, ch: make(chan Event, max(size, 1))}
	b.mu.Lock()
	b.subs[s] = struct{}{}
	b.mu.Unlock()
	return s
}

// Publish stamps e and queues it for every subscriber. It never waits for one.
// The caller must not write to e afterwards, nor publish it again.
func (b *Bus) Publish(e Event) {
	h := e.head()
	h.Type = e.kind()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	h.Seq = b.seq
	h.Time = time.Now().Round(0)
	for s := range b.subs {
		select {
		case s.ch <- e:
		default:
			s.dropped.Add(1)
		}
	}
}

// Missed is how many events each subscriber was too slow for, by its name; those with
// one name are summed.
func (b *Bus) Missed() map[string]uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	missed := make(map[string]uint64, len(b.subs))
	for s := range b.subs {
		missed[s.name] += s.Dropped()
	}
	return missed
}

// C delivers the events in the order of their Seq. It is never closed.
func (s *Subscription) C() <-chan Event { return s.ch }

// Name is what the subscriber called itself.
func (s *Subscription) Name() string { return s.name }

// Dropped counts the events that found the queue full.
func (s *Subscription) Dropped() uint64 { return s.dropped.Load() }

// Close ends the subscription; a second call does nothing. What is queued stays
// readable.
func (s *Subscription) Close() {
	s.bus.mu.Lock()
	delete(s.bus.subs, s)
	s.bus.mu.Unlock()
}
