package intent

// phrases finds phrases of one or more words at a place of a request.
type phrases[T any] struct {
	next  map[string]*phrases[T]
	value T
	ends  bool // a phrase ends here, and means value
}

// add makes ws mean v; a later meaning of the same words is dropped.
func (p *phrases[T]) add(ws []string, v T) {
	for _, w := range ws {
		if p.next == nil {
			p.next = map[string]*phrases[T]{}
		}
		if p.next[w] == nil {
			p.next[w] = &phrases[T]{}
		}
		p = p.next[w]
	}
	if !p.ends {
		p.value, p.ends = v, true
	}
}

// longest reads the longest phrase at token i. Without one end is i.
func (p *phrases[T]) longest(toks []token, i int) (v T, end int) {
	end = i
	for k := i; k < len(toks); k++ {
		if p = p.next[toks[k].text]; p == nil {
			break
		}
		if p.ends {
			v, end = p.value, k+1
		}
	}
	return v, end
}

// skip is the end of the longest phrase at i, or i.
func (p *phrases[T]) skip(toks []token, i int) int {
	_, end := p.longest(toks, i)
	return end
}

// each calls f with every phrase at i, the longest first.
func (p *phrases[T]) each(toks []token, i int, f func(end int, v T)) {
	if p.next == nil || i > len(toks) {
		return
	}
	if i < len(toks) {
		if q := p.next[toks[i].text]; q != nil {
			q.each(toks, i+1, f)
			if q.ends {
				f(i+1, q.value)
			}
		}
	}
}
