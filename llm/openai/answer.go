package openai

import (
	"crypto/rand"
	"encoding/json"
	"fmt"

	"github.com/sashabaranov/go-openai"

	"hearthd/llm"
)

const (
	maxCalls     = 64       // of one answer
	maxArguments = 64 << 10 // bytes of one call
)

// answer collects the pieces of one streamed answer.
type answer struct {
	calls  []llm.ToolCall
	finish openai.FinishReason
	usage  llm.Usage
}

// take adds a piece and gives the text in it.
func (a *answer) take(p openai.ChatCompletionStreamResponse) (text string, err error) {
	if u := p.Usage; u != nil {
		a.usage.PromptTokens, a.usage.OutputTokens = max(0, u.PromptTokens), max(0, u.CompletionTokens)
		a.usage.Evaluated = a.usage.PromptTokens
		if u.PromptTokensDetails != nil {
			a.usage.Evaluated -= min(max(0, u.PromptTokensDetails.CachedTokens), a.usage.PromptTokens)
		}
	}
	if len(p.Choices) == 0 {
		return "", nil
	}
	c := p.Choices[0]
	if c.FinishReason != "" {
		a.finish = c.FinishReason
	}
	for _, part := range c.Delta.ToolCalls {
		if err := a.call(part); err != nil {
			return "", err
		}
	}
	return c.Delta.Content, nil
}

// call adds a part of a tool call: its name comes first, its arguments in
// fragments. Servers that send no index send each call whole.
func (a *answer) call(part openai.ToolCall) error {
	i := len(a.calls)
	if part.Index != nil {
		i = *part.Index
	}
	if i < 0 || i > len(a.calls) || i >= maxCalls {
		return fmt.Errorf("%w: part of tool call %d after %d calls", llm.ErrBroken, i, len(a.calls))
	}
	if i == len(a.calls) {
		// The history pairs calls with their results by an id of our own: servers
		// repeat theirs.
		a.calls = append(a.calls, llm.ToolCall{ID: "call_" + rand.Text()[:10], Arguments: json.RawMessage{}})
	}
	c := &a.calls[i]
	c.Name += part.Function.Name
	c.Arguments = append(c.Arguments, part.Function.Arguments...)
	if len(c.Arguments) > maxArguments || len(c.Name) > 200 {
		return fmt.Errorf("%w: tool call of %d bytes", llm.ErrBroken, len(c.Arguments))
	}
	return nil
}
