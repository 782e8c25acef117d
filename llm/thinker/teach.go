package thinker

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// lore is what a Thinker goes by, and what Teach replaces.
type lore struct {
	domains []Domain
	prompts Prompts
	words   map[string]string // of other languages, with the English ones (guard.Opens)
	long    []string          // domains whose prompt does not fit
}

// taught checks and completes what a Thinker with prompts of at most maxTokens is to
// go by.
func taught(domains []Domain, prompts Prompts, maxTokens int) (*lore, error) {
	if len(domains) == 0 {
		domains = []Domain{{Name: Fallback, Tools: []string{"*"}, Steps: maxSteps, Time: maxThinking}}
	}
	if !slices.ContainsFunc(domains, func(d Domain) bool { return d.Name == Fallback }) {
		return nil, fmt.Errorf("thinker: no domain %q", Fallback)
	}
	l := &lore{domains: domains, prompts: prompts.filled(), words: words(domains)}
	for i := range domains {
		if textSize(l.prompts.system(&domains[i])) > maxTokens/systemShare {
			l.long = append(l.long, domains[i].Name)
		}
	}
	return l, nil
}

// complain names what of l cannot be used whole.
func (l *lore) complain(log *slog.Logger) {
	if len(l.long) > 0 {
		log.Warn("prompt is too long and is cut", "component", "thinker", "domain", strings.Join(l.long, " "))
	}
}

// Beside begins another conversation with the options of t, which goes by the domains,
// the prompts and the embedded examples that t goes by now. It announces its own
// background jobs, and nobody is told of its end.
func (t *Thinker) Beside(announce func(ctx context.Context, a Kept)) *Thinker {
	o := t.opt
	o.Announce, o.Ended = announce, nil
	t.mu.Lock()
	defer t.mu.Unlock()
	own := build(o, t.lore.Load())
	own.router.vectors = t.router.vectors
	return own
}

// Teach replaces the domains and the prompts. A turn that is going on ends as it
// began, and the conversation stays.
func (t *Thinker) Teach(domains []Domain, prompts Prompts) error {
	l, err := taught(domains, prompts, t.opt.MaxTokens)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := newRouter(l.domains, t.router.means)
	r.last, r.lastAt = t.router.last, t.router.lastAt
	t.router = r
	t.lore.Store(l)
	l.complain(t.opt.Log)
	select {
	case t.relearn <- struct{}{}:
	default:
	}
	return nil
}
