package ollama

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/ollama/ollama/api"

	"hearthd/llm"
)

// coldLoad separates a load from the bookkeeping that Ollama counts as one. Measured with v0.24.0:
// 290 ms to load a model of 2 MB, 2–3 ms when it was loaded.
const coldLoad = 100 * time.Millisecond

// wire is req as Ollama expects it. Everything that decides whether the loaded model can be used
// again is sent every time: a different num_ctx would load it again, and without think a thinking
// model thinks.
func (c *Client) wire(req llm.Request) (*api.ChatRequest, error) {
	stream := true
	w := &api.ChatRequest{
		Model:     c.opt.Model,
		Messages:  make([]api.Message, 0, len(req.Messages)),
		Stream:    &stream,
		KeepAlive: &api.Duration{Duration: c.opt.KeepAlive},
		Options:   map[string]any{"num_ctx": c.opt.NumCtx},
		Think:     &api.ThinkValue{Value: c.opt.Think && !c.cannot.Load()},
	}
	if req.Most > 0 {
		w.Options["num_predict"] = req.Most
	}
	if len(req.Schema) > 0 {
		// A model that may think silently ignores the format.
		w.Format, w.Think.Value = req.Schema, false
	}
	for _, m := range req.Messages {
		w.Messages = append(w.Messages, message(m))
	}
	for _, s := range req.Tools {
		t, err := tool(s)
		if err != nil {
			return nil, err
		}
		w.Tools = append(w.Tools, t)
	}
	return w, nil
}

func message(m llm.Message) api.Message {
	w := api.Message{Role: string(m.Role), Content: m.Content}
	if m.Role == llm.ToolRole {
		w.ToolName, w.ToolCallID = m.Tool, m.CallID
	}
	for i, call := range m.Calls {
		t := api.ToolCall{ID: call.ID, Function: api.ToolCallFunction{Index: i, Name: call.Name}}
		// Arguments that are no object were written by another model. Their result says what was
		// wrong with them; Ollama cannot carry them.
		if json.Unmarshal(call.Arguments, &t.Function.Arguments) != nil {
			t.Function.Arguments = api.NewToolCallFunctionArguments()
		}
		w.ToolCalls = append(w.ToolCalls, t)
	}
	return w
}

// tool keeps of a schema those parts for which api has fields: type, properties, required, items,
// enum, anyOf, description. The executor checks the arguments against the whole schema.
func tool(s llm.ToolSpec) (api.Tool, error) {
	t := api.Tool{Type: "function", Function: api.ToolFunction{Name: s.Name, Description: s.Description}}
	p := &t.Function.Parameters
	if len(s.Parameters) > 0 {
		if err := json.Unmarshal(s.Parameters, p); err != nil {
			return t, fmt.Errorf("read schema of tool %q: %w", s.Name, err)
		}
	}
	if p.Type == "" {
		p.Type = "object"
	}
	if p.Properties == nil { // templates range over it
		p.Properties = api.NewToolPropertiesMap()
	}
	return t, nil
}

// deltas are the parts of one line of the stream.
func deltas(r api.ChatResponse) iter.Seq[llm.Delta] {
	return func(yield func(llm.Delta) bool) {
		if r.Message.Content != "" && !yield(llm.Delta{Text: r.Message.Content}) {
			return
		}
		for _, call := range r.Message.ToolCalls {
			// Older servers send no id and a server may repeat one; the history
			// pairs calls with their results by it.
			if !yield(llm.Delta{Call: &llm.ToolCall{
				ID:        "call_" + rand.Text()[:10],
				Name:      call.Function.Name,
				Arguments: json.RawMessage(call.Function.Arguments.String()),
			}}) {
				return
			}
		}
		if r.Done {
			u := &llm.Usage{PromptTokens: r.PromptEvalCount, OutputTokens: r.EvalCount}
			if r.LoadDuration >= coldLoad {
				u.Load = r.LoadDuration
			}
			yield(llm.Delta{Usage: u})
		}
	}
}
