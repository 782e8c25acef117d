package gguf

// output turns the hidden state into logits: what follows the token, where lines
// begin, and what fills a slot. kinds says of each line what follow wants to know.
func (b *brain) output(kinds []int) *tensor {
	o := matrix("output.weight", b.width, len(b.v.tokens))
	end := b.scale[2]
	line := b.places[0].found
	direct := b.places[len(b.places)-1].found + 1
	for k, c := range b.chains {
		first := begins
		if t := b.thinks[k]; t != nil {
			o.add(t[0], line+k, thinks/end)
			o.add(t[0], direct, -forbids/end)
			for i := 1; i < len(t); i++ {
				o.add(t[i], b.owners[t[i-1]], successor/(identity*end))
			}
			o.add(c[0], b.owners[t[len(t)-1]], successor/(identity*end))
			first = unthought
		}
		o.add(c[0], line+k, first/end)
	}
	for k := range b.chains {
		b.follow(o, k, kinds[k])
	}
	for c, cat := range b.v.categories {
		for value, t := range cat.emits {
			o.add(t, b.places[c].found+value, slotValue/end)
		}
	}
	for text, logit := range prior() {
		o.add(b.v.ids[text], b.one, logit/end)
	}
	return o
}

// The values of the last argument of follow.
const (
	plainLine = iota
	loopLine
	formLine
)

// follow makes each token of a line follow the one before it.
func (b *brain) follow(o *tensor, k, kind int) {
	c, end := b.chains[k], b.scale[2]
	for i, t := range c {
		next := b.v.eos
		if i+1 < len(c) {
			next = c[i+1]
		} else if kind == loopLine {
			next = c[0]
		}
		switch {
		case t < 0: // behind a slot
			o.add(next, b.places[0].found+k, resumes/end)
			for _, v := range b.v.categories[-1-t].emits {
				o.put(next, b.owners[v], resumes/(identity*end))
			}
		case next < 0: // before a slot
			for _, v := range b.v.categories[-1-next].emits {
				o.put(v, b.owners[t], slotPlace/(identity*end))
			}
		default:
			o.put(next, b.owners[t], successor/(identity*end))
		}
	}
	if kind == formLine {
		o.add(c[0], b.one, 15/end)
	}
}

// prior is what a model would say that has nothing to say, such as under a grammar
// that none of its lines fits: it closes what is open.
func prior() map[string]float64 {
	p := map[string]float64{"</s>": 24, "}": 20, "]": 18, `"`: 16, "{": 8, "[": 7, ":": 10, ",": 6}
	for c := '0'; c <= '9'; c++ {
		p[string(c)] = 4
	}
	return p
}
