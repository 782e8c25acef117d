package intent

import (
	"fmt"
	"maps"
	"slices"
)

// laterWords say how people order something for later, or for a while: "turn the light
// off in ten minutes".
type laterWords struct {
	Intent string            `yaml:"intent"` // its tool gets such an order, with the arguments of the request and when: in_s, or time and day
	Asks   string            `yaml:"asks"`   // the intent of one with a day and no time; its texts may hold {order}
	Never  string            `yaml:"never"`  // the intent of one that waits for what cannot be waited for
	Of     []string          `yaml:"of"`     // tools whose requests may be for later
	In     []string          `yaml:"in"`     // before the time that is left
	Hence  []string          `yaml:"hence"`  // behind it: ten minutes from now
	At     []string          `yaml:"at"`     // of the words before a time, those that only stand there
	Now    []string          `yaml:"now"`    // days that do not put anything off: today
	For    []string          `yaml:"for"`    // before how long something is to last
	Until  []string          `yaml:"until"`  // before when it is to end
	Undo   map[string]string `yaml:"undo"`   // an action to the one that ends it
	What   []string          `yaml:"what"`   // the arguments that such an end takes over
	Events []string          `yaml:"events"` // what cannot be waited for: at sunset
	When   []string          `yaml:"when"`   // begins what cannot be waited for: when I get home
}

// later is laterWords made ready to be looked up.
type later struct {
	orders, asks, never                         *intent
	of                                          map[string]bool
	what                                        []string
	clues                                       map[string]bool // words of which one is in what tells a time
	undo                                        map[string]string
	in, hence, at, now, lasts, until, evt, when phrases[bool]
}

// addLater takes over the words of orders for later. A language may have none.
func (m *Matcher) addLater(d *data) error {
	w := &d.Later
	if w.Intent == "" {
		return nil
	}
	l := &later{of: setOf(w.Of), undo: w.Undo, what: w.What}
	for name, to := range map[string]**intent{w.Intent: &l.orders, w.Asks: &l.asks, w.Never: &l.never} {
		i := slices.IndexFunc(m.intents, func(in intent) bool { return in.name == name })
		if i < 0 {
			return fmt.Errorf("parse intents: later: there is no intent %q", name)
		}
		*to = &m.intents[i]
	}
	for _, set := range []struct {
		to   *phrases[bool]
		from []string
	}{{&l.in, w.In}, {&l.hence, w.Hence}, {&l.at, w.At}, {&l.now, w.Now}, {&l.lasts, w.For}, {&l.until, w.Until}, {&l.evt, w.Events}, {&l.when, w.When}} {
		for _, s := range set.from {
			set.to.add(m.expand(words(s)), true)
		}
	}
	l.addClues(d)
	for i := range m.intents {
		m.intents[i].later = l.of[m.intents[i].tool]
	}
	m.later = l
	return nil
}

// addClues notes the words without one of which, or a number, no time is told: the last
// word of whatever tells one, and the first of what begins an event.
func (l *later) addClues(d *data) {
	l.clues = map[string]bool{}
	add := func(forms []string) {
		for _, f := range forms {
			if ws := words(f); len(ws) > 0 {
				l.clues[ws[len(ws)-1]] = true
			}
		}
	}
	for _, f := range d.Later.When {
		l.clues[words(f)[0]] = true
	}
	add(d.Later.Events)
	add(slices.DeleteFunc(slices.Clone(d.Speech.Dates.Every), func(s string) bool { return slices.Contains(d.Speech.Dates.Before, s) }))
	for _, lists := range []map[string][]string{d.Speech.Dates.Named, d.Speech.Dates.Weekdays, d.Speech.Times.Named, d.Speech.Times.Parts} {
		for _, forms := range lists {
			add(forms)
		}
	}
	for _, lists := range []map[int][]string{d.Speech.Durations.Units, d.Speech.Durations.Phrases, d.Speech.Dates.Months, d.Speech.Dates.Days} {
		for _, forms := range lists {
			add(forms)
		}
	}
	if lex := d.Words["repeat"]; lex != nil {
		add(slices.Concat(slices.Collect(maps.Keys(lex.Said)), slices.Collect(maps.Keys(lex.Typed))))
	}
}

// tellsTime reports whether toks may tell a time.
func (m *Matcher) tellsTime(toks []token) bool {
	return slices.ContainsFunc(toks, func(t token) bool { return m.later.clues[t.text] || m.isNumber(t) })
}

// due is when something is to be done, as it was said.
type due struct {
	end  int      // of its words
	of   *intent  // what becomes of a request beside it
	slot []filled // when
}

// findLater finds a request that may be for later, and beside it when.
func (m *Matcher) findLater(toks []token, while int, work *int) (best found, words []token, ok bool) {
	if m.later == nil || while != always || !m.tellsTime(toks) {
		return found{}, nil, false
	}
	for i := range toks {
		for _, d := range m.dueAt(toks, i) {
			f, ok := m.findNow(toks, i, d.end, work)
			if !ok || words != nil && f.cost >= best.cost {
				continue
			}
			switch d.of {
			case m.later.asks:
				f.intent, f.slots = d.of, []filled{{"order", freeText, 0, len(toks), join(toks)}}
			case m.later.never:
				f.intent, f.slots = d.of, nil
			default:
				f = m.delayed(f, d)
			}
			best, words = f, toks
		}
	}
	return best, words, words != nil
}

// findNow finds a request that may be for later in toks without those from i to end.
func (m *Matcher) findNow(toks []token, i, end int, work *int) (found, bool) {
	c := newChart(m, slices.Concat(toks[:i], toks[end:]), work)
	if _, ok := c.best(func(in *intent) bool { return in.later }); !ok {
		return found{}, false // nearly always, and that is found out soon
	}
	f, ok := c.best(func(in *intent) bool { return in.while == always })
	if !ok || !f.intent.later {
		return found{}, false
	}
	f.cost += costAside
	for k := range f.slots { // count the tokens of toks
		if s := &f.slots[k]; s.start >= i {
			s.start, s.end = s.start+end-i, s.end+end-i
		}
	}
	return f, true
}

// delayed is the order of f for later.
func (m *Matcher) delayed(f found, d due) found {
	order := *m.later.orders
	order.args = f.intent.args
	f.intent, f.slots = &order, slices.Concat(f.slots, d.slot)
	return f
}

// dueAt reads when something is to be done, at token i.
func (m *Matcher) dueAt(toks []token, i int) (all []due) {
	l := m.later
	if k := l.in.skip(toks, i); k > i {
		all = append(all, m.dueIn(toks, k, m.lang.past.skip(toks, i) == i)...)
	}
	if end := l.evt.skip(toks, i); end > i {
		all = append(all, due{end: end, of: l.never})
	}
	if k := l.when.skip(toks, i); k > i && !m.isWrapping(toks, i) {
		all = append(all, m.eventAt(toks, i, k)...)
	}
	for _, r := range m.readers["repeat"](toks, i) {
		for _, t := range m.timed(toks, r.end) {
			all = append(all, due{end: t.end, of: l.never})
		}
		all = append(all, due{end: r.end, of: l.never})
	}
	for _, r := range m.durations(toks, i) {
		if end := l.hence.skip(toks, r.end); end > r.end {
			all = append(all, due{end, l.orders, []filled{{"in_s", "duration", i, end, r.value}}})
		}
	}
	return append(all, m.dueTime(toks, i)...)
}

// dueIn reads the time that is left. A number alone is minutes where nothing follows, but
// not in "after eight".
func (m *Matcher) dueIn(toks []token, i int, bare bool) (all []due) {
	for _, r := range m.durations(toks, i) {
		all = append(all, due{r.end, m.later.orders, []filled{{"in_s", "duration", i, r.end, r.value}}})
	}
	for _, r := range m.bareMinutes(toks, i) {
		if bare && r.end == len(toks) {
			all = append(all, due{r.end, m.later.orders, []filled{{"in_s", "bare_minutes", i, r.end, r.value}}})
		}
	}
	return all
}

// dueTime reads a time of day, or a day without one.
func (m *Matcher) dueTime(toks []token, i int) (all []due) {
	if m.lang.timeBefore.skip(toks, i) > i && m.later.at.skip(toks, i) == i {
		return nil // "down by two" is no time
	}
	for _, r := range m.moments(toks, i) {
		switch t, _ := r.value.(moment); {
		case t == moment{} || !m.isTime(toks[i:r.end], t):
		case m.namesTime(toks[i:r.end]):
			all = append(all, due{r.end, m.later.orders, []filled{{"at", "timed", i, r.end, r.value}}})
			for _, again := range m.readers["repeat"](toks, r.end) {
				all = append([]due{{end: again.end, of: m.later.never}}, all...)
			}
		case m.later.now.skip(toks, i) < r.end:
			all = append(all, due{end: r.end, of: m.later.asks})
		}
	}
	return all
}

// namesTime reports whether a moment was said with a time of day, and not with a part of
// the day alone.
func (m *Matcher) namesTime(toks []token) bool {
	for i, t := range toks {
		if m.isNumber(t) || m.lang.timeNamed.skip(toks, i) > i || m.lang.half.skip(toks, i) > i {
			return true
		}
	}
	return false
}

// isTime reports whether a moment is sure to be one, and not a number alone: "put the
// heating on twenty one".
func (m *Matcher) isTime(toks []token, t moment) bool {
	l := m.lang
	if t.day != "" || m.later.at.skip(toks, 0) > 0 {
		return true
	}
	for i := range toks {
		for _, p := range []*phrases[bool]{&l.am, &l.pm, &l.oclock, &l.past} {
			if p.skip(toks, i) > i {
				return true
			}
		}
		to := l.to.skip(toks, i)
		switch {
		case isClock(toks[i].text), l.timeNamed.skip(toks, i) > i, l.half.skip(toks, i) > i, l.dayParts.skip(toks, i) > i:
			return true
		case to > i && to < len(toks) && m.isNumber(toks[to]):
			return true
		}
	}
	return false
}

// isWrapping reports whether toks from i on are what people say around a request:
// "when you can".
func (m *Matcher) isWrapping(toks []token, i int) bool {
	return m.before.skip(toks, i) > i || slices.ContainsFunc((&chart{m: m, toks: toks}).ends(), func(g gap) bool { return i == g.to && g.cost < costRemark })
}

// eventAt reads what begins as one that cannot be waited for, from i to the end, or in
// front to where an order begins.
func (m *Matcher) eventAt(toks []token, i, k int) (all []due) {
	if i > 0 {
		return []due{{end: len(toks), of: m.later.never}}
	}
	for end := k + 1; end < len(toks); end++ {
		if toks[end].comma || m.orders.skip(toks, end) > end && !m.noOrder[toks[end-1].text] {
			all = append(all, due{end: end, of: m.later.never})
		}
	}
	return all
}
