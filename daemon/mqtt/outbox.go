package mqtt

import (
	"sync"
)

// maxQueued bounds the messages that are not retained and wait for the broker.
const maxQueued = 100

// message is one publication.
type message struct {
	topic    string
	payload  []byte
	retained bool
	id       uint64 // given by put
}

// outbox holds what is still to be sent: per retained topic the latest payload,
// and a queue of the rest, oldest first. It is safe for several goroutines.
type outbox struct {
	mu       sync.Mutex
	retained map[string]message // latest of each topic, kept for the next connection
	order    []string           // topics in the order of their first value
	dirty    map[string]bool    // topics whose latest has not been sent
	queue    []message
	dropped  uint64
	last     uint64        // id of the newest message
	bell     chan struct{} // cap 1
}

func newOutbox() *outbox {
	return &outbox{retained: make(map[string]message), dirty: make(map[string]bool), bell: make(chan struct{}, 1)}
}

func (o *outbox) ring() {
	select {
	case o.bell <- struct{}{}:
	default:
	}
}

// put takes a message. A queue that is full loses its oldest entry, counted.
func (o *outbox) put(m message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.ring()
	o.last++
	m.id = o.last
	if m.retained {
		if _, ok := o.retained[m.topic]; !ok {
			o.order = append(o.order, m.topic)
		}
		o.retained[m.topic] = m
		o.dirty[m.topic] = true
		return
	}
	if len(o.queue) == maxQueued {
		o.queue = o.queue[1:]
		o.dropped++
	}
	o.queue = append(o.queue, m)
}

// refresh marks every retained topic as not sent: the broker may have lost them.
func (o *outbox) refresh() {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.ring()
	for _, t := range o.order {
		o.dirty[t] = true
	}
}

// next gives the message that is due, retained ones first.
func (o *outbox) next() (message, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.order {
		if o.dirty[t] {
			return o.retained[t], true
		}
	}
	if len(o.queue) > 0 {
		return o.queue[0], true
	}
	return message{}, false
}

// sent takes m out, unless a newer value came meanwhile.
func (o *outbox) sent(m message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m.retained {
		if o.retained[m.topic].id == m.id {
			delete(o.dirty, m.topic)
		}
		return
	}
	if len(o.queue) > 0 && o.queue[0].id == m.id {
		o.queue = o.queue[1:]
	}
}

// lost is how many messages the queue had no room for.
func (o *outbox) lost() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dropped
}
