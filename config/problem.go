package config

import (
	"fmt"
	"strings"
)

// Problem is one mistake in the configuration, with its place.
type Problem struct {
	File   string // file, or "environment", or "" for a default
	Line   int    // 1-based, 0 where there is none
	Key    string // path such as "audio.volume", or the variable's name
	Value  string // as written; empty for secrets
	Reason string
}

func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	if p.Value != "" {
		fmt.Fprintf(&b, "%q: ", p.Value)
	}
	b.WriteString(p.Reason)
	return b.String()
}

// Problems is every mistake that was found, as one error.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
