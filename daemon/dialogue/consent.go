package dialogue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/event"
	"hearthd/llm"
)

const (
	// consentCall is the name of the call that the matcher makes of a yes or a no,
	// with the argument "yes". It never reaches the tools, and no model is offered
	// it: only a person agrees.
	consentCall = "confirm"
	// classAsked is the class of a call that a person has to agree to first.
	classAsked = "asked"
	// byQuestion is what opened a window in which a question is answered.
	byQuestion = "question"
	// answerLimit is how long a question that was asked in text waits, and the
	// longest that any does.
	answerLimit = time.Minute
)

// question is what a turn asked before it does something. The next request of the
// same person answers it, and whatever that says but yes is a no.
type question struct {
	turn   uint64
	person string
	voice  bool // it was asked of somebody who speaks
	text   string
	calls  []asked
	then   []string // requests that an answer may make, with {answer}; empty: a yes is wanted
	record bool     // what is said next is wanted as it sounds
	level  float32  // of the voice that it was asked of, in dBFS; 0: it is not known
	until  time.Time
	again  bool // the answer was not understood once
}

// asks is the question that the calls of a turn have left, or nil. Several become
// one, which one yes answers.
func (n *notes) asks() *question {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.asked) == 0 {
		return nil
	}
	q := &question{turn: n.header.Turn, person: n.person}
	var texts []string
	for _, a := range n.asked {
		texts = append(texts, a.text)
		text := a.text
		if len(n.asked) > 1 {
			text = sayOneThing + " " + text
		}
		if len(a.then) > 0 {
			return &question{turn: q.turn, person: q.person, text: text, then: a.then}
		}
		if a.record {
			return &question{turn: q.turn, person: q.person, text: text, record: true, calls: []asked{a}}
		}
		q.calls = append(q.calls, a)
	}
	q.text = strings.Join(texts, " ")
	return q
}

// asked is a call that waits for a yes, or what an answer completes.
type asked struct {
	call llm.ToolCall
	text string
	then []string

	record bool
}

// ask notes a call that waits for a yes, once. Outside of turns, where n is nil, nobody
// can be asked.
func (n *notes) ask(call llm.ToolCall, out *Outcome) {
	if n == nil {
		out.Say, out.Text = sayNobodyToAsk, sayNobodyToAsk
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	same := func(a asked) bool {
		return a.call.Name == call.Name && string(a.call.Arguments) == string(call.Arguments)
	}
	if !slices.ContainsFunc(n.asked, same) {
		n.asked = append(n.asked, asked{call: call, text: out.Question})
	}
}

// question ends a turn whose calls a person has to agree to. The loop knows of it
// before it is heard, for who interrupts it may do so to say yes.
func (a *answer) question(ctx context.Context) {
	q := a.notes.asks()
	if q == nil || ctx.Err() != nil {
		return
	}
	q.voice, q.until = a.t.req.source == "voice", time.Now().Add(answerLimit)
	q.level = a.t.req.level
	if a.doc.Asks = true; q.wantsYes() {
		a.doc.Question = q.text
	}
	select {
	case a.d.reports <- report{turn: a.t, asks: q}:
	case <-ctx.Done():
		return
	}
	a.say(ctx, line{text: q.text})
}

// consent answers a yes or a no.
func (a *answer) consent(ctx context.Context, call llm.ToolCall, intent string) {
	a.doc.Route, a.doc.Intent = "intent", intent
	a.routed()
	q := a.t.req.question
	switch {
	case q == nil:
		a.say(ctx, line{text: sayNotAsked})
		return
	case !agrees(call):
		a.say(ctx, line{text: sayDeclined})
		return
	case q.wantsYes() && !q.voice && a.t.req.names != q.text:
		a.fail("question_not_named")
		a.say(ctx, line{text: sayNameQuestion, failed: true})
		return
	case len(q.then) > 0:
		a.notes.wonder(q.text, q.then)
		return
	}
	a.confirmed(ctx, q)
}

// agrees reports whether a consentCall is a yes.
func agrees(call llm.ToolCall) bool {
	var args struct {
		Yes bool `json:"yes"`
	}
	return json.Unmarshal(call.Arguments, &args) == nil && args.Yes
}

// confirmed does what waited for the answer to q.
func (a *answer) confirmed(ctx context.Context, q *question) {
	for i, c := range q.calls {
		c.call.ID = fmt.Sprintf("confirmed-%d-%d", a.t.Turn, i+1)
		out := a.d.opt.Tools.RunConfirmed(ctx, c.call, c.text)
		if out.Class == classAsked {
			continue // it means something else by now, which is asked
		}
		if out.Class != "ok" {
			a.fail(out.Class)
		}
		a.say(ctx, line{text: out.Say, failed: out.Class != "ok"})
	}
}

// answers gives the question that a request answers, which is thereby over, or nil. What
// was asked aloud is answered aloud, and what was asked in writing in writing.
func (m *machine) answers(req *request) *question {
	q := m.question
	m.question = nil
	if q == nil || q.person != req.person || q.voice != (req.source == "voice") || time.Now().After(q.until) {
		return nil
	}
	return q
}

// await opens the window for the answer to a question that has been spoken, and
// reports whether there is one. A question in text waits without it.
func (m *machine) await(t *turn) bool {
	q := m.question
	if q == nil || q.turn != t.Turn {
		return false
	}
	q.until = time.Now().Add(answerLimit)
	if q.voice {
		m.arm(opening{by: byQuestion, route: t.req.route}, listenWindow)
	}
	return m.armed.by == byQuestion
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
	if m.question == nil || !m.question.voice {
		return false
	}
	said := sayUnanswered
	if len(m.question.then) > 0 || m.question.record {
		said = sayNoAnswer
	}
	m.question = nil
	if err := m.announce(ctx, announcement{text: said}); err != nil {
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
	call, _, ok := m.opt.Matcher.Match(text)
	return ok && (call.Name == replyCall || call.Name == consentCall && m.opt.Thinker == nil)
}
