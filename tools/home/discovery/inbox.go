package discovery

import "sync"

// Bounds of what waits to be read.
const (
	maxWaiting    = 16 << 20 // bytes of messages
	maxWaitingOne = 8        // states of one topic: what is older is dropped
	perLetter     = 200      // bytes that a message takes beside its payload
)

// letter is a message that waits. Of one that is too long only its length is kept.
type letter struct {
	payload []byte
	size    int
}

// inbox holds the messages between the client of the broker, which puts them in and never waits,
// and the hub's reader. Topics take turns, so that a busy one does not hold up the others.
type inbox struct {
	bell chan struct{} // cap 1; rung when something was put in

	mu      sync.Mutex
	waiting map[string][]letter
	turns   []string // topics with something waiting
	held    int      // bytes
	lost    int      // messages for which there was no room
}

func newInbox() *inbox { return &inbox{bell: make(chan struct{}, 1), waiting: map[string][]letter{}} }

// put takes a message in; most is how many of its topic may wait. Where there is no room, it
// replaces those of its topic, or is dropped and counted.
func (b *inbox) put(topic string, l letter, most int) (taken bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list, own, need := b.waiting[topic], 0, cost(topic, l)
	for _, old := range list {
		own += cost(topic, old)
	}
	if b.held-own+need > maxWaiting {
		b.lost++
		return false
	}
	if len(list) == 0 {
		b.turns = append(b.turns, topic)
	}
	for len(list) > 0 && (len(list) >= most || b.held+need > maxWaiting) {
		b.held -= cost(topic, list[0])
		list = list[1:]
	}
	b.held += need
	b.waiting[topic] = append(list, l)
	select {
	case b.bell <- struct{}{}:
	default:
	}
	return true
}

func cost(topic string, l letter) int { return perLetter + len(topic) + len(l.payload) }

// take gives the next message.
func (b *inbox) take() (topic string, l letter, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.turns) > 0 {
		topic, b.turns = b.turns[0], b.turns[1:]
		list := b.waiting[topic]
		l = list[0]
		b.held -= cost(topic, l)
		if len(list) == 1 {
			delete(b.waiting, topic)
		} else {
			b.waiting[topic] = list[1:]
			b.turns = append(b.turns, topic)
		}
		return topic, l, true
	}
	return "", letter{}, false
}

// missed is how many messages were lost; with forget they are counted from 0 again.
func (b *inbox) missed(forget bool) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.lost
	if forget {
		b.lost = 0
	}
	return n
}
