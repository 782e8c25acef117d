package intent

import (
	"slices"

	"hearthd/tools/intent/lang"
)

// leaveOut finds what may be left out.
func (c *chart) leaveOut() {
	direct := make([][]gap, len(c.toks)+1)
	add := func(from, to int, price lang.Cost) { direct[from] = append(direct[from], gap{to, price}) }
	for i, t := range c.toks {
		if end := c.m.lang.Idle.Skip(c.toks, i); end > i {
			add(i, end, costFiller)
		}
		if end := c.m.words.Pointing.Skip(c.toks, i); end > i {
			add(i, end, costPointing)
		}
		if to := c.again(i); to > i && !lang.IsDigits(t.Text) {
			add(i, to, costStutter)
		}
	}
	c.gaps = make([][]gap, len(direct))
	c.marks, c.ahead = make([]uint64, len(direct)), make([]uint64, len(direct))
	c.marks[len(c.toks)] = ^uint64(0) // the request ends there without needing anything
	words := make([]uint64, len(c.toks))
	for i := len(direct) - 1; i >= 0; i-- {
		if i < len(c.toks) {
			words[i] = marks(c.said[i])
			c.marks[i], c.ahead[i] = words[i], c.ahead[i+1]|words[i]
		}
		c.gaps[i] = []gap{{i, 0}}
		for _, g := range direct[i] {
			for _, next := range c.gaps[g.to] {
				c.gaps[i] = withGap(c.gaps[i], gap{next.to, g.cost + next.cost})
			}
		}
		for _, g := range c.gaps[i][1:] {
			if g.to == len(c.toks) {
				c.marks[i] = ^uint64(0)
			} else {
				c.marks[i] |= words[g.to]
			}
		}
	}
}

// maxStuttered bounds the words that are said twice.
const maxStuttered = 4

// again is where a word is said once more, or several after a hesitation, that begin at i; else i. Several at once are
// urgent, and meant for somebody else: "turn it off turn it off".
func (c *chart) again(i int) int {
	for n := 1; n <= maxStuttered && i+n < len(c.toks); n++ {
		to := c.m.lang.Idle.Skip(c.toks, i+n)
		if to+n <= len(c.toks) && (n == 1 || to > i+n) && slices.EqualFunc(c.toks[i:i+n], c.toks[to:to+n], sameWord) {
			return to
		}
	}
	return i
}

func sameWord(a, b lang.Token) bool { return a.Text == b.Text }

// withGap is list with g; of several gaps to one place it keeps the cheapest.
func withGap(list []gap, g gap) []gap {
	if g.cost > costLimit {
		return list
	}
	for k := range list {
		if list[k].to == g.to {
			list[k].cost = min(list[k].cost, g.cost)
			return list
		}
	}
	return append(list, g)
}

// maxWrapped bounds the places where a request may begin, or end.
const maxWrapped = 8

// starts are the places where the request may begin: after what people say in front of one.
func (c *chart) starts() []gap {
	m, list := c.m, []gap{{0, 0}}
	for k := 0; k < len(list) && len(list) < maxWrapped; k++ {
		m.before.Each(c.toks, list[k].to, func(end int, _ bool) {
			if end < len(c.toks) {
				list = withGap(list, gap{end, list[k].cost + costWrapped})
			}
		})
	}
	return list
}

// remarks reports whether a remark begins at i, behind a request that begins with an order or does not.
func (c *chart) remarks(i int, ordered bool) bool {
	m, rest := c.m, c.toks[i:]
	if c.belongs(i) {
		return false
	}
	acts := len(rest) > 1 && m.words.Persons[rest[0].Text] && m.words.Meant.Skip(rest, 0) == 0 && m.orders(c.toks[:i])
	says := ordered && m.tells(rest) // and names nothing of the house
	switch subject := m.words.Subjects[rest[0].Text]; {
	case m.words.Remark.Skip(rest, 0) > 0, m.isAnother(c.toks[:i], rest), acts && !m.wishes(rest),
		subject && rest[0].Comma && !m.addressed(rest):
		return true
	case subject:
		says = says || acts || ordered && m.describes(rest)
	}
	return says && c.topics.longest(i, len(c.toks), nil) == (name{})
}

// belongs reports whether what stands at i is no remark, but goes on with what stands before it.
func (c *chart) belongs(i int) bool {
	m, rest := c.m, c.toks[i:]
	return m.words.NoPreface.Find(rest) >= 0 || m.words.GoesOn[c.toks[i-1].Text] ||
		m.words.Orders.Skip(c.toks, i-1) == i && len(m.bare(c.toks[:i])) == 1 || // German: stopp ich jetzt
		m.relative(rest) || // "turn off the lights that are too bright"
		!rest[0].Comma && m.words.Relative[rest[0].Text] && c.topics.endsAt(i)
}

// describes reports whether a clause says how something is, and not where: "the volume on mum's phone".
func (m *Matcher) describes(clause []lang.Token) bool {
	verb := max(0, m.words.States.Find(clause))
	return m.words.Fronts.Find(clause[:verb]) < 0 && m.states(clause, maxSubject)
}

// isAnother reports whether rest is only a number that an order in front of it does not mean: "at ten, not eleven".
func (m *Matcher) isAnother(order, rest []lang.Token) bool {
	k := m.words.Rather.Skip(rest, 0)
	return k > 0 && k < len(rest) && len(rest)-k <= maxShort && m.lang.IsNumber(rest[k]) && m.orders(order)
}

// tells reports whether a clause says what somebody does who is called by name: "Ann is going to bed".
func (m *Matcher) tells(clause []lang.Token) bool {
	return len(clause) > 2 && m.words.Copulas[clause[1].Text] && !m.lang.NotAName[clause[0].Text] &&
		(!m.lang.NotAName[clause[2].Text] || m.words.Fronts[clause[2].Text]) && !m.wishes(clause[2:])
}

// wishes reports whether a clause behind an order may be one more: "I want the lamp on".
func (m *Matcher) wishes(clause []lang.Token) bool {
	for i := range clause {
		if m.words.Orders.Skip(clause, i) > i {
			return true
		}
	}
	return m.words.Later.Undo[clause[len(clause)-1].Text] != ""
}

// relative reports whether a clause says which are meant, with its verb at its end: "mach die Lichter aus, die
// zu hell sind".
func (m *Matcher) relative(clause []lang.Token) bool {
	n := len(clause)
	return n > 2 && m.words.Relative[clause[0].Text] && m.words.States[clause[n-1].Text] && !m.words.States[clause[1].Text]
}

// ends are the places where it may end: before what people say after one.
func (c *chart) ends() []gap {
	m, list := c.m, []gap{{len(c.toks), 0}}
	ordered := m.words.Orders.Skip(m.bare(c.toks), 0) > 0 // and not "the lamp on the left is from gran"
	for i := 1; i < len(c.toks); i++ {
		if m.words.Reason.Skip(c.toks, i) > i {
			list = withGap(list, gap{i, costRemark})
		}
		if i > 1 && c.remarks(i, ordered) {
			list = withGap(list, gap{i, costRemark})
		}
		if i > 1 && c.toks[i].Comma && m.isApart(c.toks[i:]) && c.topics.longest(i, len(c.toks), nil) == (name{}) {
			list = withGap(list, gap{i, costApart})
		}
	}
	for k := 0; k < len(list) && len(list) < maxWrapped; k++ {
		p := &m.after
		for i := list[k].to - 1; i > 0; i-- {
			if p = p.After(c.toks[i].Text); p == nil {
				break
			}
			if p.Ends {
				list = withGap(list, gap{i, list[k].cost + costWrapped})
			}
		}
	}
	return list
}
