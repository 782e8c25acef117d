package main

import (
	"strings"
	"unicode"
)

// visible makes s fit for a terminal: words that a model, a feed or a person
// made up must not move the cursor or write to the clipboard.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
