package thinker

import (
	"context"

	"hearthd/llm"
	"hearthd/llm/guard"
	"hearthd/tools"
)

// The results of calls that are not run.
const (
	notOffered = "There is no such tool here. Use only the tools that are offered."
	notMeant   = "This tool is not for this request. Use another one, or answer without."
)

// do runs a call. Once the model was shown foreign text, a call with an effect is run only if the
// person's own words ask for it; otherwise the person is asked.
func (r *run) do(ctx context.Context, c llm.ToolCall, shown bool) tools.Outcome {
	call := tools.Call{ToolCall: c, For: r.ask, Ask: shown && !r.reads(c.Name) && !r.t.Opens(r.ask.Said, c)}
	if r.ask.Turn == 0 { // what a job finds is announced to everybody, so no person can agree to it
		call.For = llm.Ask{Guest: r.ask.Guest}
	}
	return r.t.opt.Tools.Run(ctx, call)
}

// shown reports whether the model was shown foreign text in this conversation, or an answer derived
// from it.
func (r *run) shown() bool {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	return r.conv.foreign
}

// Opens reports whether the person's own words ask for a call: a model that was shown foreign text
// may make it all the same.
func (t *Thinker) Opens(request string, call llm.ToolCall) bool {
	return guard.Opens(request, call, t.teaching.Load().words)
}
