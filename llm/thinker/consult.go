package thinker

import (
	"context"
	"errors"
	"strings"
	"time"

	"hearthd/llm"
)

// Consult has one thinker answer outside the conversation, for a responder that leads it. An
// unknown domain means Fallback. A background job is queued, and the promise to do it is the
// answer. It reports whether the answer may contain words from outside the house.
func (t *Thinker) Consult(ctx context.Context, domain string, ask llm.Ask) (answer Kept, foreign bool, err error) {
	d := t.domain(domain)
	if d == nil {
		t.unknown.Add(1)
		d = t.domain(Fallback)
	}
	if d.Background {
		return Kept{Text: t.queue(d, ask)}, false, nil
	}
	return t.apart(ctx, d, ask)
}

// Unknown counts consultations that named a domain which does not exist.
func (t *Thinker) Unknown() uint64 { return t.unknown.Load() }

// apart finds an answer in a separate conversation. It reports what Consult does.
func (t *Thinker) apart(ctx context.Context, d *Domain, ask llm.Ask) (answer Kept, foreign bool, err error) {
	var found []string
	var failed error
	r := t.newRun(ctx, ask, offering{domain: d}, func(delta llm.Delta, err error) bool {
		if err != nil {
			failed = err
		} else if delta.Text != "" {
			found = append(found, delta.Text)
		}
		return true
	})
	r.conv = &conversation{maxMessages: t.opt.MaxMessages, touched: time.Now(), foreign: ask.Foreign}
	r.ex = r.conv.begin(ask.Text, ask.Mode)
	r.work(ctx)
	if failed == nil && len(found) == 0 {
		failed = errors.New("the model gave no answer")
	}
	return Kept{strings.Join(found, " "), r.usage.Sources}, r.ex.foreign, failed
}
