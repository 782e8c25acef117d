package dialogue

import (
	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/answer"
)

// say announces a sentence of the machine itself.
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

// letRing lets ids ring; those in once only until they have been said. They join what rings
// already.
func (m *machine) letRing(ids, once []int64) error {
	if r := m.ring(); r != nil && r.Add(ids, once) {
		return nil
	}
	return m.outbox.add(m.opt.Answers.NewRing(ids, once))
}

// silence takes ids out of what rings, or all for nil, and returns those that were in it. The ring
// ends with the last of them.
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

// hush ends what rings, or else radio and music, and drops what is waiting to be said. Ended timers that
// nobody has heard stay.
func (m *machine) hush() {
	if !m.endRinging() {
		m.stopMedia()
	}
	m.outbox.dropOthers()
}

// stopMedia stops radio and music, and reports whether some played.
func (m *machine) stopMedia() bool { return m.opt.StopMedia != nil && m.opt.StopMedia() }

// waking reports whether a station plays as an alarm.
func (m *machine) waking() bool { return m.opt.Waking != nil && m.opt.Waking() }

// stop ends what rings and the current turn, closes the window and gives up what is being said to the box. Where
// nothing of that sounds, it stops radio and music.
func (m *machine) stop() {
	sounded := m.stoppable() || m.turn() != nil
	if !m.endRinging() && !sounded {
		m.stopMedia()
	}
	m.outbox.dropOthers()
	m.closeWindow()
	m.question = question{}
	m.dropUtterances()
	if m.turn() != nil {
		m.cancelTurn(answer.ErrStopped)
	}
	m.opt.Voice.Cue(cue.Done)
}
