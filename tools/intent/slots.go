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
func (l *language) addReaders(lexicon map[string]*lexicon) {
	l.readers = map[string]reader{
		"number":        l.numbers,
		"whole":         l.whole,
		"temperature":   l.temperatures,
		"duration":      l.durations,
		"more_duration": l.moreDurations,
		"percent":       l.percents,
		"ordinal":       l.ordinals,
		"time":          l.times,
		"date":          l.dates,
		"expression":    l.expressions,
		"items":         func(toks []token, i int) []reading { return l.items(toks, i, &l.Joins) },
		"known_items":   l.knownItems,
		"either":        l.either,
		"choices":       func(toks []token, i int) []reading { return l.items(toks, i, &l.Choices) },
		"moment":        l.moments,
		"moment_words":  l.momentWords,
		"timed":         l.timed,
		"countdowns":    l.countdowns,
		"timer_length":  l.timerLengths,
		"bare_minutes":  l.bareMinutes,
		"no_time":       l.noTime,
		"meters_said":   l.metersSaid,
		"feet_said":     l.feetSaid,
		"date_words":    l.dateWords,
		freeText:        l.anyWords,
		task:            l.tasks,
	}
	l.first = map[string][]string{}
	if l.Open == nil {
		l.Open = set{}
	}
	for _, typ := range []string{"items", "known_items", "choices", "either", freeText, task} {
		l.Open[typ] = true
	}
	for name, lex := range lexicon {
		l.addWords(name, lex)
	}
	for name, types := range l.Compounds {
		var parts []reader
		for _, typ := range types {
			typ, many := strings.CutSuffix(typ, oneOrMore)
			switch {
			case l.reader(typ) == nil:
			case many:
				parts = append(parts, l.joined(l.reader(typ)))
			default:
				parts = append(parts, l.reader(typ))
			}
		}
		if len(parts) > 0 && len(parts) == len(types) { // else a pattern that uses it says that it is unknown
			l.readers[name] = compound(parts)
			if list, closed := l.first[strings.TrimSuffix(types[0], oneOrMore)]; closed {
				l.first[name] = list
			}
		}
	}
}

// beginning gives the words that a slot type can begin with, where it is closed: they are
// few. vague are those of any words.
func (l *language) beginning(typ string) (first []string, closed, vague bool) {
	first, closed = l.first[typ]
	return first, closed, l.Open[typ]
}

// addWords makes the reader of a type of the lexicon.
func (l *language) addWords(name string, lex *lexicon) {
	p := &phrases[any]{}
	for _, forms := range []map[string]string{lex.Said, lex.Typed} {
		for form, value := range forms {
			p.add(l.formWords(form), typed(value))
		}
	}
	if name == "item" {
		l.known = *p
	}
	if l.Open[name] {
		l.readers[name] = l.openWords(p)
		name = "known_" + name
	}
	l.readers[name] = closedWords(p)
	if name == "repeat" {
		l.readers[name] = l.repeats(l.readers[name])
		return
	}
	l.first[name] = make([]string, 0, len(p.next))
	for _, s := range p.next {
		l.first[name] = append(l.first[name], s.word)
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
func (l *language) joined(read reader) reader {
	return func(toks []token, i int) []reading {
		var rs []reading
		so := []reading{{end: i}}
		for n := 0; n < maxItems && len(so) > 0; n++ {
			var next []reading
			for _, one := range so {
				at := one.end
				if n > 0 {
					after := l.Joins.skip(toks, at)
					if after == at && !toks[at].comma {
						continue
					}
					at = l.skipArticles(toks, after)
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
func (l *language) reader(typ string) reader {
	if r, ok := l.readers[typ]; ok {
		return r
	}
	if vocab, ok := strings.CutPrefix(typ, oneName); ok && isName(vocab) {
		l.readers[typ] = l.namesOf(vocab)
	} else if vocab, ok := strings.CutPrefix(typ, someNames); ok && isName(vocab) {
		l.readers[typ] = l.several(l.namesOf(vocab))
	}
	return l.readers[typ]
}

// formWords are the words of a form of the lexicon, cut as a request is.
func (l *language) formWords(form string) []string {
	toks, ok := l.tokenize(form)
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
func (l *language) several(one reader) reader {
	return func(toks []token, i int) []reading {
		var list []string
		var rs []reading
		for len(list) < maxItems {
			got := one(toks, l.skipArticles(toks, i))
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
			if next := l.Joins.skip(toks, i); next > i {
				i = next
			} else if i < len(toks) && !toks[i].comma {
				break
			}
		}
		return rs
	}
}

func (l *language) skipArticles(toks []token, i int) int {
	for i+1 < len(toks) && l.Articles[toks[i].text] {
		i++
	}
	return i
}
