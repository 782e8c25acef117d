package event

import (
	"sync"
	"sync/atomic"
	"time"
)

// Bus passes every published event to every subscriber, and waits for none.
type Bus struct {
	mu   sync.Mutex // orders Seq with delivery
	seq  uint64
	subs map[*Subscription]struct{}
}

// NewBus returns a Bus without subscribers.
func NewBus() *Bus {
	return &Bus{subs: make(map[*Subscription]struct{})}
}

// Subscription is the queue of one observer. If it is full, events are dropped and counted.
type Subscription struct {
	bus     *Bus
	name    string
	ch      chan Event
	dropped atomic.Uint64
	told    uint64 // the part of dropped that Lost has returned
}

// Subscribe opens a queue for size events, at least one. The name is for reports about
// dropped events.
func (b *Bus) Subscribe(name string, size int) *Subscription {
	s := &Subscription{bus: b, name: name, ch: make(chan Event, max(size, 1))}
	b.mu.Lock()
	b.subs[s] = struct{}{}
	b.mu.Unlock()
	return s
}

// Publish stamps e and queues it for every subscriber, without waiting. The caller must
// neither change e afterwards nor publish it again.
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

// Missed is how many events were dropped for each name of a subscriber.
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

// Dropped counts the events that found the queue full. Lost returns how many did since its last call;
// only the reader of C calls it.
func (s *Subscription) Dropped() uint64 { return s.dropped.Load() }
func (s *Subscription) Lost() uint64 {
	before := s.told
	s.told = s.Dropped()
	return s.told - before
}

// Close ends the subscription; a second call does nothing. Queued events stay readable.
func (s *Subscription) Close() {
	s.bus.mu.Lock()
	delete(s.bus.subs, s)
	s.bus.mu.Unlock()
}
