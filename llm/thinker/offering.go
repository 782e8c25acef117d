package thinker

import (
	"slices"

	"hearthd/llm"
	"hearthd/llm/thinker/relevance"
)

const (
	// A request is taken to ask for a tool whose score is at least near, and at least beside times
	// the best score, and for at most nearest tools: measured with 94 requests in people's own
	// words and the tools of a whole house (daemon/testdata/wanted.txt).
	near, beside, nearest = 4, 0.6, 5
	// growth is the part of the room for tools, one part in so many, that the first request of a
	// conversation leaves to later ones.
	growth = 4
)

// offering is the set of tools from which those for a request are chosen.
type offering struct {
	domain *Domain
	open   bool     // any tool may be meant, not only those of the domain
	shared bool     // the tools are offered to the domains of the usual model, which keep them
	kept   []string // tools that those domains were offered last, in their order
	// room is for all of them, in tokens; a single tool may take most.
	room, most int
}

// may reports whether a tool may be used for the request.
func (s *offering) may(tool string) bool { return s.open || s.domain.offers(tool) }

// offering is that of a turn of the conversation. A request that no domain claims, or that Fallback
// gets, may be about any tool.
func (t *Thinker) offering(d *Domain, claimed bool) offering {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := offering{domain: d, open: !claimed || d.Name == Fallback, shared: t.special(d) == nil && !d.Background}
	if s.shared && !t.conv.silent() {
		s.kept = t.conv.offered
	}
	return s
}

// rank returns the names of the tools that may be used, the nearest to a request first, and how
// many of them it asks for.
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

// tools are those that a model is offered for a request. A conversation keeps the tools that were
// offered, in their order and whichever domain answers, so that a server which keeps evaluated
// prompts can use them again; tools that a request or its domain needs in addition are appended.
// Where there is no room for a tool that is asked for, the last ones are dropped. A conversation
// begins with all tools of the domain. If they do not fit, it begins with those that the domain
// names, then come those that the request asks for, then those of the domain that are nearest to
// it, then other ones of the domain. A tool that destroys something is offered only to a person who
// asks for that.
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
	if some := slices.Concat(wanted, ranked, own); len(c.specs) == 0 && len(some) > 0 { // all of them are large
		c.room = s.most
		c.add(some[0])
	}
	return c.specs
}

// stock adds, to those kept tools that destroy nothing, the tools that the domains of the usual
// model name, as far as there is room beside later requests: domains with few tools first, because
// then most fit.
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

// choice is a set of tools that fit into a room, in tokens.
type choice struct {
	specs []llm.ToolSpec
	room  int
}

// add adds those that fit and are not there yet, and reports whether all are there now.
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

// find are the specs of names, in the order of names; tools that no longer exist are left out.
func find(specs []llm.ToolSpec, names []string) (found []llm.ToolSpec) {
	for _, name := range names {
		if i := slices.IndexFunc(specs, func(s llm.ToolSpec) bool { return s.Name == name }); i >= 0 {
			found = append(found, specs[i])
		}
	}
	return found
}
