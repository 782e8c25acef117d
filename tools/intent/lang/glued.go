package lang

import (
	"strings"
	"unicode/utf8"
)

// glued is how two words are written as one: the first is one of First, or any of three letters and
// more where that is empty, the last one of Last. Between may be between them: auszumachen.
type glued struct {
	First   Set `yaml:"first"`
	Between Set `yaml:"between"`
	Last    Set `yaml:"last"`
}

// leastFirst is the least number of letters of the first of two words, where that may be any.
const leastFirst = 3

// cut returns the first word, what is between, and the last, the longest one. first is empty where
// w is no such word. one is a word as the files have it.
func (g *glued) cut(w string, one func(string) string) (first, between, last string) {
	for i := range w {
		if last = one(w[i:]); i == 0 || !g.Last[last] {
			continue
		}
		first = w[:i]
		if g.First == nil && utf8.RuneCountInString(first) >= leastFirst || g.First[one(first)] {
			return first, "", last
		}
		for between := range g.Between {
			if only, ok := strings.CutSuffix(first, between); ok && g.First[one(only)] {
				return only, between, last
			}
		}
	}
	return "", "", ""
}
