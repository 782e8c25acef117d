package thinker

import (
	"context"
	"slices"
	"strings"
	"time"

	"hearthd/llm"
)

// route gives the domain of a request.
func (t *Thinker) route(ctx context.Context, text string) *Domain {
	specs := t.opt.Tools.Specs()
	live := func(name string) bool {
		d := t.domain(name)
		return d != nil && d.live(specs)
	}
	t.mu.Lock()
	r := *t.router // a copy, so that the wait for an embedding holds no lock
	t.mu.Unlock()
	name := r.route(ctx, text, time.Now(), live)
	t.mu.Lock()
	t.router.last, t.router.lastAt = r.last, r.lastAt
	t.mu.Unlock()
	if d := t.domain(name); d != nil {
		return d
	}
	return t.domain(Fallback) // it was taken away meanwhile
}

// domain gives a domain by name, or nil.
func (t *Thinker) domain(name string) *Domain {
	domains := t.lore.Load().domains
	i := slices.IndexFunc(domains, func(d Domain) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &domains[i]
}

// live reports whether a domain can do what it is for.
func (d *Domain) live(specs []llm.ToolSpec) bool {
	return d.Name == Fallback || len(d.Tools) == 0 ||
		slices.ContainsFunc(specs, func(s llm.ToolSpec) bool { return d.offers(s.Name) })
}

// tools are those of specs that a model is offered for a request to a domain: all
// that the domain offers, if they fit into room, in tokens. Of more, those stay away
// that have nothing to do with the request: first all that another domain names and
// this one does not, then the last ones. One may take most.
func (t *Thinker) tools(d *Domain, request string, specs []llm.ToolSpec, room, most int) []llm.ToolSpec {
	words := fold(request)
	var offered []llm.ToolSpec
	for _, s := range specs {
		if d.offers(s.Name) {
			offered = append(offered, s)
		}
	}
	other := func(s llm.ToolSpec) bool {
		return !d.names(s.Name) && slices.ContainsFunc(t.lore.Load().domains, func(o Domain) bool { return o.names(s.Name) })
	}
	asked := func(s llm.ToolSpec) bool {
		parts := strings.Split(s.Name, "_")
		return slices.ContainsFunc(words, func(w string) bool { return isNoun(parts, w) })
	}
	if specsSize(offered) > room {
		offered = slices.DeleteFunc(offered, func(s llm.ToolSpec) bool { return other(s) && !asked(s) })
	}
	for i := len(offered) - 1; i >= 0 && specsSize(offered) > room; i-- {
		if !asked(offered[i]) {
			offered = slices.Delete(offered, i, i+1)
		}
	}
	for n := len(offered); n > 0 && specsSize(offered) > room && (n > 1 || specsSize(offered) > most); n-- {
		offered = offered[:n-1]
	}
	return offered
}

func specsSize(specs []llm.ToolSpec) int {
	n := 0
	for _, s := range specs {
		n += specSize(s)
	}
	return n
}

// specSize estimates the tokens of s in a prompt.
func specSize(s llm.ToolSpec) int {
	return messageTokens + textSize(s.Name) + textSize(s.Description) + textSize(string(s.Parameters))
}

// byWords is that of the router that holds now.
func (t *Thinker) byWords(words []string, live func(string) bool) string {
	t.mu.Lock()
	r := t.router
	t.mu.Unlock()
	return r.byWords(words, live)
}

// Status is a domain and whether it can work now.
type Status struct {
	Domain
	Tools []string // that are installed
	Live  bool
}

// Domains gives all domains by name.
func (t *Thinker) Domains() []Status {
	specs := t.opt.Tools.Specs()
	var all []Status
	for _, d := range t.lore.Load().domains {
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

// chat gives the model that serves a domain.
func (t *Thinker) chat(d *Domain) chat {
	for _, m := range []Model{{d.Provider, d.Tier}, {d.Provider, Fast}} {
		if c := t.opt.Chats[m]; c != nil {
			return c
		}
	}
	return t.opt.Chat
}
