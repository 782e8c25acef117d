package answer

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hearthd/llm"
	"hearthd/tools"
)

// answerSlot stands for the answer in the requests of a question.
const answerSlot = "{answer}"

// match finds the calls of the request. What the request means by itself has precedence over what
// it means as an answer, unless it is incomplete, says less or chooses among what was asked about.
func (a *answer) match() (calls []llm.ToolCall, intent string, ok bool) {
	req, m, topic := a.query, a.opt.Matcher, a.topic.Get()
	if q := req.Answers; q != nil && q.choose != "" {
		if call, intent, ok := m.MatchChoice(req.Text); ok && call.Name == chooseCall {
			call.Name, req.Person = q.choose, q.Person
			return []llm.ToolCall{call}, intent, true
		}
	}
	if req.Answers != nil && req.Answers.WantsYes() {
		topic = consentCall // "open it" agrees
	}
	call, intent, ok := m.Match(req.Text, topic)
	if topic == consentCall && ok && !req.Answers.has(call) {
		call, intent, ok = m.Match(req.Text, req.Answers.calls[0].call.Name)
	}
	if req.Ringing {
		call, intent, ok = m.MatchRinging(req.Text)
	}
	given, as, answers := a.given()
	if ok && call.Name != askCall && !(answers && completes(given, call)) {
		return []llm.ToolCall{call}, intent, true
	}
	if answers {
		req.Person = req.Answers.Person
		return []llm.ToolCall{given}, as, true
	}
	if ok {
		return []llm.ToolCall{call}, intent, true
	}
	return m.MatchTwo(req.Text, topic)
}

// given is what the request means as the answer to a question.
func (a *answer) given() (call llm.ToolCall, intent string, ok bool) {
	q := a.query.Answers
	if q == nil {
		return llm.ToolCall{}, "", false
	}
	for _, then := range q.then {
		call, intent, ok = a.opt.Matcher.Match(strings.ReplaceAll(then, answerSlot, a.query.Text), "")
		if ok && !own(call.Name) {
			return call, intent, true
		}
	}
	return llm.ToolCall{}, "", false
}

// completes reports whether whole says all that part says, and more: "blue" is any light's, as the answer to a
// question it is that of the lamp that was spoken of.
func completes(whole, part llm.ToolCall) bool {
	var all, some map[string]any
	if whole.Name != part.Name || json.Unmarshal(whole.Arguments, &all) != nil || json.Unmarshal(part.Arguments, &some) != nil {
		return false
	}
	for name, value := range some {
		if !reflect.DeepEqual(all[name], value) {
			return false
		}
	}
	return len(all) > len(some)
}

// runnable reports whether calls are run. Where one cannot be now, such as stocks without a key, the
// thinker may know another way.
func (a *answer) runnable(calls []llm.ToolCall) bool {
	for _, c := range calls {
		if a.opt.Thinker != nil && !own(c.Name) && !a.opt.Offers.Has(c.Name) {
			a.lacks = a.opt.Offers.Missing(c.Name)
			return false
		}
	}
	return true
}

// run carries out the calls of intents and then says how each went. What a person has to agree to,
// or to complete, is asked first.
func (a *answer) run(ctx context.Context, calls []llm.ToolCall) {
	var went []line
	for i, call := range calls {
		call.ID = fmt.Sprintf("intent-%d-%d", a.t.Turn, i+1)
		if l, said := a.runOne(ctx, call); said && !(l.failed && slices.Contains(went, l)) { // a reason is said once
			went = append(went, l)
		}
	}
	for _, l := range went {
		a.say(ctx, l)
	}
}

// runOne carries out one call. What it asks is not said yet.
func (a *answer) runOne(ctx context.Context, call llm.ToolCall) (said line, ok bool) {
	var args struct {
		Text     string   `json:"text"`
		Question string   `json:"question"`
		Then     []string `json:"then"`
	}
	if call.Name == askCall || call.Name == replyCall {
		if err := json.Unmarshal(call.Arguments, &args); err != nil {
			a.opt.Log.Error("read what an intent says", "component", "dialogue", "turn", a.t.Turn, "error", err)
			a.fail("bad_arguments")
			return line{text: a.opt.Tools.book.Say("dialogue.not_understood"), failed: true}, true
		}
	}
	switch call.Name {
	case replyCall:
		return line{text: args.Text}, true
	case askCall:
		a.notes.ask(asked{text: args.Question, then: args.Then})
		return line{}, false
	}
	if why := a.opt.Offers.Missing(call.Name); why != "" && !a.opt.Offers.Has(call.Name) {
		a.fail("not_offered")
		return line{text: why, failed: true}, true
	}
	out := a.opt.Tools.Run(ctx, tools.Call{ToolCall: call, For: a.toolAsk(), Unsure: a.spoken.Unsure})
	switch {
	case out.Class == tools.Asked, out.Record:
		return line{}, false
	case out.Class == tools.OK && out.Next != nil:
		out.Next.ID = call.ID + "-next"
		return a.runOne(ctx, *out.Next)
	case out.Class == tools.OK && (len(out.Then) > 0 || out.Choose != ""):
		a.notes.ask(asked{text: out.Text, then: out.Then, choose: out.Choose})
		return line{}, false
	}
	return a.told(out), true
}

// told is what a person hears of an outcome. A failure counts as the turn's.
func (a *answer) told(out tools.Outcome) line {
	if out.Class != tools.OK {
		a.fail(string(out.Class))
	}
	return line{text: out.Spoken(a.opt.Tools.book), failed: out.Class != tools.OK}
}
