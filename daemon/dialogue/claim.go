package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/event"
)

// Bid is how sure this box is that it was called, for those who decide between
// several boxes that were.
type Bid struct {
	Busy  bool      // an answer or a timer sounds here, which is probably meant
	Score float32   // of the wake word, 0 to 1
	Since time.Time // nothing of what was heard was said before
}

// Verdict says whether this box answers, or Box does instead.
type Verdict struct {
	Won  bool
	Sure bool // no other verdict follows
	Box  string
}

// phraseScore is the score of the phrase, of which it is known only that it is in
// the words: where a spotter hears it, too, the level decides.
const phraseScore = 1

// claim is that somebody called, while other boxes may have heard it as well.
type claim struct {
	pending bool
	won     bool
	sure    bool
	begun   time.Time
	waited  time.Duration         // until it was decided
	then    func(context.Context) // once it is won after all, or nil
}

// ruling is a verdict on its way to the loop.
type ruling struct {
	claim   *claim
	verdict Verdict
}

// contend asks the house, which calls back if there is somebody else in it.
func (m *machine) contend(b Bid) *claim {
	c := &claim{begun: time.Now()}
	tell := func(v Verdict) {
		select {
		case m.d.rulings <- ruling{c, v}:
		case <-m.d.ended:
		}
	}
	b.Busy = b.Busy || m.turn != nil || m.sounding() || m.ring != nil && m.ring.Heard()
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
	if c == m.called {
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
	if m.turn == nil {
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
