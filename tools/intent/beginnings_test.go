package intent

import (
	"slices"
	"testing"
)

// What begins otherwise is never read: a word that a beginning lacks would not be understood.
func TestNumbersAndTimesBeginAsTheyMay(t *testing.T) {
	for m, files := range map[*Matcher][]string{
		newMatcher(t): {"examples.txt", "kitchen.txt", "regressions1.txt", "regressions2.txt", "regressions3.txt", "regressions4.txt", "regressions5.txt"},
		newGerman(t):  {"german_examples.txt", "german.txt", "german2.txt", "german3.txt", "german4.txt"},
	} {
		read := 0
		for _, file := range files {
			for _, s := range sentencesIn(t, file) {
				toks, _ := m.lang.Tokenize(s.text)
				for typ, reader := range m.lang.Readers {
					first, closed, _ := m.lang.Beginning(typ)
					for i := range toks {
						if !closed || len(reader(toks, i)) == 0 {
							continue
						}
						read++
						if !slices.Contains(first, toks[i].Text) && !slices.Contains(m.lang.Beginnings(toks[i]), first[0]) {
							t.Errorf("%q: %s begins with %q", s.text, typ, toks[i].Text)
						}
					}
				}
			}
		}
		if read < 1000 {
			t.Errorf("%d readings", read)
		}
	}
}
