package dialogue

import (
	"context"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

// answerLimit is how long a question that was asked in text waits, and the
// longest that any does.
const answerLimit = time.Minute

// question is one that waits for its answer.
type question struct {
	*answer.Question
	until time.Time
	again bool // the answer was not understood once
}

// answers gives the question that a request answers, which is thereby over, or nil. What
// was asked aloud is answered aloud, and what was asked in writing in writing.
func (m *machine) answers(person string, aloud bool) *answer.Question {
	q := m.question
	m.question = nil
	if q == nil || q.Person != person || q.Voice != aloud || time.Now().After(q.until) {
		return nil
	}
	return q.Question
}

// await opens the window for the answer to a question that has been spoken, and
// reports whether there is one. A question in text waits without it.
func (m *machine) await(t *turn) bool {
	q := m.question
	if q == nil || q.Question.Turn != t.Turn.Header.Turn {
		return false
	}
	q.until = time.Now().Add(answerLimit)
	if q.Voice {
		m.arm(opening{by: byQuestion, route: t.route()}, listenWindow)
	}
	return m.armed().by == byQuestion
}

// listenForAnswer is the state after await.
func (m *machine) listenForAnswer(ctx context.Context) {
	if m.opt.Chime {
		m.opt.Voice.Cue(cue.Listening)
	}
	m.move(event.Listening)
	m.prepare(ctx)
}

// askAgain gives a person whose answer was no word a second chance.
func (m *machine) askAgain(ctx context.Context, u *utterance) bool {
	if u.armed.by != byQuestion || m.question == nil || m.question.again {
		return false
	}
	m.question.again = true
	m.opt.Voice.Cue(cue.Failed)
	m.arm(u.armed, listenWindow)
	m.prepare(ctx)
	return true
}

// unanswered ends a spoken question that nobody said yes to, and reports whether
// there was one. What it says waits for the loop to rest.
func (m *machine) unanswered(ctx context.Context) bool {
	if m.question == nil || !m.question.Voice {
		return false
	}
	said := answer.SayUnanswered
	if !m.question.WantsYes() {
		said = answer.SayNoAnswer
	}
	m.question = nil
	if err := m.announce(ctx, &answer.Announcement{Text: said}); err != nil {
		m.log.Warn("announce that nothing was done", "component", "dialogue", "error", err)
	}
	return true
}

// stray reports whether text is a yes or no to nothing, or a greeting: a word of the
// room that fell into a follow-up window.
func (m *machine) stray(by opening, text string) bool {
	if by.byHand() || m.question != nil {
		return false
	}
	return m.opt.Answers.Idle(text)
}

// otherVoice is the reason of an event.Ignored: a yes that is not from who was asked.
const otherVoice = "other_voice"

// How much softer and louder than the request the yes may be, in dB. Of one voice that
// stays where it is, "yes" is up to 6.5 dB softer than a request and up to 3 dB louder
// (five synthetic voices, the loudest 100 ms of each, 2026-11); a step away from the
// microphone is as much again where people stand close by.
const (
	softerYes = 10
	louderYes = 6
)

// stranger reports whether u says yes for somebody else: from much farther away than the
// request, or much louder, as a television does.
func (m *machine) stranger(u *utterance, text string) bool {
	q := m.question
	if q == nil || !q.Voice || !q.WantsYes() || q.Level == 0 || u.level == 0 {
		return false
	}
	if yes, _ := m.opt.Answers.Agrees(text); !yes {
		return false
	}
	return u.level < q.Level-softerYes || u.level > q.Level+louderYes
}

// recording reports whether what a person says now is kept as it sounds.
func (m *machine) recording() bool {
	return m.armed().by == byQuestion && m.question != nil && m.question.Record
}

// recorded begins the turn that does something with a recording, of which the words do
// not matter, unless they are a no. It reports false when nobody wants it any more.
func (m *machine) recorded(ctx context.Context, u *utterance, text string) bool {
	if m.question == nil || !m.question.Record {
		return false
	}
	if yes, ok := m.opt.Answers.Agrees(text); ok && !yes {
		u.sound = nil
	} else {
		text = ""
	}
	m.request(ctx, u, u.armed, text)
	return true
}
