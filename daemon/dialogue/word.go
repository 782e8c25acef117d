package dialogue

import (
	"context"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/event"
)

const (
	// refractory is the time within which several detections are one word: two
	// spotters hear it, or one twice.
	refractory = 2 * time.Second
	// chimeDelay is how long the earcon waits whether the person goes on in the
	// same breath. Pauses between words are shorter.
	chimeDelay = 350 * time.Millisecond
)

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
	if m.turn != nil {
		m.cutTurn()
		if !c.won {
			m.move(event.Idle)
		}
	}
	m.disarm()
	m.arm(opening{by: w.Name, route: w.Route}, listenWindow)
	m.called = c
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
	if m.turn == nil {
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
func (m *machine) undecided() bool { return m.called != nil && m.called.pending }

// stoppable reports whether a stop word has something to silence: an answer or a
// ringing timer that is heard, or was until that very word cut it. Everywhere else
// it is only a word, such as that of "when does the bus stop".
func (m *machine) stoppable() bool {
	if m.ring != nil && m.ring.Heard() {
		return true
	}
	return m.sounding() || m.opt.Voice.Speaking() || m.armed.by == "barge_in"
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
