package realtime

import (
	"fmt"

	"hearthd/llm"
)

const (
	// maxCalls bounds the tool calls of one turn.
	maxCalls = 16

	typeCreateItem = "conversation.item.create"
	typeCall       = "function_call"
	typeCallOutput = "function_call_output"
	// Of tools that a service runs itself, elsewhere. It is told of none, so that it asks for nothing
	// that could be agreed to.
	typeApproval = "mcp_approval_request"
	typeRefusal  = "mcp_approval_response"
)

// What the service is sent as the output of calls that were not run.
const (
	outputStale   = "The person has gone on to something else. What this call did is not known."
	outputTooMany = "Too many calls in one turn. The tool was not run. Answer with what you have."
)

// owes reports whether a call of r has no output yet.
func (r *response) owes() bool {
	for _, owed := range r.called {
		if owed {
			return true
		}
	}
	return false
}

// call hands over one tool call of r, or answers it at once, but never twice.
func (l *loop) call(r *response, it *item) {
	if _, taken := r.called[it.CallID]; taken || it.CallID == "" || it.Status == "incomplete" {
		return
	}
	if len(r.called) >= maxKnown {
		l.failed = errRounds
		return
	}
	r.called[it.CallID] = true
	switch t := r.turn; {
	case t == nil, t != l.turn, r.cut:
		l.output(r, it.CallID, outputStale)
	case t.calls >= maxCalls:
		l.output(r, it.CallID, outputTooMany)
	default:
		t.calls++
		t.push(llm.Delta{Call: &llm.ToolCall{ID: it.CallID, Name: it.Name, Arguments: []byte(it.Arguments)}})
	}
}

// refuse answers what the service wants to do elsewhere, once.
func (l *loop) refuse(r *response, it *item) {
	if _, taken := r.called[it.ID]; taken || it.ID == "" || len(r.called) >= maxKnown {
		return
	}
	r.called[it.ID] = false
	l.s.log.Warn("the service asks for a tool elsewhere", "component", "responder", "tool", l.s.opt.name(it.Name))
	l.refusals++
	l.send(outgoing{Type: typeCreateItem, Item: &item{Type: typeRefusal, ID: fmt.Sprintf("no_%d", l.refusals),
		Request: it.ID, Approve: new(bool)}})
}

// result takes the result of a call of t.
func (l *loop) result(t *Turn, id, output string) {
	for _, r := range l.known {
		if r.turn == t && r.called[id] {
			l.output(r, id, output)
			l.settle(r)
			return
		}
	}
}

// output sends the service the one output of a call.
func (l *loop) output(r *response, id, output string) {
	l.send(outgoing{Type: typeCreateItem, Item: &item{Type: typeCallOutput, CallID: id, Output: &output}})
	r.called[id] = false
}
