package dialogue

import (
	"context"
	"slices"
	"time"

	"hearthd/audio"
	"hearthd/daemon/dialogue/answer"
)

const (
	// maxRecording bounds a message, in samples: the longest utterance.
	maxRecording = 15 * audio.Rate
	// maxMessages bounds the messages that wait to be played; each is half a megabyte.
	maxMessages = 4
)

// PlayAt is AnnounceAt for what somebody has recorded, mono at audio.Rate: it is played
// after an earcon and text, which may be empty, and kept until then.
func (d *Dialogue) PlayAt(ctx context.Context, text string, sound []int16, urgent bool, at time.Time) error {
	if len(sound) == 0 || len(sound) > maxRecording {
		return ErrSound
	}
	if text != "" {
		var err error
		if text, err = clean(text); err != nil {
			return err
		}
	}
	return d.put(ctx, &answer.Announcement{Text: text, Chime: true, Urgent: urgent, At: at, Sound: sound})
}

// messages counts those that wait.
func (m *machine) messages() (n int) {
	for _, r := range m.waiting {
		if a, ok := r.(*answer.Announcement); ok && a.Sound != nil {
			n++
		}
	}
	return n
}

// Ring lets what has these ids ring, together with what rings already, until Stop,
// Silence or the limit; those in once only until they have been said. It waits for
// the turn that is going on.
func (d *Dialogue) Ring(ctx context.Context, ids, once []int64) error {
	return d.run(ctx, func(ctx context.Context, m *machine) error {
		if m.ring != nil && m.ring.Add(ids, once) {
			return nil
		}
		m.ring = m.opt.Answers.NewRing(ids, once)
		return m.announce(ctx, m.ring)
	})
}

// Silence ends the ringing of those with these ids, of all for nil, and gives
// those that rang, or were about to.
func (d *Dialogue) Silence(ctx context.Context, ids []int64) ([]int64, error) {
	var gone []int64
	err := d.run(ctx, func(ctx context.Context, m *machine) error {
		gone = m.silence(ids, "silenced")
		m.restIfIdle(ctx)
		return nil
	})
	return gone, err
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
	ringing := m.turn != nil && m.ringsIn(m.turn)
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
