package thinker

import (
	"context"
	"slices"
	"strings"
	"time"

	"hearthd/config/letters"
	"hearthd/llm"
)

// route returns the domain of a request, and whether the domain claims it.
func (t *Thinker) route(ctx context.Context, text string) (d *Domain, claimed bool) {
	specs := t.opt.Tools.Specs()
	live := func(name string) bool {
		d := t.domain(name)
		return d != nil && d.live(specs)
	}
	t.mu.Lock()
	r := *t.router // a copy, so that the wait for an embedding holds no lock
	t.mu.Unlock()
	name, claimed := r.route(ctx, text, time.Now(), live)
	t.mu.Lock()
	t.router.last, t.router.lastAt = r.last, r.lastAt
	t.mu.Unlock()
	if d := t.domain(name); d != nil {
		return d, claimed
	}
	return t.domain(Fallback), false // it was removed meanwhile
}

// domain gives a domain by name, or nil.
func (t *Thinker) domain(name string) *Domain {
	domains := t.teaching.Load().domains
	i := slices.IndexFunc(domains, func(d Domain) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &domains[i]
}

// live reports whether everything that a domain needs works.
func (d *Domain) live(specs []llm.ToolSpec) bool {
	return d.Name == Fallback || len(d.Tools) == 0 ||
		slices.ContainsFunc(specs, func(s llm.ToolSpec) bool { return d.offers(s.Name) })
}

// Status is a domain, and whether it can be used now.
type Status struct {
	Domain
	Tools []string // that are installed
	Live  bool
}

// Domains gives all domains by name.
func (t *Thinker) Domains() []Status {
	specs := t.opt.Tools.Specs()
	var all []Status
	for _, d := range t.teaching.Load().domains {
		s := Status{Domain: d, Live: d.live(specs)}
		for _, spec := range specs {
			if d.offers(spec.Name) {
				s.Tools = append(s.Tools, spec.Name)
			}
		}
		all = append(all, s)
	}
	return all
}

// chat returns the model that serves a domain.
func (t *Thinker) chat(d *Domain) chat {
	if c := t.special(d); c != nil {
		return c
	}
	return t.opt.Chat
}

// special is the model that a domain asks for, or nil.
func (t *Thinker) special(d *Domain) chat {
	for _, m := range []Model{{d.Provider, d.Tier}, {d.Provider, Fast}} {
		if c := t.opt.Chats[m]; c != nil {
			return c
		}
	}
	return nil
}

// prompt returns the system prompt, which all domains share, and the domain's own prompt, which
// comes with the first of its requests in a row; both cut to the room there is.
func (t *Thinker) prompt(d *Domain) (system, own string) {
	room := t.limit() / systemShare * bytesPerToken
	system = letters.Cut(t.teaching.Load().prompts.System, room)
	if own = letters.Cut(strings.TrimSpace(d.Prompt), room-len(system)); own != "" {
		own += "\n\n"
	}
	return system, own
}
