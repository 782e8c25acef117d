package mqtt

import (
	"slices"
	"sync"

	"hearthd/daemon/queue"
)

const (
	// maxQueued bounds the messages that are not retained and wait for the broker, and maxAnswers and
	// maxAnswerBytes those of them that answer commands: each command is promised an answer, and most are small.
	maxQueued      = 100
	maxAnswers     = 4096
	maxAnswerBytes = 4 << 20
	// maxTries is how many connections may end while one message is being sent, before
	// it is dropped: a broker may hang up whenever it sees this message.
	maxTries = 3
)

// message is one publication.
type message struct {
	topic    string
	payload  []byte
	retained bool
	optional bool          // of a retained one: given up after maxTries connections
	done     chan struct{} // of a retained one: closed when it was sent; may be nil
	answer   bool          // to a command; not retained
	id       uint64        // given by put
}

// outbox holds what is still to be sent: the latest payload of each retained topic, and
// a queue of the other messages, oldest first. Any goroutine may put messages in, one
// at a time takes them out.
type outbox struct {
	bell queue.Bell // rung when next may have something

	mu      sync.Mutex
	slots   []slot // one per retained topic, in the order of their first value
	queue   []message
	tries   int    // of queue[0]
	answers int    // in queue
	bytes   int    // of the answers
	dropped uint64 // since takeDropped
	last    uint64 // id of the newest message
}

// slot is a retained topic. Its value is kept for the next connection.
type slot struct {
	latest message
	dirty  bool // latest has not been sent
	tries  int  // connections that ended while it was on its way
}

func newOutbox() *outbox { return &outbox{bell: queue.NewBell()} }

// put queues a message. If there are too many of its kind, the oldest is dropped and counted.
func (o *outbox) put(m message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.bell.Ring()
	o.last++
	m.id = o.last
	if m.retained {
		i := slices.IndexFunc(o.slots, func(s slot) bool { return s.latest.topic == m.topic })
		if i < 0 {
			i = len(o.slots)
			o.slots = append(o.slots, slot{})
		}
		o.slots[i] = slot{latest: m, dirty: true}
		return
	}
	o.queue = append(o.queue, m)
	if m.answer {
		o.answers++
		o.bytes += len(m.payload)
	}
	for o.tooMany(m.answer) {
		o.drop(slices.IndexFunc(o.queue, func(old message) bool { return old.answer == m.answer }))
	}
}

// tooMany reports whether more answers, or more other messages, wait than may.
func (o *outbox) tooMany(answers bool) bool {
	if answers {
		return o.answers > maxAnswers || o.bytes > maxAnswerBytes
	}
	return len(o.queue)-o.answers > maxQueued
}

// forget empties the queue except for one topic.
func (o *outbox) forget(but string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := len(o.queue) - 1; i >= 0; i-- {
		if o.queue[i].topic != but {
			o.remove(i)
		}
	}
	o.tries = 0
}

// refresh marks every retained topic as not sent, because the broker may have lost them. An
// optional one that has cost maxTries connections is given up.
func (o *outbox) refresh() {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.bell.Ring()
	for i := range o.slots {
		s := &o.slots[i]
		s.dirty = !s.latest.optional || s.tries < maxTries
	}
}

// next returns the message that is due, retained ones first. It stays until sent is called.
func (o *outbox) next() (message, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.slots {
		if s.dirty {
			return s.latest, true
		}
	}
	if len(o.queue) > 0 {
		return o.queue[0], true
	}
	return message{}, false
}

// sent takes m out, unless a newer value has replaced it.
func (o *outbox) sent(m message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.slots {
		if s := &o.slots[i]; s.latest.id == m.id {
			s.dirty, s.tries = false, 0
			if s.latest.done != nil {
				close(s.latest.done)
				s.latest.done = nil
			}
			if len(m.payload) == 0 { // the broker keeps nothing, and is not told again
				o.slots = slices.Delete(o.slots, i, i+1)
			}
			return
		}
	}
	if o.first(m) {
		o.remove(0)
	}
}

// failed notes that the connection ended while m was being sent. It reports whether that has happened so often that
// the broker must be refusing m.
func (o *outbox) failed(m message) (unwanted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.slots {
		if s := &o.slots[i]; s.latest.id == m.id {
			if s.tries++; s.latest.optional && s.tries == maxTries {
				o.dropped++
			}
			return s.tries >= maxTries
		}
	}
	if !o.first(m) {
		return false
	}
	if o.tries++; o.tries < maxTries {
		return false
	}
	o.drop(0)
	return true
}

// withheld are the topics of optional messages that were given up.
func (o *outbox) withheld() (topics []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.slots {
		if s.latest.optional && s.tries >= maxTries {
			topics = append(topics, s.latest.topic)
		}
	}
	return topics
}

// left are the answers that were not acknowledged.
func (o *outbox) left() []message {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(o.queue), func(m message) bool { return !m.answer })
}

// takeDropped returns how many messages were dropped since the last call.
func (o *outbox) takeDropped() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.dropped
	o.dropped = 0
	return n
}

func (o *outbox) first(m message) bool { return len(o.queue) > 0 && o.queue[0].id == m.id }

func (o *outbox) drop(i int) {
	o.dropped++
	o.remove(i)
}

func (o *outbox) remove(i int) {
	if m := o.queue[i]; m.answer {
		o.answers--
		o.bytes -= len(m.payload)
	}
	o.queue = slices.Delete(o.queue, i, i+1) // frees the payload
	if i == 0 {
		o.tries = 0
	}
}
