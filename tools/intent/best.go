package intent

import (
	"slices"

	"hearthd/tools/intent/lang"
)

// try calls f with the patterns of those intents for which wants is true and that may begin at one
// of the places where the request may.
func (c *chart) try(want func(*intent) bool, f func(i uint32, p *pattern, start gap)) {
	tried := make([]bool, len(c.m.patterns))
	for _, start := range c.starts() {
		clear(tried)
		for _, g := range c.gaps[start.to] {
			if g.to == len(c.toks) {
				continue
			}
			for i := range c.m.index.beginning(c.said[g.to]) {
				p := &c.m.patterns[i]
				if !tried[i] && want(&c.m.intents[p.intent]) {
					tried[i] = true
					f(i, p, start)
				}
			}
		}
	}
}

// best is the cheapest reading among the intents for which wants is true, and the first of equal
// ones. topic is the tool that the last turn was about.
func (c *chart) best(want func(*intent) bool, topic string) (best found, ok bool) {
	ends, at := c.ends(), uint32(0)
	c.try(want, func(i uint32, p *pattern, start gap) {
		if !p.mayCover(c.said) {
			return
		}
		f, read := c.pattern(p, start, ends)
		if read {
			f.cost += c.m.away(&f, topic)
		}
		if read && (!ok || f.cost < best.cost || f.cost == best.cost && wins(&f, i, &best, at)) {
			best, at, ok = f, i, true
		}
	})
	return best, ok
}

// wins reports whether f, of pattern i, is meant rather than g, of pattern k, which costs the same: one that names a
// device is, where the other has only a word of its own there. "The radio" is that of the house. And of two intents
// the one is that is of what was certainly spoken of.
func wins(f *found, i uint32, g *found, k uint32) bool {
	named := func(s filled) bool { return s.arg == "name" && s.typ == device }
	anything := func(s filled) bool { return s.arg == "name" }
	switch {
	case f.intent != g.intent && f.needsTopic() != g.needsTopic():
		return f.needsTopic()
	case !slices.ContainsFunc(g.slots, anything) && slices.ContainsFunc(f.slots, named):
		return true
	case !slices.ContainsFunc(f.slots, anything) && slices.ContainsFunc(g.slots, named):
		return false
	}
	return i < k
}

// pattern is the cheapest reading of a pattern from start to one of ends.
func (c *chart) pattern(p *pattern, start gap, ends []gap) (found, bool) {
	in := &c.m.intents[p.intent]
	f, ok := found{intent: in, pattern: p, read: c.toks}, false
	for _, s := range c.spans(p.root, start.to) {
		for _, g := range c.gaps[s.end] {
			k := slices.IndexFunc(ends, func(e gap) bool { return e.to == g.to })
			if k < 0 {
				continue
			}
			sum := start.cost + s.cost + g.cost + ends[k].cost
			switch {
			case in.tool == Ask:
				sum += costAsked
			case in.tool == Reply && sum >= costRemark:
				continue // "hello, it's only me"
			case in.tool == answers && in.args["yes"] == true && sum >= costRemark:
				continue // "okay, so his light is green": whoever agrees says hardly more
			}
			if sum <= costLimit && (!ok || sum < f.cost) {
				f.cost, f.start, f.end, f.tree, ok = sum, start.to, s.end, s.tree, true
			}
		}
	}
	if !ok {
		return found{}, false
	}
	f.slots = c.filled(f.tree, nil)
	f.cost += f.literal()
	return f, true
}

// literal is the cost of words that are taken literally.
func (f *found) literal() lang.Cost {
	switch {
	case !slices.ContainsFunc(f.slots, func(s filled) bool { return s.typ == lang.FreeText || s.typ == lang.Task }):
		return 0
	case f.intent.tool == nothing || f.intent.tool == two:
		return lang.CostOpen
	}
	return costText
}
