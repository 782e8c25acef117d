package dialogue

import (
	"context"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/event"
)

// chimeDelay is how long the earcon waits whether the person goes on in the
// same breath. Pauses between words are shorter.
const chimeDelay = 350 * time.Millisecond

// spotted does what a wake word asks for.
func (m *machine) spotted(ctx context.Context, w *Word, score float32) {
	switch {
	case m.muted || m.deaf: // it was captured before
	case w.Stop:
		if !m.stoppable() {
			return
		}
		m.opt.Bus.Publish(&event.Hushed{Header: m.header(), By: w.Name, Score: score})
		m.stop(ctx)
	default:
		m.wakeWord(ctx, w, score)
	}
}

// wakeWord opens a window. Until it is known that this box answers and not another
// one, it listens, and nothing is seen or heard of that.
func (m *machine) wakeWord(ctx context.Context, w *Word, score float32) {
	c := m.contend(Bid{Score: score, Since: time.Now().Add(-refractory)})
	woken := func() {
		m.opt.Bus.Publish(&event.Woken{By: w.Name, Score: score, WaitedMS: c.waited.Milliseconds()})
	}
	if c.won {
		woken()
	}
	m.dropUtterances()
	if m.does(onCall) == cuts {
		m.cutTurn()
		if !c.won {
			m.move(event.Idle)
		}
	}
	m.disarm()
	m.arm(opening{by: w.Name, route: w.Route}, listenWindow)
	if w := m.open(); w != nil {
		w.called = c
	}
	if c.won {
		m.attend(c)
	} else {
		c.then = func(context.Context) {
			woken()
			m.attend(c)
		}
	}
	m.prepare(ctx)
}

// attend shows that this box listens.
func (m *machine) attend(c *claim) {
	m.chimeFor(c)
	if m.turn() == nil {
		m.move(event.Listening)
	}
	for _, u := range m.utterances {
		if u.armed.by != "" && len(m.utterances) == 1 {
			u.up.Allow()
		}
	}
}

// chimeFor lets it be heard that this box listens, once that is sure: of several that
// hear the word one chimes.
func (m *machine) chimeFor(c *claim) {
	if m.opt.Chime && c.sure {
		m.chime.Reset(max(0, chimeDelay-time.Since(c.begun)))
	}
}

// undecided reports whether it is not known yet if a wake word was meant for this box.
func (m *machine) undecided() bool {
	w := m.open()
	return w != nil && w.called != nil && w.called.pending
}

// stoppable reports whether a stop word has something to silence: an answer or a
// ringing timer that is heard, or was until that very word cut it. Everywhere else
// it is only a word, such as that of "when does the bus stop".
func (m *machine) stoppable() bool {
	if m.ring != nil && m.ring.Heard() {
		return true
	}
	return m.sounding() || m.opt.Voice.Speaking() || m.armed().by == "barge_in"
}

// chimeIfQuiet plays the earcon that is owed for a wake word, unless the person is
// speaking: whoever goes on at once has no need of it, and would not be heard
// beside it.
func (m *machine) chimeIfQuiet() {
	if m.owed && !m.speechOpen() {
		m.owed = false
		m.opt.Voice.Cue(cue.Listening)
	}
}

// contend asks the house, which calls back if there is somebody else in it.
func (m *machine) contend(b Bid) *claim {
	c := &claim{begun: time.Now()}
	tell := func(v Verdict) {
		select {
		case m.rulings <- ruling{c, v}:
		case <-m.stopped:
		}
	}
	b.Busy = b.Busy || m.turn() != nil || m.sounding() || m.ring != nil && m.ring.Heard()
	c.pending = m.opt.Contest != nil && m.opt.Contest.Contend(b, tell)
	c.won, c.sure = !c.pending, !c.pending
	return c
}

// ruled takes a verdict. One that comes late, after the house was too slow to say
// anything, still silences who listens.
func (m *machine) ruled(ctx context.Context, r ruling) {
	c, fresh := r.claim, r.claim.pending
	c.pending, c.won, c.sure = false, r.verdict.Won, r.verdict.Sure
	if fresh || !c.won {
		c.waited = time.Since(c.begun)
	}
	if w := m.open(); w != nil && w.called == c {
		switch {
		case !c.won:
			m.standDown(ctx, r)
		case fresh:
			c.then(ctx)
		default:
			m.chimeFor(c)
		}
	}
	for _, u := range m.utterances {
		if u.claim != c {
			continue
		}
		switch {
		case !c.won:
			m.yield(ctx, u, r)
		case u.waits != nil:
			h := *u.waits
			u.waits = nil
			m.transcript(ctx, u, h)
		}
	}
}

// standDown closes the window that a wake word opened: another box answers. Nothing
// is heard of it.
func (m *machine) standDown(ctx context.Context, r ruling) {
	m.yielded(r)
	m.disarm()
	m.dropUtterances()
	if m.turn() == nil {
		m.rest(ctx)
	}
}

// yield gives up an utterance that another box answers.
func (m *machine) yield(ctx context.Context, u *utterance, r ruling) {
	m.yielded(r)
	m.drop(u.id)
	m.settle(ctx)
}

func (m *machine) yielded(r ruling) {
	m.opt.Bus.Publish(&event.Yielded{
		Header: m.header(), Box: r.verdict.Box, Reason: event.AnotherAnswered, WaitedMS: r.claim.waited.Milliseconds(),
	})
}

// phraseHeard reports whether an utterance that begins with the wake phrase may be
// answered here and now. If it is not known yet, the transcript waits for it.
func (m *machine) phraseHeard(u *utterance) bool {
	if u.claim == nil {
		u.claim = m.contend(Bid{Score: phraseScore, Since: u.onset})
	}
	return u.claim.won
}

// contested reports whether another box may answer what u asks.
func (m *machine) contested(u *utterance, h hearing) bool {
	if h.err != nil || u.behind || u.armed.byHand() || m.opt.Wake != WakePhrase {
		return false
	}
	_, ok := m.opt.Matcher.Wake(h.transcript.Text)
	return ok && !m.phraseHeard(u)
}
