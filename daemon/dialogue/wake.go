package dialogue

import (
	"context"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
	"hearthd/daemon/peer"
)

// chimeDelay is how long the earcon of a wake word waits for the person to go on in the same
// breath. Pauses between words are shorter.
const chimeDelay = 350 * time.Millisecond

// button ends what rings, even where nobody can be heard, or else opens a window.
func (m *machine) button(ctx context.Context) error {
	if m.endRinging() || m.waking() && m.stopMedia() {
		return nil
	}
	if err := m.hears(); err != nil {
		return err
	}
	m.listen(ctx, opening{by: byButton})
	m.opt.Ears.DiscardOpen()
	return nil
}

// listen opens a window because a person asks for one and says nothing else yet.
func (m *machine) listen(ctx context.Context, o opening) {
	if m.row().call == cuts {
		m.cancelTurn(answer.ErrInterrupted)
	}
	m.openWindow(ctx, &window{opening: o}, listenWindow)
	if m.opt.Wake.Chime {
		m.opt.Voice.Cue(cue.Listening)
	}
}

// spotted handles a word that a spotter has heard.
func (m *machine) spotted(ctx context.Context, w *Word, score float32) {
	switch {
	case m.hears() != nil: // it was captured before
	case !w.Stop:
		m.wakeWord(ctx, w, score)
	case m.stoppable():
		m.opt.Bus.Publish(&event.Hushed{Header: m.header(), By: w.Name, Score: score})
		m.stop()
	case m.stopMedia():
		m.opt.Bus.Publish(&event.Hushed{Header: m.header(), By: w.Name, Score: score})
		m.opt.Voice.Cue(cue.Done)
	}
}

// stoppable reports whether a stop word has something to silence: an answer or a ringing timer
// that is heard, or was until this very word cut it. Otherwise it is just a word, as in "when
// does the bus stop".
func (m *machine) stoppable() bool {
	return m.ringHeard() || m.opt.Voice.Speaking() || m.sounding() || m.window().by == byBargeIn
}

// wakeWord opens a window. Until it is known whether this box answers, it listens without
// showing it.
func (m *machine) wakeWord(ctx context.Context, word *Word, score float32) {
	c := m.contend(peer.Bid{Score: score, Since: time.Now().Add(-refractory)})
	m.dropUtterances()
	if m.row().call == cuts {
		m.bargeIn()
	}
	m.closeWindow()
	w := &window{opening: opening{word.Name, word.Route}, claim: c}
	m.openWindow(ctx, w, listenWindow)
	if c.Won {
		m.acknowledge(w)
	}
}

// contend asks the other boxes, if there are any. Their verdicts come to the loop.
func (m *machine) contend(b peer.Bid) *claim {
	c := &claim{begun: time.Now(), score: b.Score, Verdict: peer.Verdict{Won: true, Sure: true}}
	tell := func(v peer.Verdict) {
		select {
		case m.verdicts <- ruling{c, v}:
		case <-m.stopped:
		}
	}
	b.Busy = m.turn() != nil || m.ringHeard()
	if m.opt.Peers != nil && m.opt.Peers.Contend(b, tell) {
		c.Verdict, c.pending = peer.Verdict{}, true
	}
	return c
}

// acknowledge shows that this box answers to the wake word that opened w.
func (m *machine) acknowledge(w *window) {
	m.opt.Bus.Publish(&event.Woken{By: w.by, Score: w.claim.score, WaitedMS: w.claim.waited.Milliseconds()})
	m.chimeFor(w.claim)
	for _, u := range m.utterances {
		if u.by != "" && len(m.utterances) == 1 {
			u.up.Allow()
		}
	}
}

// chimeFor starts the wait for the earcon once it is sure that this box answers: of several
// that heard the word only one chimes.
func (m *machine) chimeFor(c *claim) {
	if m.opt.Wake.Chime && c.Sure {
		m.chime.Reset(max(0, chimeDelay-time.Since(c.begun)))
	}
}

// chimeNow is called when the earcon of a wake word has waited long enough.
func (m *machine) chimeNow() {
	m.window().chimeDue = true
	m.chimeIfQuiet()
}

// chimeIfQuiet plays the earcon that is due, unless somebody is speaking: a person who goes on at
// once does not need it, and would be hard to hear.
func (m *machine) chimeIfQuiet() {
	if w := m.window(); w.chimeDue && len(m.utterances) == 0 {
		w.chimeDue = false
		m.opt.Voice.Cue(cue.Listening)
	}
}

// takeVerdict takes the decision about which box answers. A verdict that comes late, when this box
// has begun to listen because the others were too slow, still ends that.
func (m *machine) takeVerdict(ctx context.Context, r ruling) {
	c, first := r.claim, r.pending
	c.Verdict, c.pending = r.verdict, false
	if first || !c.Won {
		c.waited = time.Since(c.begun)
	}
	if w := m.window(); w.claim == c {
		switch {
		case !c.Won:
			m.yielded(c)
			m.stopListening()
			m.question.dropAloud()
		case first:
			m.acknowledge(w)
		default:
			m.chimeFor(c)
		}
	}
	for _, u := range m.utterances {
		switch {
		case u.claim != c:
		case !c.Won:
			m.yielded(c)
			m.drop(u.id)
		case u.waits != nil:
			t := u.waits
			u.waits = nil
			m.transcribed(ctx, t)
		}
	}
}

// yielded publishes that another box answers. This box makes no sound about it.
func (m *machine) yielded(c *claim) {
	m.opt.Bus.Publish(&event.Yielded{
		Header: m.header(), Box: c.Box, Reason: event.AnotherAnswered, WaitedMS: c.waited.Milliseconds(),
	})
}
