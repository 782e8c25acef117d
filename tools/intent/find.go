package intent

import (
	"slices"
	"strings"

	"hearthd/tools/intent/lang"
)

// sayings are the ways to read a sentence, those that change least first.
func (m *Matcher) sayings(toks []lang.Token) []saying {
	all := m.mended(toks)
	said := slices.Clone(all)
	said[0].cost = 0 // what it takes back, no pronoun stands for
	if full := m.inFull(toks); !slices.Equal(full, toks) {
		// What a remark names is found in it: "the lamp's too bright, turn it off".
		said = slices.Concat([]saying{{toks: full}}, all)
		for _, s := range m.mended(full) {
			all = append(all, saying{s.toks, s.cost + costShort, s.cut})
		}
	}
	if spelt := m.spelt(toks); !slices.Equal(spelt, toks) {
		for _, s := range m.mended(spelt) {
			all = append(all, saying{s.toks, s.cost + lang.CostMisheard, s.cut})
		}
	}
	for _, s := range said {
		for _, r := range m.restarted(s.toks, m.topicsOf(s.toks)) {
			all = append(all, saying{toks: r.toks, cost: s.cost + r.cost})
		}
	}
	for _, way := range []struct {
		change func([]lang.Token) []lang.Token
		cost   lang.Cost
	}{
		{m.listed, costTorn}, {m.unhesitating, costFiller}, {m.unfronted, costFronted}, {m.told, costFronted},
		{m.active, costFronted},
		{m.heard, lang.CostMisheard},
	} {
		for _, s := range all {
			if changed := way.change(s.toks); !slices.Equal(changed, s.toks) && len(all) < maxSayings {
				all = append(all, saying{toks: changed, cost: s.cost + way.cost})
			}
		}
	}
	for _, s := range all {
		all = append(all, m.direct(s)...)
	}
	slices.SortStableFunc(all, func(a, b saying) int { return int(a.cost - b.cost) })
	return all
}

// direct are the questions that an indirect one may stand for: "tell me how warm it is in the hall" is "how warm is it
// in the hall", or the verb stands behind the first word of the question.
func (m *Matcher) direct(s saying) (all []saying) {
	end := m.words.Asking.Skip(s.toks, 0)
	if end == len(s.toks) {
		return nil
	}
	clause, first := s.toks[end:], 1
	switch {
	case end == 0: // "what time it is"
		verb := m.words.Copulas.Find(clause)
		if verb < 2 || !m.words.Asks[clause[0].Text] || m.words.Copulas[clause[0].Text] ||
			!m.words.Persons[clause[verb-1].Text] && !m.words.Pronouns[clause[verb-1].Text] {
			return nil
		}
		toks := slices.Concat(clause[:verb-1], clause[verb:verb+1], clause[verb-1:verb], clause[verb+1:])
		return []saying{{toks: toks, cost: s.cost + costFronted}}
	case m.words.Whether[clause[0].Text]:
		clause, first = clause[1:], 0
	case m.words.Pointing.Skip(clause, 0) > 0 && m.words.Copulas.Find(clause) > 0: // "check the doors are locked"
		first = 0
	case !m.words.Asks[clause[0].Text]:
		return nil
	}
	verb := m.words.Copulas.Find(clause)
	if verb < 0 && first == 0 && m.words.Did != "" {
		asked := slices.Concat([]lang.Token{{Text: m.words.Did}}, clause)
		return []saying{{toks: asked, cost: s.cost + costFiller}}
	}
	if verb < 0 { // "I forget how many ounces in a pound"
		return []saying{{toks: clause, cost: s.cost + costFiller}}
	}
	for at := first; at < min(verb, first+maxAsked); at++ {
		toks := slices.Concat(clause[:at], clause[verb:verb+1], clause[at:verb], clause[verb+1:])
		all = append(all, saying{toks: toks, cost: s.cost + costFiller})
	}
	return all
}

// maxSayings bounds the ways to read a sentence, beside the direct questions of each, maxMended the words that are
// taken back, and maxAsked the places of the verb of a direct question: "wie viele Minuten läuft der Timer noch".
const (
	maxAsked   = 3
	maxSayings = 24
	maxMended  = 5
)

// mended returns what a sentence may mean in which somebody corrects themselves: "a timer for ten
// no twelve minutes". What follows the word replaces words before it. The sentence as it was said
// counts only where the correction is not certain.
func (m *Matcher) mended(toks []lang.Token) []saying {
	toks = m.turned(toks)
	all, topics := []saying{{toks: toks}}, m.topicsOf(toks)
	// "oh, no, I meant the bedroom" takes nothing back that it says
	_, first := m.lang.Mends.Longest(toks, len(toks)-len(m.bare(toks)))
	for i := first + 1; i < len(toks); i++ {
		sure, end := m.lang.Mends.Longest(toks, i)
		joined := m.lang.Joins.Skip(toks, i-1) > i-1 || m.words.Binding[toks[i-1].Text] // "and wait", "do not wait"
		if end == i || end == len(toks) || !sure && joined ||
			m.words.Orders.Skip(toks, i) > i && len(m.bare(toks[:i])) == 0 { // "can you make that timer eight minutes"
			continue
		}
		price, rest := costUnsure, toks[end:]
		if m.corrects(toks, i) {
			price, all[0].cost = costMended, costAcross
		}
		order := m.words.Orders.Skip(rest, 0) > 0
		if order {
			if spoken, ok := m.spokenOf(toks, i, rest, topics); ok {
				rest = spoken // "block the door, I mean lock it"
			}
		}
		switch {
		case order || i == 1: // "louder no quieter"
			all = append(all, saying{toks: rest, cost: price + lang.Cost(min(i, maxMended))})
		case sure:
			all = append(all, saying{toks: rest, cost: price + costPreface + lang.Cost(min(i, maxMended))})
			for k := 1; k < i-1; k++ { // "turn everything off, I mean the lights"
				all = append(all, saying{toks: slices.Concat(toks[:k], rest, toks[k+1:i]), cost: costInside})
			}
		}
		all = append(all, m.takenBack(toks[:i], rest, price)...)
		all = append(all, m.exchanged(toks[:i], rest, price)...)
		break
	}
	return all
}

// turned puts the words that take something back in front of what is meant, where they stand behind it: "turn on the
// lamp, the fan, I mean"; German "heller, äh, dunkler meine ich".
func (m *Matcher) turned(toks []lang.Token) []lang.Token {
	for i := range toks {
		if m.words.Meant.Skip(toks, i) < len(toks) {
			continue
		}
		for k := i - 1; k > 0; k-- {
			if end := m.lang.Mends.Skip(toks, k); toks[k].Comma || m.words.Hesitations[toks[k].Text] || end > k && end < i {
				return slices.Concat(toks[:k], toks[i:], toks[k:i])
			}
		}
	}
	return toks
}

// exchanged puts rest in the place of what was said of the same kind, which is not the last of what was said: "kitchen
// light to fifty, no, bedroom".
func (m *Matcher) exchanged(said, rest []lang.Token, price lang.Cost) (all []saying) {
	if m.words.Fronts[rest[0].Text] { // "in the kitchen, no, in the hall"
		rest = rest[1:]
	}
	if rest = rest[m.words.Pointing.Skip(rest, 0):]; len(rest) == 0 {
		return nil
	}
	for _, typ := range m.words.Exchanges {
		read := m.lang.Readers[typ]
		whole := func(r lang.Reading) bool { return r.Cost == 0 && r.End == len(rest) }
		if !slices.ContainsFunc(read(rest, 0), whole) {
			continue
		}
		within := func(r lang.Reading) bool { return r.Cost == 0 && r.End < len(said) }
		for k := len(said) - 2; k >= 0; k-- {
			rs := read(said, k)
			if at := slices.IndexFunc(rs, within); at >= 0 {
				instead := slices.Clone(rest)
				instead[0].Comma = said[k].Comma
				all = append(all, saying{toks: slices.Concat(said[:k], instead, said[rs[at].End:]), cost: price + costTorn})
				break
			}
		}
	}
	return all
}

// takenBack appends rest to said without its last words. What is said instead of an item is one item,
// and not another one after it.
func (m *Matcher) takenBack(said, rest []lang.Token, price lang.Cost) (all []saying) {
	for k := len(said) - 1; k > 0; k-- {
		again := said[k].Text == rest[0].Text
		instead := slices.Clone(rest)
		instead[0].Comma = said[k].Comma
		switch n := len(said) - k; {
		case !again && (n > maxMended || m.lang.IsNumber(rest[0]) && m.lang.IsNumber(said[k-1])):
			// "six minutes, I mean eight" is not "six eight"
		case again:
			all = append(all, saying{slices.Concat(said[:k], instead), price, k})
		default:
			all = append(all, saying{slices.Concat(said[:k], instead), price + lang.Cost(n), k})
		}
	}
	return all
}

// find is the cheapest reading of a sentence. Orders for later are never done at once, so of two
// readings with the same cost the one for later comes first. It also returns the tokens to which
// its slots refer.
func (m *Matcher) find(toks []lang.Token, said situation, work *int) (best found, words []lang.Token, ok bool) {
	best.cost = costLimit + 1
	for _, s := range m.sayings(toks) {
		if s.cost >= best.cost {
			break
		}
		if f, all, ok := m.findLater(s.toks, said, work); ok && f.cost+s.cost < best.cost {
			best, words = f, all
			best.cost += s.cost
		}
		if f, ok := newChart(m, s.toks, work).best(said.counts, said.topic); ok {
			if f.cost += s.cost + m.torn(f, s.cut); f.cost < best.cost {
				best, words = f, s.toks
			}
		}
	}
	if *work < 0 || words == nil {
		return found{}, nil, false
	}
	return best, words, best.intent.tool != nothing && best.intent.tool != two
}

// torn is the cost of a cut inside words that may be any: "bin bags, no, toilet paper" is not "bin
// toilet paper".
func (m *Matcher) torn(f found, cut int) lang.Cost {
	for _, s := range f.slots {
		within := m.lang.Open[s.typ] && s.start < cut && cut < s.end
		if within && !f.read[cut].Comma && m.lang.Joins.Skip(f.read, cut-1) == cut-1 {
			return costTorn
		}
	}
	return 0
}

// heard corrects what recognisers write for words that sound alike: "turn of the light".
func (m *Matcher) heard(toks []lang.Token) []lang.Token {
	var out []lang.Token
	for i := 0; i < len(toks); {
		right, end := m.words.Misheard.Longest(toks, i)
		if end == i {
			out = append(out, toks[i])
			i++
			continue
		}
		for k, w := range lang.Words(right) {
			out = append(out, lang.Token{Text: w, Comma: k == 0 && toks[i].Comma})
		}
		i = end
	}
	return out
}

// spelt corrects words that are misspelt and no part of a name: "a tmier for ten minutse".
func (m *Matcher) spelt(toks []lang.Token) []lang.Token {
	out, topics := slices.Clone(toks), m.topicsOf(toks)
	for i, t := range toks {
		if meant := m.lang.Correction(t.Text); meant != "" && !topics.covers(i) {
			out[i].Text = meant
		}
	}
	return out
}

// unhesitating leaves out where somebody only hesitates or stutters, within a number, a time or a name too:
// "for, um, ten minutes", "milk and the the eggs".
func (m *Matcher) unhesitating(toks []lang.Token) (out []lang.Token) {
	for _, t := range toks {
		again := len(out) > 0 && !t.Comma && !m.lang.IsNumber(t) && sameWord(out[len(out)-1], t)
		if !again && !m.words.Hesitations[t.Text] {
			out = append(out, t)
		}
	}
	return out
}

// unfronted moves what stands in front of an order behind it: "in paris what is the weather like".
func (m *Matcher) unfronted(toks []lang.Token) []lang.Token {
	if len(toks) == 0 || !m.words.Fronts[toks[0].Text] {
		return toks
	}
	for i := 1; i < len(toks); i++ {
		if m.words.Orders.Skip(toks, i) > i && (i > 1 || toks[0].Text != toks[i].Text) {
			return slices.Concat(toks[i:], toks[:i])
		}
	}
	return toks
}

// told puts what tells a device from others, where it is said at the end, in front of the word for it: "put the
// lamp on, the reading one".
func (m *Matcher) told(toks []lang.Token) []lang.Token {
	n := len(toks)
	if n < 5 || !m.words.Ones[toks[n-1].Text] || m.words.Pointing.Skip(toks, n-3) != n-2 || !m.orders(toks) {
		return toks
	}
	of := m.topicsOf(toks).longest(0, n-3, m.words.Placed)
	if of == (name{}) {
		return toks
	}
	return slices.Concat(toks[:of.from], toks[n-2:n-1], toks[of.from:n-3])
}

// inFull expands short ends of words to words: "the chicken's done".
func (m *Matcher) inFull(toks []lang.Token) []lang.Token {
	var out []lang.Token
	for _, t := range toks {
		at := strings.IndexByte(t.Text, '\'')
		if at < 0 || m.words.ShortEnds[t.Text[at:]] == "" {
			out = append(out, t)
			continue
		}
		full := m.lang.Apart(t.Text[:at])
		full[0].Comma = t.Comma
		out = append(append(out, full...), lang.Token{Text: m.words.ShortEnds[t.Text[at:]]})
	}
	return out
}
