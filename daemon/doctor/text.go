package doctor

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Style is how a page is written.
type Style struct {
	Colour bool
	Width  int // columns; 0: lines are not broken
}

// column is the width of the names of checks, in characters.
const column = 14

// colours of verdicts on a terminal (ECMA-48, select graphic rendition).
func colour(v Verdict) string {
	switch v {
	case Fail:
		return "\x1b[1;31m"
	case Warn:
		return "\x1b[33m"
	case OK:
		return "\x1b[32m"
	}
	return "\x1b[2m"
}

// Write writes findings as a page for a person: verdict, check, text, and below it what
// mends it.
func Write(w io.Writer, list []Finding, s Style) error {
	var b strings.Builder
	for _, f := range list {
		word := string(f.Verdict)
		if f.Verdict == Fail {
			word = "FAIL"
		}
		word = fmt.Sprintf("%-5s", word)
		if s.Colour {
			word = colour(f.Verdict) + word + "\x1b[0m"
		}
		text := f.Text
		if f.Because != "" {
			text += " (because of: " + f.Because + ")"
		}
		fmt.Fprintf(&b, "%s %-*s ", word, column, f.Check)
		s.wrap(&b, text)
		if f.Fix != "" {
			fmt.Fprintf(&b, "%*s", indent, "")
			s.wrap(&b, "fix: "+f.Fix)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indent is where texts begin.
const indent = len("FAIL  ") + column + 1

// wrap writes text, broken at spaces where the page is too narrow for it. A command, which people
// copy, may be longer than a line; it is broken too, at a space.
func (s Style) wrap(b *strings.Builder, text string) {
	room := s.Width - indent
	at := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case room > 20 && at+1+n > room:
			fmt.Fprintf(b, "\n%*s", indent, "")
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	b.WriteByte('\n')
}
