package thinker

import (
	"context"

	"hearthd/llm"
)

// Warm has the model read what the next request will begin with: prompt, tools and
// conversation, as they were last. A server that holds the last prompt evaluated then
// evaluates little more than that request. Without a conversation it reads what all
// begin with.
func (t *Thinker) Warm(ctx context.Context) error {
	t.mu.Lock()
	name := t.router.last
	if t.conv.silent() || name == "" {
		name = Fallback
	}
	messages, offered := t.conv.messages(), t.conv.offered[name]
	t.mu.Unlock()
	d := t.domain(name)
	if d == nil {
		d = t.domain(Fallback)
	}
	if t.special(d) != nil {
		return nil // it was asked nothing else
	}
	tools := find(t.opt.Tools.Specs(), offered)
	if len(offered) == 0 {
		tools = t.tools(rack{domain: d, room: t.limit() / toolsShare}, "")
	}
	req := llm.Request{Messages: append([]llm.Message{{Role: llm.System, Content: t.system(d)}}, messages...), Tools: tools, Most: 1}
	for _, err := range t.opt.Chat.Chat(ctx, req) {
		if err != nil {
			return err
		}
	}
	return nil
}
