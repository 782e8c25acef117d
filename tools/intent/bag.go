package intent

import "slices"

// chosen is a reading of some of the kids of a bag, each of which has a bit.
type chosen struct {
	kids uint16
	span
}

// anyOrder reads kids one after the other, in each order in which they fit.
func (c *chart) anyOrder(kids []ref, i int) (list []span) {
	var needed uint16
	for k, kid := range kids {
		if c.m.trees.nodes[kid].kind != opt {
			needed |= 1 << k
		}
	}
	all := []chosen{{span: span{end: i}}}
	for a := 0; a < len(all); a++ {
		s := all[a]
		for k, kid := range kids {
			if s.kids&(1<<k) != 0 {
				continue
			}
			if s.end == len(c.toks) && s.end > i && c.m.trees.adds(kid) {
				c.far.open = true
			}
			for _, t := range c.spans(kid, s.end) {
				if sum := s.cost + t.cost; sum <= costLimit && t.end > s.end {
					all = c.choose(all, a, chosen{s.kids | 1<<k, span{t.end, sum, t.tree}})
				}
			}
		}
		if s.kids&needed == needed && s.end > i {
			list = merge(list, []span{s.span})
		}
	}
	return list
}

// choose adds what was read behind all[a], if it is the cheapest reading of those kids to that place. All that was read of
// as many kids comes before what was read of more, so nothing has been built on what it replaces.
func (c *chart) choose(all []chosen, a int, more chosen) []chosen {
	at := slices.IndexFunc(all[a:], func(o chosen) bool { return o.kids == more.kids && o.end == more.end })
	switch {
	case at < 0:
		more.tree = c.join(all[a].tree, more.tree)
		return append(all, more)
	case more.cost < all[a+at].cost:
		more.tree = c.join(all[a].tree, more.tree)
		all[a+at] = more
	}
	return all
}
