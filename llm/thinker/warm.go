package thinker

import (
	"context"
	"math"

	"hearthd/llm"
)

// Warm makes the model read what the next request will begin with: system prompt, tools and
// conversation. A server that keeps the last prompt evaluated then evaluates little more than that
// request. The tools are those of the last request and, because there is time now, those that other
// requests are likely to need, whichever domain answers them.
func (t *Thinker) Warm(ctx context.Context) error {
	specs, room := t.opt.Tools.Specs(), t.limit()/toolsShare
	t.mu.Lock()
	next := t.conv // trimmed so that a request still fits
	next.maxMessages, next.exchanges = next.maxMessages-1, nil
	for _, ex := range t.conv.exchanges {
		one := *ex
		next.exchanges = append(next.exchanges, &one)
	}
	next.trim(math.MaxInt) // so that no text is cut, because both conversations share the texts
	messages, person, d := next.messages(), next.person, t.domain(t.router.last)
	if d == nil || len(messages) == 0 {
		d = t.domain(Fallback)
	}
	if t.special(d) != nil {
		t.mu.Unlock()
		return nil // it was asked nothing else
	}
	tools := t.stock(specs, t.conv.offered, room)
	t.conv.offer(tools)
	t.mu.Unlock()
	if len(messages) > 0 {
		messages[0].Content = t.known(ctx, person, maxRecalled) + messages[0].Content
	}
	system, _ := t.prompt(d)
	req := llm.Request{Messages: append([]llm.Message{{Role: llm.System, Content: system}}, messages...), Tools: tools,
		Most: 1}
	for _, err := range t.opt.Chat.Chat(ctx, req) {
		if err != nil {
			return err
		}
	}
	return nil
}
