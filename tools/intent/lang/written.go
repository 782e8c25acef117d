package lang

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Apart are the words that w stands for: its expansion, or the parts of a compound.
func (s *Speech) Apart(w string) []Token {
	said := ""
	if full, ok := s.respelt[w]; ok {
		w = full
	} else if full, ok := s.loose[w]; ok {
		w, said = full, w
	}
	if long, ok := s.Contractions[w]; ok {
		var toks []Token
		for w := range strings.FieldsSeq(long) {
			toks = append(toks, Token{Text: w})
		}
		return toks
	}
	if at := strings.IndexByte(w, '\''); at > 0 && s.ShortStarts[w[:at+1]] != "" {
		return append([]Token{{Text: s.ShortStarts[w[:at+1]]}}, s.Apart(w[at+1:])...)
	}
	for _, spelling := range []string{w, s.marked.Replace(w)} {
		for i := range s.Glued {
			first, between, last := s.Glued[i].cut(spelling, s.one)
			if first == "" {
				continue
			}
			toks := s.Apart(first)
			if s.Glued[i].First == nil && s.loose[first] != "" { // the Steh of Stehlampe is no word by itself
				toks = []Token{{Text: first}}
			}
			if between != "" {
				toks = append(toks, Token{Text: between, Glued: true})
			}
			if one := s.Stems[first]; one != "" {
				toks = []Token{{Text: one, Written: first}}
			}
			return append(toks, Token{Text: last, Glued: true})
		}
	}
	return []Token{{Text: w, said: said}}
}

// addSpelling notes how the words of the files are written without marks, kueche for küche, and how else they are said:
// minuta for minuten. What is a word of the files itself means nothing else.
func (s *Speech) addSpelling() {
	var plain, marked []string
	for mark, letters := range s.Spelling {
		plain, marked = append(plain, mark, letters), append(marked, letters, mark)
	}
	s.plain, s.marked = strings.NewReplacer(plain...), strings.NewReplacer(marked...)
	s.respelt, s.loose = map[string]string{}, map[string]string{}
	s.starting = map[byte][]string{}
	for _, w := range slices.Sorted(maps.Keys(s.Known)) {
		s.starting[w[0]] = append(s.starting[w[0]], w)
		if p := s.plain.Replace(w); p != w {
			s.respelt[p] = w
		}
		for start, others := range s.LooseStarts {
			for _, other := range others {
				s.addLoose(w, other, strings.TrimPrefix(w, start), "")
			}
		}
		for end, others := range s.LooseEnds {
			for _, other := range others {
				s.addLoose(w, "", strings.TrimSuffix(w, end), other)
			}
		}
	}
}

// leastLoose is how many letters a word has at least of which the beginning or the end may be said otherwise.
const leastLoose = 4

// addLoose notes that w is also said as rest, which is shorter, behind start and in front of end.
func (s *Speech) addLoose(w, start, rest, end string) {
	form := start + rest + end
	if utf8.RuneCountInString(w) >= leastLoose && rest != w && !s.Known[form] && s.loose[form] == "" {
		s.loose[form] = w
	}
}

// one is a word as the files have it.
func (s *Speech) one(w string) string {
	if full := cmp.Or(s.respelt[w], s.loose[w]); full != "" {
		w = full
	}
	if long := s.Contractions[w]; long != "" && !strings.Contains(long, " ") {
		return long
	}
	return w
}

// AddWords adds the words of a file, without its comments.
func AddWords(all Set, text string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for w := range strings.FieldsFuncSeq(line, func(r rune) bool { return !unicode.IsLetter(r) }) {
			all[strings.ToLower(w)] = true
		}
	}
}

// first reads the first part of a compound: the Esstisch of an Esstischlampe.
func first(toks []Token, i int) []Reading {
	if i+1 < len(toks) && toks[i+1].Glued && !toks[i].Glued {
		return []Reading{{End: i + 1, Value: toks[i].Text}}
	}
	return nil
}
