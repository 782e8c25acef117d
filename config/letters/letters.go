// Package letters bounds and compares short texts, most of which come from outside. It has
// no goroutine and no state, and imports nothing of hearthd.
package letters

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut is s, or its beginning, as valid UTF-8 of at most limit bytes.
func Cut(s string, limit int) string { return strings.ToValidUTF8(s[:min(len(s), limit)], "") }

// Plain is Cut on one line: what cannot be printed becomes a space.
func Plain(s string, limit int) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, Cut(s, limit))
}

// Marked is s, or its beginning followed by mark, of at most limit bytes. It splits no character.
func Marked(s string, limit int, mark string) string {
	if len(s) <= limit {
		return s
	}
	end := max(limit-len(mark), 0)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

// maxLetters bounds a word whose edits are counted, or the sounds of a sentence, in bytes.
const maxLetters = 128

// Edits is the Levenshtein distance of two words, with a swap of neighbours as
// one edit, or more than most when it is certain to exceed it.
func Edits(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most || most == 0 || len(a) > maxLetters || len(b) > maxLetters {
		return most + 1
	}
	var rows [3][maxLetters + 1]uint8 // small: they are cleared for each of many words
	two, last, now := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = uint8(j)
	}
	for i := 1; i <= len(a); i++ {
		now[0] = uint8(i)
		least := uint8(i)
		for j := 1; j <= len(b); j++ {
			cost := uint8(1)
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], two[j-2]+1)
			}
			least = min(least, now[j])
		}
		if int(least) > most {
			return most + 1
		}
		two, last, now = last, now, two
	}
	return int(last[len(b)])
}
