package thinker

import (
	"context"
	"time"

	"hearthd/config/letters"
	"hearthd/llm"
)

// maxRecalled bounds what the memory adds to a request, in bytes: 20 notes.
const maxRecalled = 6 << 10

// maxCalls bounds one step, so that the newest one always fits into the conversation: with a
// request, the calls, and the request after it.
func (t *Thinker) maxCalls() int { return min(maxCalls, t.opt.MaxMessages-3) }

// begin begins a turn.
func (t *Thinker) begin(ctx context.Context, d *Domain, ask llm.Ask, claimed bool,
	yield func(llm.Delta, error) bool) *run {
	r := t.newRun(ctx, ask, t.offering(d, claimed), yield)
	t.mu.Lock()
	defer t.mu.Unlock()
	r.conv = &t.conv
	r.ex = t.conv.begin(ask.Text, ask.Mode)
	t.conv.person = ask.Person
	if r.offering.shared {
		t.conv.tell(r.ex, d, r.told)
		t.conv.offer(r.specs)
	}
	t.conv.trim(r.room())
	r.ex.thinking = true
	t.touch()
	return r
}

// newRun prepares a turn that has no conversation yet.
func (t *Thinker) newRun(ctx context.Context, ask llm.Ask, s offering, yield func(llm.Delta, error) bool) *run {
	now := time.Now()
	r := &run{
		t: t, domain: s.domain, chat: t.chat(s.domain), ask: ask, yield: yield, begun: now, age: t.forgotten(),
		stamp: now.In(t.opt.Location).Format("[Monday, 2 January 2006, 15:04]\n"),
		seen:  map[string]int{}, news: map[string]bool{},
	}
	limit := t.limit()
	r.system, r.told = t.prompt(s.domain)
	left := limit - limit/conversationShare - messageTokens - textSize(r.system+r.told+r.stamp)
	s.room, s.most = min(limit/toolsShare, left), left
	r.offering, r.specs = s, t.tools(s, ask.Text)
	left -= specsSize(r.specs)
	if t.opt.Memory != nil {
		bytes := min(maxRecalled, left*bytesPerToken-2)
		r.known = t.known(ctx, ask.Person, bytes)
		block, notes := t.opt.Memory.Recall(ctx, ask.Person, ask.Text)
		if block = letters.Cut(block, max(0, bytes-len(r.known))); block != "" {
			r.stamp = block + "\n" + r.stamp
			r.usage.Recalled = notes
		}
	}
	if !s.shared {
		r.stamp = r.told + r.stamp
	}
	return r
}

// known is what is known of a person, before the conversation.
func (t *Thinker) known(ctx context.Context, person string, bytes int) string {
	if t.opt.Memory == nil {
		return ""
	}
	most := max(0, min(bytes, t.limit()/knownShare*bytesPerToken))
	if block := letters.Cut(t.opt.Memory.Known(ctx, person), most); block != "" {
		return block + "\n"
	}
	return ""
}

// limit is MaxTokens in the units of our estimate, of which a model may count more.
func (t *Thinker) limit() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int(float64(t.opt.MaxTokens) / t.conv.excess())
}
