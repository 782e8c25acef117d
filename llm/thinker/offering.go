package thinker

import (
	"slices"

	"hearthd/llm"
	"hearthd/llm/thinker/relevance"
)

const (
	// A request asks for a tool from a score of near on, if that is not far behind the
	// nearest one, and for few: measured with 94 requests in people's own words and the
	// tools of a whole house (daemon/testdata/wanted.txt).
	near, beside, nearest = 4, 0.6, 5
	// growth is the part of the room for tools, one part of so many, that the first
	// request of a conversation leaves to later ones.
	growth = 4
)

// offering is what tools for a request are taken from.
type offering struct {
	domain *Domain
	open   bool     // any tool may be meant, not only those of the domain
	shared bool     // what is offered is offered to the domains of the usual model, which keep it
	kept   []string // tools that they were offered last, in their order
	// room is for all of them, in tokens. A single one may take most.
	room, most int
}

// may reports whether a tool may be used for the request.
func (s *offering) may(tool string) bool { return s.open || s.domain.offers(tool) }

// offering is the one of a turn of the conversation. What nobody claims, and what Fallback
// does, may be about any tool.
func (t *Thinker) offering(d *Domain, claimed bool) offering {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := offering{domain: d, open: !claimed || d.Name == Fallback, shared: t.special(d) == nil && !d.Background}
	if s.shared && !t.conv.silent() {
		s.kept = t.conv.offered
	}
	return s
}

// rank gives the names of the tools that may be used by how near they are to a request,
// and how many of them it asks for.
func (t *Thinker) rank(request string, specs []llm.ToolSpec, may func(string) bool) (names []string, asked int) {
	terms, version := fold(request), uint64(0)
	if t.opt.Sayings != nil {
		terms, version = t.opt.Sayings.Terms(request), t.opt.Sayings.Version()
	}
	r, l := t.ranking.Load(), t.teaching.Load()
	same := func(a, b llm.ToolSpec) bool { return a.Name == b.Name && a.Description == b.Description }
	if r == nil || r.version != version || r.teaching != l || !slices.EqualFunc(r.specs, specs, same) {
		var wordings map[string]map[string]float64
		if t.opt.Sayings != nil {
			wordings = t.opt.Sayings.Wordings()
		}
		var removal []string
		for _, d := range l.domains {
			for kind, words := range d.Actions {
				if relevance.Removes(kind) {
					removal = append(removal, words...)
				}
			}
		}
		r = &ranking{relevance.New(l.described(specs), wordings, removal), specs, version, l}
		t.ranking.Store(r)
	}
	top := 0.0
	for _, tool := range r.Rank(terms) {
		if !may(tool.Name) {
			continue
		}
		top = max(top, tool.Score)
		if names = append(names, tool.Name); tool.Score >= max(near, top*beside) && len(names) <= nearest {
			asked++
		}
	}
	return names, asked
}

// tools are those that a model is offered for a request. A conversation keeps what it was
// offered, in that order and whichever domain answers, so that a server that keeps
// evaluated prompts has them; what a request asks for beside, and what its domain is to
// have, comes at the end. Where there is no room for what is asked for, what came last goes.
// A conversation begins with all of the domain, or else with what the domain names, then
// what the request asks for, then what of the domain is next to it, then others of the
// domain. A tool that destroys something is offered only to who asks for that.
func (t *Thinker) tools(s offering, request string) []llm.ToolSpec {
	all := t.opt.Tools.Specs()
	names, asked := t.rank(request, all, s.may)
	wanted := find(all, names[:asked])
	other := func(spec llm.ToolSpec) bool { return !s.domain.offers(spec.Name) || relevance.Destroys(spec) }
	own, ranked := slices.DeleteFunc(slices.Clone(all), other), slices.DeleteFunc(find(all, names), other)
	c, later := choice{room: s.room}, s.room/growth
	for kept := find(all, s.kept); len(kept) > 0 && !(c.add(kept...) && c.add(wanted...)); kept = kept[:len(kept)-1] {
		c = choice{room: s.room}
	}
	if whole := c; whole.add(own...) && whole.add(wanted...) {
		return whole.specs
	}
	if len(c.specs) > 0 {
		c.room -= later
		c.add(s.domain.named(own)...)
		return c.specs
	}
	spared := specsSize(wanted)
	c.room -= later + spared
	c.add(s.domain.named(own)...)
	c.room += later + spared
	c.add(wanted...)
	c.room -= later
	c.add(slices.Concat(ranked, own)...)
	if some := slices.Concat(wanted, ranked, own); len(c.specs) == 0 && len(some) > 0 { // each of them is large
		c.room = s.most
		c.add(some[0])
	}
	return c.specs
}

// stock adds to what is kept and destroys nothing, as far as there is room beside later
// requests, what the domains of the usual model name: those with few first, as most fit then.
func (t *Thinker) stock(all []llm.ToolSpec, kept []string, room int) []llm.ToolSpec {
	c := choice{room: room}
	all = slices.DeleteFunc(slices.Clone(all), relevance.Destroys)
	c.add(find(all, kept)...)
	c.room -= room / growth
	var sets [][]llm.ToolSpec
	for _, d := range t.teaching.Load().domains {
		if t.special(&d) == nil && !d.Background {
			sets = append(sets, d.named(all))
		}
	}
	slices.SortStableFunc(sets, func(a, b []llm.ToolSpec) int { return specsSize(a) - specsSize(b) })
	c.add(slices.Concat(append(sets, all)...)...)
	return c.specs
}

// choice is tools that fit into a room, in tokens.
type choice struct {
	specs []llm.ToolSpec
	room  int
}

// add adds those that fit and are not there yet, and reports whether all are there.
func (c *choice) add(specs ...llm.ToolSpec) bool {
	all := true
	for _, s := range specs {
		switch {
		case slices.ContainsFunc(c.specs, func(o llm.ToolSpec) bool { return o.Name == s.Name }):
		case specSize(s) > c.room:
			all = false
		default:
			c.specs, c.room = append(c.specs, s), c.room-specSize(s)
		}
	}
	return all
}

// find are the specs of names, in the order of names; those that are gone are left out.
func find(specs []llm.ToolSpec, names []string) (found []llm.ToolSpec) {
	for _, name := range names {
		if i := slices.IndexFunc(specs, func(s llm.ToolSpec) bool { return s.Name == name }); i >= 0 {
			found = append(found, specs[i])
		}
	}
	return found
}
