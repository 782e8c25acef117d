package ollama

import (
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
)

// prefix is the text of the last exchange that the server is believed to have evaluated: the next
// prompt need not be evaluated again as far as both begin alike.
//
// Ollama v0.34.4 says how much of a prompt it had (prompt_eval_cached_count, see its docs/api.md).
// v0.24.0 counts the whole prompt in prompt_eval_count, evaluated before or not
// (runner/llamarunner/runner.go sets numPromptInputs before it looks at the cache), and reports
// nothing else but durations. So for such servers the common beginning is estimated here, in bytes,
// as if nobody else had sent requests since.
type prefix struct {
	mu   sync.Mutex
	text string
}

// share returns how much of a prompt the server had evaluated already, 0 to 1, and notes the prompt
// with its answer for the next request. cold is a server that has just loaded the model.
func (p *prefix) share(req *api.ChatRequest, answer string, cold bool) float64 {
	now := render(req)
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for !cold && n < len(now) && n < len(p.text) && now[n] == p.text[n] {
		n++
	}
	p.text = now + "\nassistant\n" + answer
	if now == "" {
		return 0
	}
	return float64(n) / float64(len(now))
}

// forget drops the prompt.
func (p *prefix) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = ""
}

// render writes a prompt about as templates do: system prompt, tools, messages.
func render(req *api.ChatRequest) string {
	var b strings.Builder
	ms := req.Messages
	write := func(m api.Message) {
		b.WriteString("\n" + m.Role + "\n" + m.Content)
		for _, c := range m.ToolCalls {
			b.WriteString(called(c))
		}
	}
	for len(ms) > 0 && ms[0].Role == "system" {
		write(ms[0])
		ms = ms[1:]
	}
	for _, t := range req.Tools {
		b.WriteString(t.String())
	}
	for _, m := range ms {
		write(m)
	}
	return b.String()
}

func called(c api.ToolCall) string { return c.Function.Name + c.Function.Arguments.String() }

// evaluated is the number of tokens of a prompt that the server had to evaluate: at least the last
// one, from which it continues.
func evaluated(m api.Metrics, share float64) int {
	cached := int(share * float64(m.PromptEvalCount))
	if m.PromptEvalCachedCount != nil {
		cached = *m.PromptEvalCachedCount
	}
	if m.PromptEvalCount == 0 {
		return 0
	}
	return max(1, m.PromptEvalCount-max(0, cached))
}
