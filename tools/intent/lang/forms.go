package lang

import (
	"fmt"
	"strings"
)

// maxForms bounds the forms of one line of a list.
const maxForms = 2000

// Forms are all texts that a line of a list stands for: "(at|on) the [very] moment[s]" are eight.
func Forms(text string) ([]string, error) {
	if !strings.ContainsAny(text, "([|") {
		return []string{text}, nil
	}
	forms, rest := alternatives(text)
	for i, form := range forms {
		forms[i] = strings.Join(strings.Fields(form), " ")
	}
	if rest != "" || len(forms) == 0 {
		return nil, fmt.Errorf("%.60q: its brackets do not fit, or it comes to more than %d lines", text, maxForms)
	}
	return forms, nil
}

// allForms are those of several lines.
func allForms(lines []string) (all []string, err error) {
	for _, text := range lines {
		forms, err := Forms(text)
		if err != nil {
			return nil, err
		}
		all = append(all, forms...)
	}
	return all, nil
}

// keyForms are the entries for the forms of the keys of a map. A * in a value stands for what the
// brackets of its key stand for: "(do|does)n't": "* not".
func keyForms[T any](written map[string]T) (map[string]T, error) {
	all := make(map[string]T, len(written))
	for text, v := range written {
		forms, err := Forms(text)
		if err != nil {
			return nil, err
		}
		before, behind := strings.IndexByte(text, '('), len(text)-1-strings.LastIndexByte(text, ')')
		for _, form := range forms {
			all[form] = v
			if s, ok := any(v).(string); ok && before >= 0 && strings.Contains(s, "*") {
				all[form], _ = any(strings.ReplaceAll(s, "*", form[before:len(form)-behind])).(T)
			}
		}
	}
	return all, nil
}

// alternatives reads up to a closing bracket or the end; no forms: there are too many.
func alternatives(text string) (forms []string, rest string) {
	for rest = text; ; rest = rest[1:] {
		var one []string
		one, rest = inRow(rest)
		if forms = append(forms, one...); len(forms) > maxForms || len(one) == 0 {
			return nil, rest
		}
		if !strings.HasPrefix(rest, "|") {
			return forms, rest
		}
	}
}

// inRow reads words and brackets one after the other.
func inRow(text string) (forms []string, rest string) {
	forms, rest = []string{""}, text
	for rest != "" && rest[0] != '|' && rest[0] != ')' && rest[0] != ']' {
		end := strings.IndexAny(rest, "([|)]")
		next := []string{rest}
		switch {
		case end == 0:
			open := rest[0]
			next, rest = alternatives(rest[1:])
			if len(next) == 0 || rest == "" || rest[0] != map[byte]byte{'(': ')', '[': ']'}[open] {
				return nil, text
			}
			if rest = rest[1:]; open == '[' {
				next = append(next, "")
			}
		case end > 0:
			next, rest = []string{rest[:end]}, rest[end:]
		default:
			rest = ""
		}
		if len(forms)*len(next) > maxForms {
			return nil, text
		}
		var all []string
		for _, a := range forms {
			for _, b := range next {
				all = append(all, a+b)
			}
		}
		forms = all
	}
	return forms, rest
}
