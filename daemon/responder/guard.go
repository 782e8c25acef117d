package responder

import (
	"slices"

	"hearthd/llm"
	"hearthd/llm/guard"
)

// ReadOnly reports whether a tool changes nothing. A thinker has tools that do.
func (r *Responder) ReadOnly(tool string) bool {
	return slices.ContainsFunc(r.opt.Registry.Specs(), func(s llm.ToolSpec) bool { return s.Name == tool && s.ReadOnly })
}

// Opens reports whether a request says a call, which may then be made after words from
// outside the house. A thinker knows by itself when the person has to be asked.
func (r *Conversation) Opens(text string, call llm.ToolCall) bool {
	switch {
	case r.thinkers == nil:
		return guard.Opens(text, call, nil)
	case call.Name == ConsultTool:
		return true
	}
	return r.thinkers.Opens(text, call)
}

// Foreign reports whether the answer of a job, which is not announced yet, stands in what a
// new session is told.
func (r *Conversation) Foreign() bool {
	return r.thinkers != nil && r.thinkers.Foreign()
}
