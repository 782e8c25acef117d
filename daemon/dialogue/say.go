package dialogue

import (
	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/answer"
)

// say has a sentence of the machine's own announced.
func (m *machine) say(text string) {
	if err := m.outbox.add(&answer.Announcement{Text: text}); err != nil {
		m.log.Warn("announce", "component", "dialogue", "error", err)
	}
}

// unanswered ends a question that was asked aloud and to which nobody listens for an
// answer any more.
func (m *machine) unanswered() {
	if !m.question.aloud() {
		return
	}
	said := m.opt.Book.Say("dialogue.unanswered")
	if !m.question.WantsYes() {
		said = m.opt.Book.Say("dialogue.no_answer")
	}
	m.question = question{}
	m.say(said)
}

// letRing lets ids ring, and those in once until they have been said, together with what
// rings already.
func (m *machine) letRing(ids, once []int64) error {
	if r := m.ring(); r != nil && r.Add(ids, once) {
		return nil
	}
	return m.outbox.add(m.opt.Answers.NewRing(ids, once))
}

// silence takes ids out of what rings, all of them for nil, and gives those that were in.
// What rings ends with the last of them.
func (m *machine) silence(ids []int64, reason string) []int64 {
	r := m.ring()
	if r == nil {
		return nil
	}
	gone, empty := r.Remove(ids)
	m.opt.Answers.RingEnded(m.header(), gone, reason)
	if empty {
		if t := m.turn(); t != nil && t.Request == answer.Request(r) {
			m.cancelTurn(answer.ErrStopped)
		}
		m.outbox.dropRing()
	}
	return gone
}

// endRinging ends what rings if that has been heard.
func (m *machine) endRinging() bool {
	if !m.ringHeard() {
		return false
	}
	m.silence(nil, "stopped")
	return true
}

// hush ends what rings and drops what is waiting to be said. Ended timers that
// nobody has heard stay.
func (m *machine) hush() {
	m.endRinging()
	m.outbox.dropOthers()
}

// stop is hush, and ends the turn that goes on and every wish to be heard.
func (m *machine) stop() {
	m.hush()
	m.closeWindow()
	m.question = question{}
	m.dropUtterances()
	if m.turn() != nil {
		m.cancelTurn(answer.ErrStopped)
	}
	m.opt.Voice.Cue(cue.Done)
}
