package dialogue

import (
	"context"
	"slices"

	"hearthd/audio"
	"hearthd/daemon/dialogue/answer"
)

const (
	// maxRecording bounds a message, in samples: the longest utterance.
	maxRecording = 15 * audio.Rate
	// maxMessages bounds the messages that wait to be played; each is half a megabyte.
	maxMessages = 4
)

// messages counts those that wait.
func (m *machine) messages() (n int) {
	for _, r := range m.waiting {
		if a, ok := r.(*answer.Announcement); ok && a.Sound != nil {
			n++
		}
	}
	return n
}

// silence takes ids out of what rings, which ends with the last of them.
func (m *machine) silence(ids []int64, reason string) []int64 {
	r := m.ring
	if r == nil {
		return nil
	}
	gone, empty := r.Remove(ids)
	m.opt.Answers.RingEnded(m.header(), gone, reason)
	if !empty {
		return gone
	}
	ringing := m.turn() != nil && m.ringsIn(m.turn())
	m.ring = nil
	m.waiting = slices.DeleteFunc(m.waiting, func(w answer.Request) bool { return w == answer.Request(r) })
	if ringing {
		m.cancelTurn(answer.ErrStopped)
	}
	return gone
}

// quell ends what rings if that has been heard.
func (m *machine) quell() bool {
	if m.ring == nil || !m.ring.Heard() {
		return false
	}
	m.silence(nil, "stopped")
	return true
}

// endsRinging reports whether text, which nobody addressed to the box, asks it to
// end what rings.
func (m *machine) endsRinging(text string) bool {
	if m.ring == nil || !m.ring.Heard() {
		return false
	}
	return m.opt.Answers.EndsRinging(text)
}

// announce says r now, or after the turn that is going on. Ended timers go before
// what else is waiting, and are not refused: all that end are one announcement.
// Urgent ones go before those that are not.
func (m *machine) announce(ctx context.Context, r answer.Request) error {
	at, rank := len(m.waiting), rankOf(r)
	if a, ok := r.(*answer.Announcement); ok && (at >= maxWaiting || a.Sound != nil && m.messages() >= maxMessages) {
		return ErrBusy
	}
	if i := slices.IndexFunc(m.waiting, func(w answer.Request) bool { return rankOf(w) < rank }); i >= 0 {
		at = i
	}
	m.waiting = slices.Insert(m.waiting, at, r)
	m.restIfIdle(ctx)
	return nil
}

// rankOf is the place of r among those that wait, the highest first.
func rankOf(r answer.Request) int {
	switch r := r.(type) {
	case *answer.Ring:
		return 2
	case *answer.Announcement:
		if r.Urgent {
			return 1
		}
	}
	return 0
}

// hush ends what rings and drops what is waiting to be said. Ended timers that
// nobody has heard stay.
func (m *machine) hush() {
	m.quell()
	m.waiting = slices.DeleteFunc(m.waiting, func(r answer.Request) bool { _, rings := r.(*answer.Ring); return !rings })
}
