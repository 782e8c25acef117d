package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// added reports whether somebody has added the tool to the house. Such a tool's own question may
// leave out its arguments.
func (e *entry) added() bool {
	s, ok := e.tool.(Sourced)
	return ok && s.Origin() != ""
}

// unasked is the question for a call that the person has not asked for. It names everything in the
// call, since the tool's own question may name only what always needs a yes. The tool's own
// question comes first, unless somebody has added the tool.
func (e *entry) unasked(args json.RawMessage) string {
	own := e.question(args)
	if own == "" || e.added() {
		return e.describe(args)
	}
	return own + " " + e.describe(args)
}

// describe is a question that names the tool and every argument: whoever agrees has heard
// everything that they agree to.
func (e *entry) describe(args json.RawMessage) string {
	said := []string{strings.ReplaceAll(e.spec.Name, "_", " ")}
	if doc, err := decode(args); err == nil {
		said = tell(said, "", doc)
	}
	return e.book.Say("tools.really", map[string]any{"call": strings.Join(said, ", ")})
}

// tell adds each value of a document with its name.
func tell(said []string, name string, doc any) []string {
	switch v := doc.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			said = tell(said, key, v[key])
		}
	case []any:
		for _, item := range v {
			said = tell(said, name, item)
		}
	case nil:
	default:
		said = append(said, audible(fmt.Sprintf("%s %v", strings.ReplaceAll(name, "_", " "), v)))
	}
	return said
}

// audible is text on one line, without what is neither seen nor heard, and without marks
// that would end the question early.
func audible(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), strings.ContainsRune("?!:;", r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
