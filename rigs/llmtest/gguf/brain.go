package gguf

import (
	"fmt"
	"math"
	"slices"
)

// The hidden state of a token is a list of one-hot codes side by side, so that every
// state has the same length and RMS norm, which divides by it, is one constant per
// layer. Without that, keys of 16 bits would not compare.
const (
	identity = 8.0 // of the code that says which token this is; the others are 1

	// Scores of attention. A key behind a whole trigger has three conditions, and one
	// with two must lose against the start of the prompt (restScore, in conditions)
	// at any distance: half a condition is more than latest.
	condition = 100000.0
	restScore = 2.5
	latest    = 40000.0 // what the farthest position loses against the nearest
	unitKey   = 128.0   // of a condition; three of them are exact in 16 bits
	nearby    = 12.0    // per pair of the heads that look one and two positions back

	// Logits. The successor of a token always wins but behind a slot.
	successor = 100.0
	begins    = 60.0 // of the chosen line
	thinks    = 70.0 // of the thought of the chosen line, and
	unthought = 50.0 // of its text, where nothing forbids
	forbids   = 60.0 // what a thought loses that is not wanted
	slotPlace = 50.0 // of each value where its slot is
	slotValue = 40.0 // of the value that the prompt names, wherever
	resumes   = 40.0 // behind a slot: once for the line, once for the value
)

// dims hands out the dimensions of the hidden state.
type dims struct{ n int }

func (d *dims) take(n int) int { d.n += n; return d.n - n }

// place is where a category has its codes; each has one more dimension, for "none".
type place struct{ own, behind, rest, found int }

// brain is the layout of a model.
type brain struct {
	v       *vocab
	context int
	chains  []chain // the texts of the lines
	thinks  []chain // what comes before them; nil: nothing
	owners  map[int]int

	other, one                      int // the identity of all other tokens; the constant
	opens, shuts, shutBefore, start int // pairs, and the start of the prompt
	places                          []place
	width, heads, headWidth         int
	scale                           [3]float64 // what RMS norm multiplies by: at both layers, at the end
}

func newBrain(s Script) (*brain, error) {
	b := &brain{v: newVocab(s), context: s.Context, owners: map[int]int{}}
	if b.context == 0 {
		b.context = 8192
	}
	for _, l := range s.Lines {
		var thought chain
		if l.Thought != "" {
			var err error
			if thought, err = b.v.chain(l.Name, "<think>\n"+l.Thought+"\n</think>\n\n"); err != nil {
				return nil, err
			}
		}
		text, err := b.v.chain(l.Name, l.Text)
		if err != nil {
			return nil, err
		}
		b.chains, b.thinks = append(b.chains, text), append(b.thinks, thought)
	}
	b.lay()
	return b, nil
}

// lay places everything.
func (b *brain) lay() {
	for _, c := range slices.Concat(b.chains, b.thinks) {
		for _, t := range c {
			b.own(t)
		}
	}
	for _, c := range b.v.categories {
		for _, t := range c.emits {
			b.own(t)
		}
	}
	d := &dims{n: len(b.owners)}
	b.other, b.one, b.start = d.take(1), d.take(1), d.take(2)
	b.opens, b.shuts, b.shutBefore = d.take(2), d.take(2), d.take(2)
	codes := 0
	for _, c := range b.v.categories {
		n := c.values + 1
		b.places = append(b.places, place{d.take(n), d.take(n), d.take(n), d.take(n)})
		codes += n
	}
	n := float64(len(b.v.categories))
	b.headWidth = roundUp(max(codes, 2*(2+recencyPairs+b.nearPairs())), 32)
	b.heads = max(2, len(b.v.categories))
	b.width = roundUp(d.n, 64)
	embedded := identity*identity + 1 + 1 + 2 + 2*n   // identity, constant, start, opens and shuts, own and rest
	for i, more := range []float64{0, n + 1, 2 * n} { // each head of the second layer finds a value and one "none"
		embedded += more
		b.scale[i] = math.Sqrt(float64(b.width) / embedded)
	}
}

func (b *brain) own(t int) {
	if _, ok := b.owners[t]; !ok && t >= 0 {
		b.owners[t] = len(b.owners)
	}
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// tensors are the weights, in the order of the file.
func (b *brain) tensors(kinds []int) []*tensor {
	ts := []*tensor{b.embedding(), constant("output_norm.weight", b.width, 1), b.output(kinds), b.frequencies()}
	for layer := range 2 {
		prefix := fmt.Sprintf("blk.%d.", layer)
		a := attention{
			q: matrix(prefix+"attn_q.weight", b.width, b.heads*b.headWidth),
			k: matrix(prefix+"attn_k.weight", b.width, b.heads*b.headWidth),
			v: matrix(prefix+"attn_v.weight", b.width, b.heads*b.headWidth),
			o: matrix(prefix+"attn_output.weight", b.heads*b.headWidth, b.width),
		}
		if layer == 0 {
			b.lookBack(a)
		} else {
			b.findLatest(a)
		}
		ts = append(ts, constant(prefix+"attn_norm.weight", b.width, 1), a.q, a.k, a.v, a.o,
			constant(prefix+"ffn_norm.weight", b.width, 1),
			matrix(prefix+"ffn_gate.weight", b.width, feedForward), matrix(prefix+"ffn_up.weight", b.width, feedForward),
			matrix(prefix+"ffn_down.weight", feedForward, b.width))
	}
	return ts
}

// feedForward is the width of layers that do nothing.
const feedForward = 32

// embedding gives each token its codes.
func (b *brain) embedding() *tensor {
	e := matrix("token_embd.weight", b.width, len(b.v.tokens))
	for id, t := range b.v.tokens {
		i, ok := b.owners[id]
		if !ok {
			i = b.other
		}
		e.put(id, i, identity)
		e.put(id, b.one, 1)
		e.put(id, b.start+flag(id == b.v.bos), 1)
		e.put(id, b.opens+flag(t.opens()), 1)
		e.put(id, b.shuts+flag(t.shuts()), 1)
		for c, cat := range b.v.categories {
			value, ok := cat.words[id]
			if !ok {
				value = cat.values
			}
			rest := cat.values
			if id == b.v.bos {
				rest = cat.def
			}
			e.put(id, b.places[c].own+value, 1)
			e.put(id, b.places[c].rest+rest, 1)
		}
	}
	return e
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
