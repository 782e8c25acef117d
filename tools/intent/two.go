package intent

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"hearthd/tools/intent/lang"
)

// maxHalves bounds the places where a sentence is cut in two.
const maxHalves = 4

// MatchTwo finds two requests in a text that is no single one: one in front of an "and" or of a new
// order and one after it, or one that begins as the first does: "set an alarm for seven and seven
// thirty". A yes or a no is neither. A request for a limited time is two as well: one to begin, and
// later one to end. topic is that of MatchAbout.
func (m *Matcher) MatchTwo(text, topic string) (one, two Match, ok bool) {
	toks, ok := m.lang.Tokenize(text)
	if !ok {
		return Match{}, Match{}, false
	}
	said := situation{topic: topic}
	a, b, ok := m.findTwo(toks, said)
	if plain := m.unhesitating(toks); !ok && len(plain) < len(toks) {
		a, b, ok = m.findTwo(plain, said)
	}
	if !ok {
		return Match{}, Match{}, false
	}
	one, ok1 := a.match()
	two, ok2 := b.match()
	return one, two, ok1 && ok2
}

func (m *Matcher) findTwo(toks []lang.Token, said situation) (a, b half, ok bool) {
	work, left := maxWork, maxHalves
	if a, b, ok = m.findLasting(toks, said, &work); ok {
		return a, b, true
	}
	for i := 1; i < len(toks) && left > 0; i++ {
		end := m.joinedAt(toks, i)
		if end == i && (i == 1 || !m.goesOnWith(toks, i)) || end == len(toks) { // "what is on tv" is not "what" and more
			continue
		}
		left--
		if a, b, ok = m.findBoth(toks[:i], toks[end:], end > i, said, &work); !ok {
			continue
		}
		if f, all, ok := m.find(toks, said, &work); !ok && all != nil && f.intent.tool != two {
			return half{}, half{}, false // the whole is no second request
		}
		if a = m.alsoLater(a, b); end > i {
			shareHalf(&a, &b)
			m.goOn(&b.found, a.intent.tool)
		}
		return a, b, true
	}
	return half{}, half{}, false
}

// shareHalf gives the time of a the half of the day that only b says.
func shareHalf(a, b *half) {
	if a.intent != b.intent {
		return
	}
	for i, s := range a.slots {
		for _, next := range b.slots {
			at, timed := s.value.(lang.Moment)
			if then, too := next.value.(lang.Moment); timed && too && s.arg == next.arg {
				a.slots[i].value = at.SharingHalf(then)
			}
		}
	}
}

// joinedAt is where toks go on behind an "and" at i, or behind a "but" and in front of an order.
func (m *Matcher) joinedAt(toks []lang.Token, i int) int {
	if end := m.words.But.Skip(toks, i); end > i && m.words.Orders.Skip(toks, end) > end {
		return end
	}
	return m.lang.Joins.Skip(toks, i)
}

// findBoth finds a request in before and another one in rest. joined says that an "and" stands between.
func (m *Matcher) findBoth(before, rest []lang.Token, joined bool, said situation, work *int) (a, b half, ok bool) {
	last := before[len(before)-1]
	a.found, a.request, ok = m.find(before, said, work)
	for n := 1; !ok && joined && n <= min(len(rest)-1, maxEnded); n++ { // "turn the light in the hall and the fan off"
		a.found, a.request, ok = m.find(slices.Concat(before, rest[len(rest)-n:]), said, work)
		ok = ok && a.intent.later && a.cost <= costFiller
	}
	if !ok || a.intent.tool == answers {
		return half{}, half{}, false
	}
	if a.intent.later && m.lang.IsNumber(last) && m.lang.IsNumber(rest[0]) { // "lamp one and two"
		return half{}, half{}, false
	}
	says := a.read[a.start:]
	if !joined && (m.words.Remark.Skip(says, 0) > 0 || m.states(says, maxSubject)) && m.words.Orders.Skip(rest, 0) > 0 {
		return half{}, half{}, false // it says only why: "it is dark in here put the lamp on"
	}
	if b, ok = m.findSecond(a, before, rest, joined, said, work); !ok || b.intent.tool == answers {
		return half{}, half{}, false
	}
	again := !joined && a.intent.tool == b.intent.tool && maps.EqualFunc(a.args(), b.args(), reflect.DeepEqual)
	return a, b, !again // "say that again what did you say" is one
}

// findSecond finds the request in rest, which follows a, by itself or, where that is none or not what was meant, as it
// begins in before.
func (m *Matcher) findSecond(a half, before, rest []lang.Token, joined bool, said situation, work *int) (b half, ok bool) {
	said.topic = a.intent.tool
	b.found, b.request, ok = m.find(rest, said, work)
	if !ok { // "how warm is it in the hall and is the window in there open"
		all := slices.Concat(before, rest)
		if there, names := m.spokenOf(all, len(before), rest, m.topicsOf(all)); names {
			b.found, b.request, ok = m.find(there, said, work)
		}
	}
	lack := lacksNothing
	if ok {
		lack = m.lack(&a, &b, before, rest, joined)
	}
	if ok && lack == lacksNothing || !joined && m.addressed(rest) {
		return b, ok
	}
	begun, is := m.findBegun(a, before, rest, said, work)
	if is && (lack != lacksName || begun.args()["name"] != nil) { // "the hall light on and in the bathroom off"
		return begun, true
	}
	switch lack {
	case lacksBeginning, lacksName:
		return b, true
	case lacksOrder:
		return b, m.names(&b)
	}
	return half{}, false
}

// lack is what a request lacks that seems to be one by itself behind another one.
type lack int

const (
	lacksNothing   lack = iota
	lacksOrder          // the "off" of "turn the light on and off"
	lacksAsking         // it only goes on with a question, and is no order
	lacksBeginning      // it is for another tool, and may go on as the first one did: "cancel the alarm and the timer"
	lacksName           // the first one has what it is for
)

func (m *Matcher) lack(a, b *half, before, rest []lang.Token, joined bool) lack {
	other := b.intent.tool != a.intent.tool
	switch {
	case joined && !m.standsAlone(b, rest):
		return lacksOrder
	case joined && other && m.asksOnly(before, rest):
		return lacksAsking
	case other && (m.alike(a, before, rest, joined) || joined && m.orders(before) && !m.words.Asks[rest[0].Text] &&
		!m.wishes(rest)):
		return lacksBeginning
	case joined && (a.lends(b) || m.placed(a, b)):
		return lacksName
	}
	return lacksNothing
}

// names reports whether a request names something of the house: "the fan too".
func (m *Matcher) names(b *half) bool {
	return slices.ContainsFunc(b.slots, func(s filled) bool {
		return s.arg == "name" && slices.Contains(m.words.Topics, s.typ)
	})
}

// standsAlone reports whether what is found in rest is a request by itself: the "off" of "turn the light on and
// off" is none.
func (m *Matcher) standsAlone(b *half, rest []lang.Token) bool {
	return !b.needsTopic() || !b.intent.later || m.words.Orders.Skip(rest, 0) > 0
}

// alike reports whether rest goes on as before does: "cancel the pasta timer and the egg timer", "the lamp to
// red and fifty percent".
func (m *Matcher) alike(a *half, before, rest []lang.Token, joined bool) bool {
	return before[len(before)-1].Text == rest[len(rest)-1].Text || joined && a.intent.later && m.lang.IsNumber(rest[0])
}

// lends reports whether a names a device and b, which is for the same tool and would need one, does not.
func (a *half) lends(b *half) bool {
	return a.intent.later && a.intent.tool == b.intent.tool && a.args()["name"] != nil && b.args()["name"] == nil
}

// placed reports whether a begins with its place, which is that of b too: "in the kitchen the light off and the blinds
// down".
func (m *Matcher) placed(a, b *half) bool {
	place := func(s filled) bool { return slices.Contains(m.words.Places, s.typ) }
	return a.intent.later && b.intent.tool == a.intent.tool && len(a.slots) > 0 && place(a.slots[0]) &&
		!slices.ContainsFunc(b.slots, place) &&
		slices.ContainsFunc(b.slots, func(s filled) bool { return slices.Contains(m.words.Placed, s.typ) })
}

// asksOnly reports whether before asks and rest does not begin a question or an order of its own: "is the front door
// locked and the garage closed" closes nothing.
func (m *Matcher) asksOnly(before, rest []lang.Token) bool {
	before, rest = m.bare(before), m.bare(rest)
	return len(before) > 0 && len(rest) > 0 && m.words.Asks[before[0].Text] && !m.words.Asks[rest[0].Text] &&
		m.words.Orders.Skip(rest, 0) == 0
}

// goesOnWith reports whether the next request may begin at i without an "and": "turn off
// the light turn on the fan".
func (m *Matcher) goesOnWith(toks []lang.Token, i int) bool {
	return toks[i].Comma || m.words.Closes[toks[i-1].Text] ||
		m.words.Orders.Skip(toks, i) > i && !m.words.NoOrder[toks[i-1].Text]
}

// maxBegun and maxEnded bound how many words of a request the other one may leave out, in front and behind.
const (
	maxBegun = 12
	maxEnded = 2
)

// findInstead finds the request for more of what a names in the middle: "add bread to the list and milk".
func (m *Matcher) findInstead(a half, before, rest []lang.Token, said situation, work *int) (half, bool) {
	k := slices.IndexFunc(a.slots, func(s filled) bool { return s.typ == "items" && s.end < len(before) })
	whole := func(r lang.Reading) bool { return r.End == len(rest) }
	if k < 0 || !slices.Equal(a.read, before) || m.words.Orders.Skip(m.bare(rest), 0) > 0 ||
		m.words.States.Find(m.inFull(rest)) >= 0 ||
		!slices.ContainsFunc(m.lang.Readers["items"](rest, 0), whole) {
		return half{}, false
	}
	s := a.slots[k]
	f, request, read := m.find(slices.Concat(before[:s.start], rest, before[s.end:]), said, work)
	return half{f, request}, read && f.intent == a.intent
}

// actsLike reports whether f does what a does, or what its own words behind the first n say: "shut off the fan and the
// heater" shuts no heater.
func (f *found) actsLike(a half, n int) bool {
	return f.args()["action"] == a.args()["action"] || slices.ContainsFunc(f.slots, func(s filled) bool {
		return s.arg == "action" && s.start > n
	})
}

// takesWord reports whether f takes the word at n literally, or words around it: "remind me to" and "in two hours".
func (f *found) takesWord(n int) bool {
	return slices.ContainsFunc(f.slots, func(s filled) bool {
		return (s.typ == lang.FreeText || s.typ == lang.Task) && s.start <= n
	})
}

// act is what a tool does, whatever it does that with: timer_cancel, alarm_cancel.
func act(tool string) string { return tool[strings.IndexByte(tool, '_')+1:] }

// repeats reports whether f, which begins with the first n words of a, asks its tool for the same of something else, or
// a tool that does the same with what they name.
func (f *found) repeats(a half, n int, named bool) bool {
	return f.cost <= costFiller+f.literal() && !f.takesWord(n) && !f.needsTopic() &&
		(f.intent.tool == a.intent.tool || named && act(f.intent.tool) == act(a.intent.tool)) &&
		f.args()["except"] == nil && f.actsLike(a, n) // what else is left out
}

// findBegun finds the request for the tool of a in rest when it begins as before does, with as few
// of those words as possible, but whole names: "turn the kitchen light on and off". Where a names a
// device the rest does too, if it can: "the lights upstairs and downstairs". An order for a device may
// end as before does as well: "turn the lamp off and the fan too".
func (m *Matcher) findBegun(a half, before, rest []lang.Token, said situation, work *int) (b half, ok bool) {
	if b, ok = m.findInstead(a, before, rest, said, work); ok {
		return b, true
	}
	named := m.topicsOf(rest).longest(0, len(rest), nil) != (name{})
	for ends := 0; !ok && ends < len(before) && (ends == 0 || ends == 1 && a.intent.later); ends++ {
		ending := before[len(before)-ends:]
		for n := 1; n <= min(len(before)-1-ends, maxBegun); n++ {
			within := func(s filled) bool { return s.start < n && n < s.end }
			if slices.Equal(a.request, before) && slices.ContainsFunc(a.slots, within) {
				continue
			}
			f, request, read := m.find(slices.Concat(before[:n], rest, ending), said, work)
			if !read || !f.repeats(a, n, named) || ok && f.args()["name"] == nil {
				continue
			}
			b, ok = half{f, request}, true
			if a.args()["name"] == nil || f.args()["name"] != nil {
				break
			}
		}
	}
	return b, ok
}
