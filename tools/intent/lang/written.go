package lang

import (
	"strings"
	"unicode"
)

// Apart are the words that w stands for: its expansion, or the parts of a compound.
func (s *Speech) Apart(w string) []Token {
	if full, ok := s.respelt[w]; ok {
		w = full
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
			first, between, last := s.Glued[i].cut(spelling)
			if first == "" {
				continue
			}
			toks := s.Apart(first)
			if between != "" {
				toks = append(toks, Token{Text: between, Glued: true})
			}
			if one := s.Stems[first]; one != "" {
				toks = []Token{{Text: one, Written: first}}
			}
			return append(toks, Token{Text: last, Glued: true})
		}
	}
	return []Token{{Text: w}}
}

// addSpelling notes how the words with marks are written without them, and the reverse: kueche is
// küche.
func (s *Speech) addSpelling() {
	var plain, marked []string
	for mark, letters := range s.Spelling {
		plain, marked = append(plain, mark, letters), append(marked, letters, mark)
	}
	s.plain, s.marked = strings.NewReplacer(plain...), strings.NewReplacer(marked...)
	s.respelt = make(map[string]string, len(s.Marked))
	for w := range s.Marked {
		if p := s.plain.Replace(w); p != w {
			s.respelt[p] = w
		}
	}
	s.Marked = nil
}

// MarkedWords adds the words of text that have a letter beyond ASCII.
func MarkedWords(all Set, text string) {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if strings.IndexFunc(w, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
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
