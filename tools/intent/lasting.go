package intent

import (
	"slices"

	"hearthd/tools/intent/lang"
)

// findLasting finds a request for a limited time, which is two: "turn the fan on for an hour" is to
// turn it on, and to turn it off in an hour.
func (m *Matcher) findLasting(toks []lang.Token, said situation, work *int) (one, two half, ok bool) {
	if m.later == nil {
		return half{}, half{}, false
	}
	for i := 1; i < len(toks); i++ {
		for _, d := range m.lastsAt(toks, i) {
			f, ok := m.findNow(toks, i, d.end, said, work)
			if k := m.lang.Joins.Skip(toks, d.end); !ok && k > d.end { // "for ten minutes and then shut it"
				if f, ok = m.findNow(toks[:d.end], i, d.end, said, work); ok {
					ok = m.endsIt(&f, toks[k:], work)
				}
			}
			if !ok {
				continue
			}
			if undone, ok := m.undone(f); ok {
				return half{f, toks}, half{m.delayed(undone, d), toks}, true
			}
		}
	}
	return half{}, half{}, false
}

// endsIt reports whether rest is to end what f does, and no more.
func (m *Matcher) endsIt(f *found, rest []lang.Token, work *int) bool {
	end, _, ok := m.find(rest, situation{topic: f.intent.tool}, work)
	action, _ := f.args()["action"].(string)
	then := end.intent != nil && (end.args()["action"] == m.later.Undo[action] || end.args()["action"] == m.later.Undo["open"])
	return ok && then && m.saysIt(&end)
}

// alsoLater puts the first request off too where one time is said after two: "turn the lights off
// and lock the door in ten minutes". Where something ends later, it begins now.
func (m *Matcher) alsoLater(a, b half) half {
	if m.later == nil || !m.later.Of[a.intent.tool] || b.intent.tool != m.later.orders.tool || len(b.slots) == 0 {
		return a
	}
	first, _ := a.args()["action"].(string)
	then, _ := b.args()["action"].(string)
	last := b.slots[len(b.slots)-1]
	if m.later.Undo[first] == then || last.end != len(b.request) || m.saysIt(&b.found) {
		return a
	}
	last.end -= last.start
	last.start = 0
	d := due{of: m.later.orders, slot: []filled{last}}
	return half{m.delayed(a.found, d), a.request}
}

// lastsAt reads for how long something is to be done.
func (m *Matcher) lastsAt(toks []lang.Token, i int) (all []due) {
	k := m.later.For.Skip(toks, i)
	for _, r := range m.lang.Lengths(toks, k) {
		after := m.later.In.Skip(toks, i-1) == i // "in ten minutes on"
		if k > i || m.later.Lasts.Skip(toks, r.End) > r.End && !after {
			all = append(all, due{r.End, m.later.orders, []filled{{"in_s", "duration", k, r.End, r.Value}}})
		}
	}
	if k := m.later.Until.Skip(toks, i); k > i {
		for _, r := range m.lang.Moments(toks, k) {
			if m.namesTime(toks[k:r.End]) {
				all = append(all, due{r.End, m.later.orders, []filled{{"at", "timed", k, r.End, r.Value}}})
			}
		}
		for _, r := range m.lang.TimesOfDay(toks, k) { // "until eleven"
			all = append(all, due{r.End, m.later.orders, []filled{{"time", "time", k, r.End, r.Value}}})
		}
	}
	return all
}

// undone is the request that ends what f does, if there is one.
func (m *Matcher) undone(f found) (found, bool) {
	action, _ := f.args()["action"].(string)
	undo, ok := m.later.Undo[action]
	if !ok || len(f.intent.args) > 1 || slices.ContainsFunc(f.slots, func(s filled) bool { return s.arg == "value" }) {
		return found{}, false
	}
	in := *f.intent
	in.args = map[string]any{"action": undo}
	f.intent = &in
	f.slots = slices.DeleteFunc(slices.Clone(f.slots), func(s filled) bool {
		return !slices.Contains(m.later.What, s.arg)
	})
	return f, true
}
