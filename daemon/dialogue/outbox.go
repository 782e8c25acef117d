package dialogue

import (
	"slices"

	"hearthd/audio"
	"hearthd/daemon/dialogue/answer"
)

const (
	// maxWaiting bounds what waits to be said, beside what rings.
	maxWaiting = 64
	// maxRecording bounds a message, in samples: the longest utterance.
	maxRecording = 15 * audio.Rate
	// maxMessages bounds the recorded messages among it; each is half a megabyte.
	maxMessages = 4
)

// outbox is what waits to be said and nobody asked for just now: what rings, which is one
// at most, then urgent announcements, then the others. What was cut off comes first.
type outbox []answer.Request

// add puts r behind those of its rank. What rings is not refused.
func (o *outbox) add(r answer.Request) error {
	if a, ok := r.(*answer.Announcement); ok && (len(*o) >= maxWaiting || a.Sound != nil && o.messages() >= maxMessages) {
		return ErrBusy
	}
	at := slices.IndexFunc(*o, func(w answer.Request) bool { return rank(w) < rank(r) })
	if at < 0 {
		at = len(*o)
	}
	*o = slices.Insert(*o, at, r)
	return nil
}

// putBack lets r be said first.
func (o *outbox) putBack(r answer.Request) { *o = slices.Insert(*o, 0, r) }

// take gives what is to be said next.
func (o *outbox) take() answer.Request {
	next := (*o)[0]
	*o = (*o)[1:]
	return next
}

// ring is what waits to ring, or nil.
func (o outbox) ring() *answer.Ring {
	for _, w := range o {
		if r, ok := w.(*answer.Ring); ok {
			return r
		}
	}
	return nil
}

// dropRing takes out what waits to ring, and dropOthers the rest.
func (o *outbox) dropRing() {
	*o = slices.DeleteFunc(*o, func(w answer.Request) bool { return rank(w) == rankRing })
}

func (o *outbox) dropOthers() {
	*o = slices.DeleteFunc(*o, func(w answer.Request) bool { return rank(w) != rankRing })
}

// messages counts those that somebody has recorded.
func (o *outbox) messages() (n int) {
	for _, w := range *o {
		if a, ok := w.(*answer.Announcement); ok && a.Sound != nil {
			n++
		}
	}
	return n
}

const (
	rankOther = iota
	rankUrgent
	rankRing
)

func rank(r answer.Request) int {
	switch r := r.(type) {
	case *answer.Ring:
		return rankRing
	case *answer.Announcement:
		if r.Urgent {
			return rankUrgent
		}
	}
	return rankOther
}
