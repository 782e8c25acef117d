package intent

import (
	"fmt"
	"slices"

	"hearthd/tools/intent/lang"
)

// addLater reads the words of orders for later. A language may have none.
func (m *Matcher) addLater() error {
	l := &later{laterWords: &m.words.Later}
	if l.Intent == "" {
		return nil
	}
	named := map[string]**intent{l.Intent: &l.orders, l.Asks: &l.asks, l.Never: &l.never}
	if l.Ends != "" {
		named[l.Ends] = &l.ends
	}
	for name, to := range named {
		i := slices.IndexFunc(m.intents, func(in intent) bool { return in.name == name })
		if i < 0 {
			return fmt.Errorf("parse intents: later: there is no intent %q", name)
		}
		*to = &m.intents[i]
	}
	for i := range m.intents {
		m.intents[i].later = l.Of[m.intents[i].tool]
	}
	m.later = l
	return nil
}

// due is when something is to be done, in the words of the request.
type due struct {
	end  int      // of its words
	of   *intent  // tool of a request with this time
	slot []filled // when
}

// findLater finds a request that may be for later, with its time.
func (m *Matcher) findLater(toks []lang.Token, said situation, work *int) (best found, words []lang.Token, ok bool) {
	if m.later == nil || said.while != always {
		return found{}, nil, false
	}
	for i := range toks {
		for _, d := range m.dueAt(toks, i) {
			if d.end < len(toks) && toks[d.end].Glued {
				continue // the night of the night light is no time
			}
			if words != nil && best.cost == costAside {
				return best, words, true // nothing costs less
			}
			f, ok := m.findNow(toks, i, d.end, said, work)
			if !ok || words != nil && f.cost >= best.cost {
				continue
			}
			if d.of == m.later.ends && !m.isEndless(&f) {
				continue
			}
			switch d.of {
			case m.later.asks:
				f.intent, f.slots = d.of, []filled{{"order", lang.FreeText, 0, len(toks), lang.Join(toks)}}
			case m.later.never, m.later.ends:
				f.intent, f.slots = d.of, nil
			default:
				f = m.delayed(f, d)
			}
			best, words = f, toks
		}
	}
	return best, words, words != nil
}

// isEndless reports whether f is of what the house has, and there is no request that ends it: else it is two.
func (m *Matcher) isEndless(f *found) bool {
	_, ends := m.undone(*f)
	return !ends && !slices.ContainsFunc(f.slots, func(s filled) bool { return m.lang.Open[s.typ] })
}

// findNow finds a request that may be for later in toks without those from i to end.
func (m *Matcher) findNow(toks []lang.Token, i, end int, said situation, work *int) (found, bool) {
	c := newChart(m, slices.Concat(toks[:i], toks[end:]), work)
	f, ok := c.best(func(in *intent) bool { return in.later }, said.topic)
	if !ok {
		return found{}, false // nearly always, and that is found out quickly
	}
	if now, ok := c.best(said.counts, said.topic); !ok || now.cost < f.cost || *work < 0 {
		return found{}, false
	}
	f.cost += costAside
	for k := range f.slots { // make the slots refer to the tokens of toks
		if s := &f.slots[k]; s.start >= i {
			s.start, s.end = s.start+end-i, s.end+end-i
		}
	}
	return f, true
}

// delayed is the order that does f later.
func (m *Matcher) delayed(f found, d due) found {
	order := *m.later.orders
	order.args = f.intent.args
	f.intent, f.slots, f.aside = &order, slices.Concat(f.slots, d.slot), d.slot
	return f
}

// dueAt reads when something is to be done, at token i.
func (m *Matcher) dueAt(toks []lang.Token, i int) (all []due) {
	l := m.later
	if k := l.In.Skip(toks, i); k > i {
		all = append(all, m.dueIn(toks, k, m.lang.Times.Past.Skip(toks, i) == i)...)
	}
	if k := l.Wait.Skip(toks, i); k > i {
		for _, d := range m.dueIn(toks, k, false) {
			if end := m.lang.Joins.Skip(toks, d.end); end > d.end {
				all = append(all, due{end, d.of, d.slot})
			}
		}
	}
	if end := l.Events.Skip(toks, i); end > i {
		all = append(all, due{end: end, of: l.never})
	}
	if k := l.When.Skip(toks, i); k > i && !m.isWrapping(toks, i) {
		all = append(all, m.eventAt(toks, i, k)...)
	}
	for _, r := range m.lang.Readers["repeat"](toks, i) {
		for _, t := range m.lang.Timed(toks, r.End) {
			all = append(all, due{end: t.End, of: l.never})
		}
		all = append(all, due{end: r.End, of: l.never})
	}
	for _, r := range m.lang.Lengths(toks, i) {
		if end := l.Hence.Skip(toks, r.End); end > r.End {
			all = append(all, due{end, l.orders, []filled{{"in_s", "duration", i, end, r.Value}}})
		}
	}
	if l.ends != nil && i > 0 {
		for _, d := range m.lastsAt(toks, i) {
			all = append(all, due{end: d.end, of: l.ends})
		}
	}
	return append(all, m.dueTime(toks, i)...)
}

// dueIn reads the time until then. A number alone is minutes where nothing follows, but not in
// "after eight".
func (m *Matcher) dueIn(toks []lang.Token, i int, bare bool) (all []due) {
	for _, r := range m.lang.Lengths(toks, i) {
		all = append(all, due{r.End, m.later.orders, []filled{{"in_s", "duration", i, r.End, r.Value}}})
	}
	for _, r := range m.lang.BareMinutes(toks, i) {
		if bare && r.End == len(toks) {
			all = append(all, due{r.End, m.later.orders, []filled{{"in_s", "bare_minutes", i, r.End, r.Value}}})
		}
	}
	return all
}

// dueTime reads a time of day, or a day without one.
func (m *Matcher) dueTime(toks []lang.Token, i int) (all []due) {
	if m.lang.Times.Before.Skip(toks, i) > i && m.later.At.Skip(toks, i) == i {
		return nil // "down by two" is no time
	}
	for _, r := range m.lang.Moments(toks, i) {
		switch t, _ := r.Value.(lang.Moment); {
		case t == lang.Moment{} || !m.isTime(toks[i:r.End], t):
		case m.namesTime(toks[i:r.End]):
			all = append(all, due{r.End, m.later.orders, []filled{{"at", "timed", i, r.End, r.Value}}})
			for _, again := range m.lang.Readers["repeat"](toks, r.End) {
				all = append([]due{{end: again.End, of: m.later.never}}, all...)
			}
		case m.later.Now.Skip(toks, i) < r.End:
			all = append(all, due{end: r.End, of: m.later.asks})
		}
	}
	return all
}

// namesTime reports whether a moment was said with a time of day, and not only with a part of the
// day.
func (m *Matcher) namesTime(toks []lang.Token) bool {
	for i, t := range toks {
		if m.lang.IsNumber(t) || m.lang.Times.Named.Skip(toks, i) > i || m.lang.Times.Half.Skip(toks, i) > i {
			return true
		}
	}
	return false
}

// isTime reports whether a moment is certainly one, and not only a number: "put the heating on
// twenty one".
func (m *Matcher) isTime(toks []lang.Token, t lang.Moment) bool {
	l := m.lang
	if t.Day != "" || m.later.At.Skip(toks, 0) > 0 {
		return true
	}
	for i := range toks {
		for _, p := range []*lang.List{&l.Times.Am, &l.Times.Pm, &l.Times.Oclock, &l.Times.Past} {
			if p.Skip(toks, i) > i {
				return true
			}
		}
		to := l.Times.To.Skip(toks, i)
		switch {
		case lang.IsClock(toks[i].Text), l.Times.Named.Skip(toks, i) > i, l.Times.Half.Skip(toks, i) > i,
			l.Times.Parts.Skip(toks, i) > i:
			return true
		case to > i && to < len(toks) && m.lang.IsNumber(toks[to]):
			return true
		}
	}
	return false
}

// isWrapping reports whether toks from i on are what people say around a request:
// "when you can".
func (m *Matcher) isWrapping(toks []lang.Token, i int) bool {
	c := &chart{m: m, toks: toks}
	ends := func(g gap) bool { return i == g.to && g.cost < costRemark }
	return m.before.Skip(toks, i) > i || slices.ContainsFunc(c.ends(), ends)
}

// eventAt reads the beginning of an event that cannot be waited for, from i to the end, or, in
// front, to where an order begins.
func (m *Matcher) eventAt(toks []lang.Token, i, k int) (all []due) {
	if i > 0 {
		return []due{{end: len(toks), of: m.later.never}}
	}
	for end := k + 1; end < len(toks); end++ {
		if toks[end].Comma || m.words.Orders.Skip(toks, end) > end && !m.words.NoOrder[toks[end-1].Text] {
			all = append(all, due{end: end, of: m.later.never})
		}
	}
	return all
}
