package intent

import (
	"slices"

	"hearthd/tools/intent/lang"
)

// Commas set clauses apart: a remark, a name that the request speaks of as it, or a beginning that is begun again.

// Bounds, in words but for maxRemarked.
const (
	maxRestarted = 6 // of a beginning that is begun again
	maxShort     = 3 // of a question behind a comma that is none of ours
	minApart     = 2 // of a clause that may be a remark
	maxCalled    = 3 // of what somebody is called by, who then is told to do it
	maxSubject   = 4 // in front of the verb of a remark
	maxTopic     = 8 // the same in front of an order, where it may name what that is about
	maxBare      = 4 // of an order that leaves out what a remark before it names
	maxInside    = 2 // between a name and its place: "in the"
	maxRemarked  = 2 // places where an order may begin behind a remark, whose own verb may look like one
	tagSize      = 3 // of a tag: "has not it"
)

// addressed reports whether a clause calls somebody who is not the box: "dad, open the door". That is
// one word, whatever it is, or a few of those that people are called by.
func (m *Matcher) addressed(clause []lang.Token) bool {
	if clause = m.bare(clause); len(clause) == 1 {
		return m.lang.Mends.Skip(clause, 0) == 0 && !slices.Contains(lang.Words(m.wake), clause[0].Text)
	}
	return len(clause) > 1 && len(clause) <= maxCalled && m.words.People[clause[0].Text] && !m.words.Copulas[clause[1].Text]
}

// bare is a clause without what people say in front of a request.
func (m *Matcher) bare(clause []lang.Token) []lang.Token {
	for end := m.before.Skip(clause, 0); end > 0; end = m.before.Skip(clause, 0) {
		clause = clause[end:]
	}
	return clause
}

// orders reports whether a clause tells to do something, and does not ask.
func (m *Matcher) orders(clause []lang.Token) bool {
	clause = m.bare(clause)
	return len(clause) > 1 && !m.words.Asks[clause[0].Text] && m.words.Orders.Skip(clause, 0) > 0
}

// reports reports whether what toks begin hangs on them: somebody said it, or it is for when something happens.
func (m *Matcher) reports(toks []lang.Token) bool {
	return m.words.Conditions.Skip(m.bare(toks), 0) > 0 || m.words.NoPreface.Find(toks) >= 0
}

// isApart reports whether a clause says nothing to the request beside it, though nothing is known of it but that: it
// orders, asks, denies and counts nothing. That it names nothing of the house is seen from the topics.
func (m *Matcher) isApart(clause []lang.Token) bool {
	if clauseEnd(clause) < minApart || len(m.words.Topics) == 0 || m.words.Orders.Skip(clause, 0) > 0 ||
		m.words.Asks[clause[0].Text] || m.words.Fronts[clause[0].Text] || m.reports(clause) {
		return false
	}
	return !slices.ContainsFunc(clause, func(t lang.Token) bool { return m.words.Binding[t.Text] || m.lang.IsNumber(t) })
}

// clauseEnd is where the clause ends that toks begin with.
func clauseEnd(toks []lang.Token) int {
	end := 1
	for end < len(toks) && !toks[end].Comma {
		end++
	}
	return end
}

// longest is the longest name between two tokens, the first of those, of one of some types; nil is any.
// It is empty where there is none.
func (t *topics) longest(from, to int, types []string) (best name) {
	if !t.known {
		t.known = true
		for i := range t.size {
			for _, typ := range t.types {
				for _, r := range t.read(typ, i) {
					if r.Cost == 0 {
						t.names = append(t.names, name{i, r.End, typ})
					}
				}
			}
		}
	}
	for _, n := range t.names {
		inside := n.from >= from && n.to <= to && n.to-n.from > best.to-best.from
		if inside && (types == nil || slices.Contains(types, n.typ)) {
			best = n
		}
	}
	return best
}

// endsAt reports whether a name ends at a token.
func (t *topics) endsAt(i int) bool {
	t.longest(0, i, nil)
	return slices.ContainsFunc(t.names, func(n name) bool { return n.to == i })
}

// covers reports whether a token is in a name.
func (t *topics) covers(i int) bool {
	t.longest(0, t.size, nil)
	return slices.ContainsFunc(t.names, func(n name) bool { return n.from <= i && i < n.to })
}

// topicsOf are those of a sentence.
func (m *Matcher) topicsOf(toks []lang.Token) *topics {
	return &topics{
		types: m.words.Topics, size: len(toks),
		read: func(typ string, i int) []lang.Reading { return m.lang.Readers[typ](toks, i) },
	}
}

// spokenOf is rest with names of toks[:i] in the places of the words that stand for them: "the lamp is too bright,
// turn it down"; "it is dark in the hall, put the light on there".
func (m *Matcher) spokenOf(toks []lang.Token, i int, rest []lang.Token, topics *topics) (spoken []lang.Token, ok bool) {
	if k := m.words.Pronouns.Find(rest); k > 0 {
		if named := topics.longest(0, i, nil); named != (name{}) {
			spoken := toks[named.from:named.to]
			at := topics.longest(named.to, i, m.words.Places)
			if at != (name{}) && at.from-named.to <= maxInside { // "the window in the bathroom, is it closed"
				spoken = slices.Concat(spoken, []lang.Token{{Text: m.words.Inside}}, toks[at.from:at.to])
			}
			rest, ok = slices.Concat(rest[:k], spoken, rest[k+1:]), true
		}
	}
	if k := m.words.There.Find(rest); k > 0 {
		if place := topics.longest(0, i, m.words.Places); place != (name{}) {
			before := rest[:k]
			if rest[k-1].Text != m.words.Inside {
				before = slices.Concat(before, []lang.Token{{Text: m.words.Inside}})
			}
			rest, ok = slices.Concat(before, toks[place.from:place.to], rest[k+1:]), true
		}
	}
	return rest, ok
}

// restarted gives what a sentence is where it begins at a comma: with the word that was said
// before ("is the, is the door locked"), with what was named before ("the garage door, close it"; "upstairs, all lights
// off"), or with a request behind something that is neither a report of what somebody said nor a condition ("I heard a
// noise, turn on the lights"), unless that calls somebody.
func (m *Matcher) restarted(toks []lang.Token, topics *topics) (all []saying) {
	corrected, remarked := false, 0
	for i := 1; i < len(toks); i++ {
		corrected = corrected || m.corrects(toks, i)
		end := m.words.So.Skip(toks, i)
		if !toks[i].Comma && end == i && !m.fronted(toks, i, topics) {
			if remarked == maxRemarked || !m.beginsBehind(toks, i) {
				continue
			}
			remarked++
		}
		reported := m.reports(toks[:i+1])
		if spoken, ok := m.spokenOf(toks, i, toks[end:], topics); ok && corrected {
			continue // what it stands for is seen where the words are taken back
		} else if ok && !reported {
			all = append(all, saying{toks: spoken, cost: costPreface})
		}
		before, rest := toks[:i], toks[end:]
		if len(rest) == 0 || m.lang.Mends.Skip(rest, 0) > 0 {
			continue
		}
		all = append(all, begunAgain(before, rest)...)
		so := end > i && m.follows(before, rest)
		if !reported && (len(rest) > maxShort || !m.words.Asks[rest[0].Text]) {
			all = append(all, m.requestBehind(before, rest, so, topics)...)
		}
	}
	return all
}

// begunAgain gives what before and rest are where rest begins with a word of before, which is meant to be said once.
func begunAgain(before, rest []lang.Token) (all []saying) {
	for k := max(0, len(before)-maxRestarted); k < len(before); k++ {
		if before[k].Text == rest[0].Text {
			price := costMended + 2*lang.Cost(len(before)-k-1)
			all = append(all, saying{toks: slices.Concat(before[:k], rest), cost: price})
		}
	}
	return all
}

// fronted reports whether an order begins at i, behind nothing but the name of what it is about: "the bedroom
// blinds open them", and not "Josh, turn that down".
func (m *Matcher) fronted(toks []lang.Token, i int, topics *topics) bool {
	if m.words.Orders.Skip(toks, i) == i || !m.orders(toks[i:]) && !m.words.Copulas[toks[i].Text] || m.addressed(toks[:i]) ||
		m.words.Pronouns.Find(toks[i:]) < 0 {
		return false // before the names are read, which takes long
	}
	named, from := topics.longest(0, i, nil), i-len(m.bare(toks[:i]))
	return named.to == i && m.words.Pointing.Skip(toks, from) >= named.from
}

// follows reports whether rest, behind a "so", is a request by itself, since before says only why, and nothing in rest
// stands for what was said in before.
func (m *Matcher) follows(before, rest []lang.Token) bool {
	first := before[0].Text
	why := m.words.Subjects[first] || m.words.Orders.Skip(before, 0) == 0 && !m.words.Asks[first]
	return why && m.words.Pronouns.Find(rest) < 0
}

// beginsBehind reports whether an order begins at i behind a remark without a comma: "it is cold turn up the heating".
func (m *Matcher) beginsBehind(toks []lang.Token, i int) bool {
	asks := i > tagSize && m.words.Tags.Skip(toks, i-tagSize) == i // "it is dark, isn't it"
	if i < 2 || !m.beginsOrder(toks[i:]) || m.words.NoOrder[toks[i-1].Text] && !asks ||
		m.words.People[toks[i-1].Text] {
		return false
	}
	said := m.bare(toks[:i])
	return m.words.Remark.Skip(toks[:i], 0) > 0 || m.words.Remark.Skip(said, 0) > 0 || m.states(said, maxTopic)
}

// beginsOrder reports whether toks begin with an order, or with what that is about: "den Timer kannst löschen".
func (m *Matcher) beginsOrder(toks []lang.Token) bool {
	may := func(i int) bool { return m.words.May.Skip(toks, i) > i }
	begins := m.words.Orders.Skip(toks, 0) > 0 || m.lang.Idle.Skip(toks, 0) == 1 && m.words.Orders.Skip(toks, 1) > 1
	return begins || m.words.Pointing.Skip(toks, 0) > 0 && (may(2) || may(3))
}

// states reports whether a clause says how something is, or what somebody does.
func (m *Matcher) states(clause []lang.Token, most int) bool {
	if len(clause) < 2 || m.words.Asks[clause[0].Text] || m.words.Orders.Skip(clause, 0) > 0 ||
		m.words.People[clause[0].Text] && !m.words.Copulas[clause[1].Text] {
		return false
	}
	at := m.words.States.Find(clause[1:min(len(clause), most+1)])
	return at >= 0 && !slices.ContainsFunc(clause[:at+1], m.lang.IsNumber) // "ten minutes and it is done, tell the others"
}

// requestBehind gives what rest is as a request by itself, about what before names, or behind what is only a remark. so
// says that it certainly follows from one: "I want a shower so put the hot water on".
func (m *Matcher) requestBehind(before, rest []lang.Token, so bool, topics *topics) (all []saying) {
	named := topics.longest(0, len(before), nil)
	switch {
	case named.to == len(before) && m.words.Pointing.Skip(before, 0) >= named.from:
		end := clauseEnd(rest) // what follows may be a remark
		for _, in := range [][]lang.Token{nil, {{Text: m.words.Inside}}} {
			all = append(all, saying{toks: slices.Concat(rest[:end], in, before, rest[end:]), cost: costFronted})
		}
	case m.addressed(before):
	case m.beginsOrder(rest) && (so || !m.orders(before)):
		all = m.orderBehind(before, rest, so, named, topics)
	case named.to == 0 && m.isApart(before):
		all = append(all, saying{toks: rest, cost: costApart})
	}
	return all
}

// orderBehind gives what the order in rest is by itself, and for what before names where it leaves that out.
func (m *Matcher) orderBehind(before, rest []lang.Token, so bool, named name, topics *topics) (all []saying) {
	place := topics.longest(0, len(before), m.words.Places)
	begins := topics.size - len(rest)
	of := topics.longest(begins, topics.size, nil)
	placed := place != (name{}) && slices.Contains(m.words.Placed, of.typ)
	bare := of == (name{}) && len(m.bare(rest)) <= maxBare
	if placed || bare && place != (name{}) { // "it is dark in the hall, turn the light on"
		in := []lang.Token{{Text: m.words.Inside}}
		all = append(all, saying{toks: slices.Concat(rest, in, before[place.from:place.to]), cost: costPreface})
	}
	if bare && named != (name{}) && named != place { // "I cannot hear the radio, make it louder"
		all = append(all, saying{toks: slices.Concat(rest, before[named.from:named.to]), cost: costPreface})
	}
	if !placed && (rest[0].Comma || begins > len(before) || of != (name{}) || named == place ||
		!m.states(before, maxTopic)) {
		// and not "Ann's speaker is off turn the volume up"
		price := costPreface
		if so {
			price = costFiller
		}
		all = append(all, saying{toks: rest, cost: price})
	}
	return all
}

// corrects reports whether what stands at i certainly takes words back: "bread, no, milk".
func (m *Matcher) corrects(toks []lang.Token, i int) bool {
	sure, end := m.lang.Mends.Longest(toks, i)
	return end > i && end < len(toks) && (sure || toks[i].Comma && toks[end].Comma)
}
