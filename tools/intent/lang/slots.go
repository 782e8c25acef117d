package lang

import (
	"fmt"
	"slices"
	"strings"
)

// FreeText is the slot type of any words. A grammar cannot contain it, so it is in typed sentences
// only.
const FreeText = "text"

// Task is also the slot type of any words, but of as few as the rest of a pattern leaves.
const Task = "task"

// NewLanguage makes the readers of the words and of the lexicon. Names are added by SetNames.
func NewLanguage(s *Speech, lexicon map[string]*Lexicon) (*Language, error) {
	l := &Language{Speech: *s, symbols: map[rune]string{}, signs: map[string]string{}, sameSound: map[string]string{},
		heads: map[string]bool{}}
	l.names.Store(&map[string]*vocabulary{})
	l.addSpelling()
	l.Speech.Ready(&l.Speech)
	for c, w := range s.Symbols {
		rs := []rune(c)
		if len(rs) != 1 {
			return nil, fmt.Errorf("symbol %q is not one character", c)
		}
		l.symbols[rs[0]] = " " + w + " "
	}
	for op, forms := range s.Operators.Said {
		if len(forms) > 0 {
			l.signs[op] = forms[0]
		}
	}
	for w, same := range s.Homophones {
		for _, o := range same {
			l.sameSound[o] = w
		}
	}
	for w, v := range s.Numbers.Words {
		l.small.Add(Words(w), v)
	}
	s.Numbers.Compound.fill(&l.small, s.Numbers.Words)
	s.Numbers.Compound.fillOrdinals(&l.Numbers.Ordinals.Phrases, s.Numbers.Words)
	for w, text := range s.Numbers.Fractions {
		v, ok := plainNumber(text)
		if !ok {
			return nil, fmt.Errorf("fraction %q is not a number", text)
		}
		l.fractions.Add(Words(w), v)
	}
	for _, w := range l.Joins.Said {
		l.Choices.Add(l.Expand(Words(w)), true)
	}
	for _, w := range l.MayMend.Said {
		l.Mends.Add(l.Expand(Words(w)), false)
	}
	l.addReaders(lexicon)
	return l, nil
}

// addReaders makes the readers of all types: those written in Go, and one for
// each name in the lexicon.
func (l *Language) addReaders(lexicon map[string]*Lexicon) {
	l.Readers = map[string]reader{
		"number":        l.numbers,
		"whole":         l.whole,
		"temperature":   l.temperatures,
		"warmth":        l.warmths,
		"duration":      l.Lengths,
		"timer_length":  l.Lengths, // a type of its own, as it tells which tool is meant
		"more_duration": l.moreDurations,
		"length_said":   l.lengthsSaid,
		"percent":       l.percents,
		"ordinal":       l.ordinals,
		"month_day":     l.monthDays,
		"time":          l.TimesOfDay,
		"date":          l.dates,
		"expression":    l.expressions,
		"items":         func(toks []Token, i int) []Reading { return l.items(toks, i, &l.Joins) },
		"known_items":   l.knownItems,
		"either":        l.either,
		"choices":       func(toks []Token, i int) []Reading { return l.items(toks, i, &l.Choices) },
		"moment":        l.Moments,
		"moment_words":  asWords(l.later),
		"timed":         l.Timed,
		"countdowns":    l.countdowns,
		"bare_minutes":  l.BareMinutes,
		"no_time":       l.noTime,
		"minute_said":   l.minutesSaid,
		"meters_said":   l.metersSaid,
		"feet_said":     l.feetSaid,
		"date_words":    asWords(l.dates),
		"repeat_words":  asWords(l.repeatsSaid),
		"glued":         first,
		"spelled":       spelled,
		FreeText:        l.anyWords,
		Task:            l.tasks,
	}
	l.first, l.beginnings = map[string][]string{}, l.newBeginnings()
	for _, b := range l.beginnings {
		for _, typ := range b.types {
			l.first[typ] = []string{b.name}
		}
	}
	if l.Open == nil {
		l.Open = Set{}
	}
	for _, typ := range []string{"items", "known_items", "choices", "either", FreeText, Task} {
		l.Open[typ] = true
	}
	for name, lex := range lexicon {
		l.addWords(name, lex)
	}
	l.addCompounds()
	for _, typ := range l.Capitals {
		if one := l.Readers[typ]; one != nil {
			l.Readers[typ] = asSaid(one)
		}
	}
}

// later reads a moment, or a while from now: "in half an hour".
func (l *Language) later(toks []Token, i int) []Reading {
	rs := l.Moments(toks, i)
	if in := l.Dates.In.Skip(toks, i); in > i {
		rs = append(rs, l.Lengths(toks, in)...)
	}
	return rs
}

// asSaid reads what one reads, in the capitals in which it was said.
func asSaid(one reader) reader {
	return func(toks []Token, i int) []Reading {
		rs := one(toks, i)
		for k := range rs {
			rs[k].Value = literally(toks[i:rs[k].End])
		}
		return rs
	}
}

// addCompounds makes the readers of types that are several others in a row.
func (l *Language) addCompounds() {
	for name, types := range l.Compounds {
		var parts []reader
		for _, typ := range types {
			typ, many := strings.CutSuffix(typ, OneOrMore)
			switch {
			case l.Reader(typ) == nil:
			case many:
				parts = append(parts, l.joined(l.Reader(typ)))
			default:
				parts = append(parts, l.Reader(typ))
			}
		}
		if len(parts) > 0 && len(parts) == len(types) { // otherwise a pattern that uses it reports that it is unknown
			l.Readers[name] = compound(parts)
			if list, closed := l.first[strings.TrimSuffix(types[0], OneOrMore)]; closed {
				l.first[name] = list
			}
		}
	}
}

// Beginning returns the words that a slot type can begin with, where these are few, or the name that stands for
// them. vague are those that may begin with any words.
func (l *Language) Beginning(typ string) (first []string, closed, vague bool) {
	first, closed = l.first[typ]
	return first, closed, l.Open[typ]
}

// addWords makes the reader of a type of the lexicon.
func (l *Language) addWords(name string, lex *Lexicon) {
	p := &Phrases[any]{}
	for _, forms := range []map[string]string{lex.Said, lex.Typed} {
		for form, value := range forms {
			ws := l.formWords(form)
			if p.Add(ws, Typed(value)); name == "item" && len(ws) > 1 {
				l.heads[ws[len(ws)-1]] = true
			}
		}
	}
	if name == "item" {
		l.known = *p
	}
	if l.Open[name] {
		delete(l.first, name)
		l.Readers[name] = l.openWords(p)
		name = "known_" + name
	}
	l.Readers[name] = closedWords(p)
	if name == "repeat" {
		l.often = *p
		l.Readers[name] = l.repeatsSaid
		return
	}
	l.first[name] = make([]string, 0, len(p.next))
	for _, s := range p.next {
		l.first[name] = append(l.first[name], s.word)
	}
}

// compound reads each of parts, one after the other; the value is all of the words.
func compound(parts []reader) reader {
	return func(toks []Token, i int) []Reading {
		rs := []Reading{{End: i}}
		for _, one := range parts {
			var next []Reading
			for _, so := range rs {
				for _, r := range one(toks, so.End) {
					next = append(next, Reading{End: r.End, Cost: so.Cost + r.Cost})
				}
			}
			rs = next
		}
		for k := range rs {
			rs[k].Value = joinListed(toks[i:rs[k].End])
		}
		return rs
	}
}

// joinListed are the joining words, commas included.
func joinListed(toks []Token) string {
	var b strings.Builder
	for i, t := range toks {
		if i > 0 && t.Comma {
			b.WriteByte(',')
		}
		write(&b, toks, i)
	}
	return b.String()
}

// OneOrMore marks a part of a compound that may be several: kitchen and hall.
const OneOrMore = "+"

// joined reads one or more of what read reads, with joining words between them.
func (l *Language) joined(read reader) reader {
	return func(toks []Token, i int) []Reading {
		var rs []Reading
		so := []Reading{{End: i}}
		for n := 0; n < maxItems && len(so) > 0; n++ {
			var next []Reading
			for _, one := range so {
				at := one.End
				if n > 0 {
					after := l.Joins.Skip(toks, at)
					if after == at && !toks[at].Comma {
						continue
					}
					at = l.SkipArticles(toks, after)
				}
				for _, r := range read(toks, at) {
					r = Reading{End: r.End, Cost: one.Cost + r.Cost}
					if rs = append(rs, r); r.End < len(toks) {
						next = append(next, r)
					}
				}
			}
			so = next
		}
		slices.SortStableFunc(rs, func(a, b Reading) int { return b.End - a.End })
		return rs
	}
}

// Slot types that take their words from a vocabulary.
const (
	OneName   = "name:"
	SomeNames = "names:"
)

// Reader returns the reader of a slot type, or nil. It is called while New works.
func (l *Language) Reader(typ string) reader {
	if r, ok := l.Readers[typ]; ok {
		return r
	}
	if vocab, ok := strings.CutPrefix(typ, OneName); ok && IsName(vocab) {
		l.Readers[typ] = l.namesOf(vocab)
	} else if vocab, ok := strings.CutPrefix(typ, SomeNames); ok && IsName(vocab) {
		l.Readers[typ] = l.several(l.namesOf(vocab))
	}
	return l.Readers[typ]
}

// formWords are the words of a form of the lexicon, cut as a request is.
func (l *Language) formWords(form string) []string {
	toks, ok := l.Tokenize(form)
	if !ok {
		return nil
	}
	return Texts(toks)
}

// closedWords reads what the lexicon has, the longest form first.
func closedWords(p *Phrases[any]) reader {
	return func(toks []Token, i int) []Reading {
		var rs []Reading
		p.Each(toks, i, func(end int, v any) { rs = append(rs, Reading{End: end, Value: v}) })
		return rs
	}
}

// several reads one or more of what one reads, with commas or joining words between them, the
// longest reading first.
func (l *Language) several(one reader) reader {
	return func(toks []Token, i int) []Reading {
		var list []string
		var rs []Reading
		for len(list) < maxItems {
			got := one(toks, l.SkipArticles(toks, i))
			if len(got) == 0 {
				break
			}
			name, ok := got[0].Value.(string)
			if !ok {
				break
			}
			list = append(list[:len(list):len(list)], name)
			i = got[0].End
			rs = append([]Reading{{End: i, Value: list}}, rs...)
			if next := l.Joins.Skip(toks, i); next > i {
				i = next
			} else if i < len(toks) && !toks[i].Comma {
				break
			}
		}
		return rs
	}
}

// SkipArticles is where toks go on behind articles at i.
func (l *Language) SkipArticles(toks []Token, i int) int {
	for i+1 < len(toks) && l.Articles[toks[i].Text] {
		i++
	}
	return i
}
