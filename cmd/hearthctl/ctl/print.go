package ctl

import (
	"encoding/json"
	"io"
	"strings"
	"unicode"
)

// Visible makes s fit for a terminal: words that a model, a feed or a person
// made up must not move the cursor or write to the clipboard.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// PrintJSON prints v as a person reads it.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
