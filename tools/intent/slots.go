package intent

import (
	"slices"
	"strings"
)

// reader gives the readings of a slot type at a token, the preferred one first.
type reader func(toks []token, i int) []reading

// freeText is the slot type of any words. A grammar cannot hold it, so it stands
// in what is typed only.
const freeText = "text"

// task is the slot type of any words too, but as few as the rest of a pattern
// leaves.
const task = "task"

// addReaders makes the readers of all types: those written in Go, and one for
// each name in the lexicon.
func (m *Matcher) addReaders() {
	m.readers = map[string]reader{
		"number":        m.numbers,
		"whole":         m.whole,
		"temperature":   m.temperatures,
		"duration":      m.durations,
		"more_duration": m.moreDurations,
		"percent":       m.percents,
		"ordinal":       m.ordinals,
		"time":          m.times,
		"date":          m.dates,
		"expression":    m.expressions,
		"items":         func(toks []token, i int) []reading { return m.items(toks, i, &m.lang.joins) },
		"known_items":   m.knownItems,
		"either":        m.either,
		"choices":       func(toks []token, i int) []reading { return m.items(toks, i, &m.lang.choices) },
		"moment":        m.moments,
		"moment_words":  m.momentWords,
		"timed":         m.timed,
		"countdowns":    m.countdowns,
		"timer_length":  m.timerLengths,
		"bare_minutes":  m.bareMinutes,
		"no_time":       m.noTime,
		"meters_said":   m.metersSaid,
		"feet_said":     m.feetSaid,
		"date_words":    m.dateWords,
		freeText:        m.anyWords,
		task:            m.tasks,
	}
	first := map[string][]uint32{} // words that a slot type can begin with
	m.trees = newForest(func(typ string) opening {
		set, closed := first[typ]
		return opening{any: !closed, vague: m.open[typ], first: set}
	})
	m.open = map[string]bool{"items": true, "known_items": true, "choices": true, "either": true, freeText: true, task: true}
	for _, typ := range m.data.Open {
		m.open[typ] = true
	}
	for name, lex := range m.data.Words {
		p := &phrases[any]{}
		for _, forms := range []map[string]string{lex.Said, lex.Typed} {
			for form, value := range forms {
				p.add(m.formWords(form), typed(value))
			}
		}
		if name == "item" {
			m.known = p
		}
		if m.open[name] {
			m.readers[name] = m.openWords(p)
			name = "known_" + name
		}
		m.readers[name] = closedWords(p)
		if name == "repeat" {
			m.readers[name] = m.repeats(m.readers[name])
			continue
		}
		first[name] = make([]uint32, 0, len(p.next))
		for _, s := range p.next {
			first[name] = append(first[name], m.trees.id(s.word))
		}
		slices.Sort(first[name])
	}
	for name, types := range m.data.Compounds {
		var parts []reader
		for _, typ := range types {
			typ, many := strings.CutSuffix(typ, oneOrMore)
			switch {
			case m.reader(typ) == nil:
			case many:
				parts = append(parts, m.joined(m.reader(typ)))
			default:
				parts = append(parts, m.reader(typ))
			}
		}
		if len(parts) > 0 && len(parts) == len(types) { // else a pattern that uses it says that it is unknown
			m.readers[name] = compound(parts)
			if list, closed := first[strings.TrimSuffix(types[0], oneOrMore)]; closed {
				first[name] = list
			}
		}
	}
	if m.known == nil {
		m.known = &phrases[any]{}
	}
}

// compound reads what each of parts reads, one behind the other; the value is all of
// the words.
func compound(parts []reader) reader {
	return func(toks []token, i int) []reading {
		rs := []reading{{end: i}}
		for _, one := range parts {
			var next []reading
			for _, so := range rs {
				for _, r := range one(toks, so.end) {
					next = append(next, reading{end: r.end, cost: so.cost + r.cost})
				}
			}
			rs = next
		}
		for k := range rs {
			rs[k].value = joinListed(toks[i:rs[k].end])
		}
		return rs
	}
}

// joinListed is join with the commas inside.
func joinListed(toks []token) string {
	var b strings.Builder
	for i, t := range toks {
		switch {
		case i > 0 && t.comma:
			b.WriteString(", ")
		case i > 0:
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// oneOrMore is the mark of a part of a compound that may be several: kitchen and hall.
const oneOrMore = "+"

// joined reads one or more of what read does, with joining words between them.
func (m *Matcher) joined(read reader) reader {
	return func(toks []token, i int) []reading {
		var rs []reading
		so := []reading{{end: i}}
		for n := 0; n < maxItems && len(so) > 0; n++ {
			var next []reading
			for _, one := range so {
				at := one.end
				if n > 0 {
					after := m.lang.joins.skip(toks, at)
					if after == at && !toks[at].comma {
						continue
					}
					at = m.skipArticles(toks, after)
				}
				for _, r := range read(toks, at) {
					r = reading{end: r.end, cost: one.cost + r.cost}
					if rs = append(rs, r); r.end < len(toks) {
						next = append(next, r)
					}
				}
			}
			so = next
		}
		slices.SortStableFunc(rs, func(a, b reading) int { return b.end - a.end })
		return rs
	}
}

// Slot types that take their words from a vocabulary.
const (
	oneName   = "name:"
	someNames = "names:"
)

// reader is that of a slot type, or nil. It is called while New works.
func (m *Matcher) reader(typ string) reader {
	if r, ok := m.readers[typ]; ok {
		return r
	}
	if vocab, ok := strings.CutPrefix(typ, oneName); ok && isName(vocab) {
		m.readers[typ] = m.namesOf(vocab)
	} else if vocab, ok := strings.CutPrefix(typ, someNames); ok && isName(vocab) {
		m.readers[typ] = m.several(m.namesOf(vocab))
	}
	return m.readers[typ]
}

// formWords are the words of a form of the lexicon, cut as a request is.
func (m *Matcher) formWords(form string) []string {
	toks, ok := m.tokenize(form)
	if !ok {
		return nil
	}
	return texts(toks)
}

func texts(toks []token) []string {
	ws := make([]string, len(toks))
	for i, t := range toks {
		ws[i] = t.text
	}
	return ws
}

// closedWords reads what the lexicon has, the longest form first.
func closedWords(p *phrases[any]) reader {
	return func(toks []token, i int) []reading {
		var rs []reading
		p.each(toks, i, func(end int, v any) { rs = append(rs, reading{end: end, value: v}) })
		return rs
	}
}

// several reads one or more of what one reads, with commas or joining words
// between them, the most first.
func (m *Matcher) several(one reader) reader {
	return func(toks []token, i int) []reading {
		var list []string
		var rs []reading
		for len(list) < maxItems {
			got := one(toks, m.skipArticles(toks, i))
			if len(got) == 0 {
				break
			}
			name, ok := got[0].value.(string)
			if !ok {
				break
			}
			list = append(list[:len(list):len(list)], name)
			i = got[0].end
			rs = append([]reading{{end: i, value: list}}, rs...)
			if next := m.lang.joins.skip(toks, i); next > i {
				i = next
			} else if i < len(toks) && !toks[i].comma {
				break
			}
		}
		return rs
	}
}

func (m *Matcher) skipArticles(toks []token, i int) int {
	for i+1 < len(toks) && m.lang.articles[toks[i].text] {
		i++
	}
	return i
}
