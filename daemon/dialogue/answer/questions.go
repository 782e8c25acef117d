package answer

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// Calls that the matcher makes and that never reach the tools: a yes or a no, a request that lacks
// something, and one that has a fixed reply. No model is offered them: only a person agrees.
const (
	consentCall = "confirm" // arguments yes and do
	askCall     = "ask"     // arguments question and then
	replyCall   = "reply"   // argument text
	chooseCall  = "choose"  // which of several, for the tool that has asked

	undoCall = "undo" // of a tool; of what waits for an answer it is a no
)

// own reports whether the dialogue answers a call itself.
func own(tool string) bool { return tool == consentCall || tool == askCall || tool == replyCall }

// toldRecord is the result for a model, which has no part in what follows.
const toldRecord = "The person will be asked for the message when you have ended. Say nothing about it."

// Question is what a turn asks before it does something. The next request of the same person
// answers it, and anything but a yes is a no.
type Question struct {
	Turn   uint64
	Person string
	Voice  bool    // the person was speaking, so it is asked aloud
	Record bool    // the answer is recorded
	Level  float32 // of the request's voice, in dBFS; 0: it is not known
	text   string
	calls  []asked
	then   []string // requests that an answer may mean, with {answer}
	choose string   // the tool that takes the answer; with neither, a yes is wanted
}

// WantsYes reports whether it is a question for yes or no.
func (q *Question) WantsYes() bool { return len(q.then) == 0 && q.choose == "" && !q.Record }

// asked is a call that waits for a yes, or requests that an answer completes.
type asked struct {
	call   llm.ToolCall
	text   string
	then   []string
	choose string

	record bool
}

// question is what remains to be asked for the calls of a turn, or nil. Several become one
// question, which one yes answers.
func (n *notes) question(book *phrase.Book) *Question {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.asked) == 0 {
		return nil
	}
	q := &Question{Turn: n.header.Turn, Person: n.person}
	var texts []string
	for _, a := range n.asked {
		if !slices.Contains(texts, a.text) {
			texts = append(texts, a.text)
		}
		text := a.text
		if len(n.asked) > 1 {
			text = book.Say("dialogue.one_thing") + " " + text
		}
		if len(a.then) > 0 || a.choose != "" {
			return &Question{Turn: q.Turn, Person: q.Person, text: text, then: a.then, choose: a.choose}
		}
		if a.record {
			return &Question{Turn: q.Turn, Person: q.Person, text: text, Record: true, calls: []asked{a}}
		}
		q.calls = append(q.calls, a)
	}
	q.text = strings.Join(texts, " ")
	return q
}

// asks notes a call that waits for a yes, or for what a person says, each only once, and words its
// outcome for a model. Outside of turns, where n is nil, nobody can be asked, and a person who
// writes cannot record anything.
func (n *notes) asks(call llm.ToolCall, out *tools.Outcome, book *phrase.Book) {
	switch {
	case out.Class == tools.Asked && n == nil:
		out.Text = book.Say("dialogue.nobody_to_ask")
	case out.Record && (n == nil || !n.aloud):
		out.Text, out.Record = book.Say("dialogue.nobody_to_record"), false
	case out.Class == tools.Asked:
		n.ask(asked{call: call, text: out.Question})
	case out.Record:
		n.ask(asked{call: call, text: out.Text, record: true})
		out.Question, out.Text = out.Text, toldRecord
	}
}

// ask notes what is to be asked, and that a call is to be run only once.
func (n *notes) ask(q asked) {
	n.mu.Lock()
	defer n.mu.Unlock()
	same := func(a asked) bool {
		return a.call.Name == q.call.Name && string(a.call.Arguments) == string(q.call.Arguments)
	}
	if len(q.then) > 0 || q.choose != "" || q.record || !slices.ContainsFunc(n.asked, same) {
		n.asked = append(n.asked, q)
	}
}

// consented are the arguments of a consentCall: yes or no, and the verb of "lock it".
type consented struct {
	Yes bool   `json:"yes"`
	Do  string `json:"do"`
}

// agrees reads a consentCall. What cannot be read is a no.
func agrees(call llm.ToolCall) (c consented) {
	if json.Unmarshal(call.Arguments, &c) != nil {
		return consented{}
	}
	return c
}

// has reports whether call may be a yes to q: "lock it" is none to "Unlock the door?".
func (q *Question) has(call llm.ToolCall) bool {
	do := agrees(call).Do
	return call.Name != consentCall || do == "" || slices.Contains(strings.FieldsFunc(strings.ToLower(q.text),
		func(r rune) bool { return !unicode.IsLetter(r) }), do)
}
