package dialogue

import (
	"slices"

	"hearthd/audio"
	"hearthd/daemon/dialogue/answer"
)

const (
	// maxWaiting bounds the announcements that wait. What rings is always taken.
	maxWaiting = 64
	// maxRecording bounds a message, in samples: the longest utterance.
	maxRecording = 15 * audio.Rate
	// maxMessages bounds the recorded messages among them; each is half a megabyte.
	maxMessages = 4
)

// outbox is what waits to be said that nobody asked for just now, in the order in which it is
// said: what rings, of which there is at most one, then urgent announcements, then the others.
// What was cut off goes first.
type outbox []answer.Request

// add puts r behind others of its rank.
func (o *outbox) add(r answer.Request) error {
	if a, ok := r.(*answer.Announcement); ok && (len(*o) >= maxWaiting || a.Sound != nil &&
		o.messages() >= maxMessages) {
		return errBusy
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

// take removes the first.
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

// drop removes r, dropRing what waits to ring, and dropOthers everything else.
func (o *outbox) drop(r answer.Request) {
	*o = slices.DeleteFunc(*o, func(w answer.Request) bool { return w == r })
}

func (o *outbox) dropRing() {
	*o = slices.DeleteFunc(*o, func(w answer.Request) bool { return rank(w) == rankRing })
}

func (o *outbox) dropOthers() {
	*o = slices.DeleteFunc(*o, func(w answer.Request) bool {
		if a, ok := w.(*answer.Announcement); ok {
			over(a, false)
		}
		return rank(w) != rankRing
	})
}

// messages counts the recorded messages.
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

// over tells of the end of an announcement, where somebody waits for it. What was put back may end twice.
func over(a *answer.Announcement, heard bool) {
	select {
	case a.Done <- heard:
	default:
	}
}
