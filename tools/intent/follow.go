package intent

import "slices"

// follower notes how far the nodes of a pattern could follow the words of a request.
type follower struct {
	far  farthest
	done map[cell]farthest
}

// farthest is how far a node could follow the words of a request.
type farthest struct {
	at    int
	want  ref  // what the node wanted there
	begun bool // it wanted anything
	short bool // it needed more where the request ended
	open  bool // words that add an argument may follow there
}

func (f *farthest) add(o farthest) {
	short, open := f.short || o.short, f.open || o.open
	if o.begun && (o.at > f.at || !f.begun) {
		*f = o
	}
	f.short, f.open = short, open
}

// following makes a chart note how far patterns can be followed. It then reads what cannot be whole too.
func (c *chart) following() *chart {
	c.follow = &follower{done: map[cell]farthest{}}
	return c
}

// enter begins with a node; what comes back is for leave.
func (f *follower) enter() (outer farthest) {
	if f != nil {
		outer, f.far = f.far, farthest{}
	}
	return outer
}

// leave notes how far the node could follow, which is at a cell.
func (f *follower) leave(at cell, outer farthest) {
	if f != nil {
		f.done[at] = f.far
		outer.add(f.far)
		f.far = outer
	}
}

// again notes what is known of a cell.
func (f *follower) again(at cell) {
	if f != nil {
		f.far.add(f.done[at])
	}
}

// wants notes that a pattern wants r at a place.
func (c *chart) wants(r ref, i int) {
	if c.follow != nil {
		c.follow.far.add(farthest{at: i, want: r, begun: true, short: i == len(c.toks)})
	}
}

// mayAdd notes whether an argument may follow, where the request ends, from kids of what began at i.
func (c *chart) mayAdd(i, end int, kids []ref) {
	if c.follow != nil && end == len(c.toks) && end > i && slices.ContainsFunc(kids, c.m.trees.adds) {
		c.follow.far.open = true
	}
}
