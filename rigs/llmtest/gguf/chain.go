package gguf

import (
	"fmt"
	"regexp"
	"strings"
)

// chain is a text as tokens; -1-c stands for a value of category c.
type chain []int

// atoms are what a text is cut at, at the finest.
var atoms = regexp.MustCompile(`(?s)\s*(?:[A-Za-z]+|[0-9]+|[^A-Za-z0-9\s]|\s+$)`)

// chain splits a text into tokens that no other text has: atoms, joined where one
// alone is taken.
func (v *vocab) chain(line, text string) (chain, error) {
	var c chain
	for text != "" {
		literal, kind := text, ""
		if at := slotRef.FindStringIndex(text); at != nil {
			literal, kind, text = text[:at[0]], text[at[0]+1:at[1]-1], text[at[1]:]
		} else {
			text = ""
		}
		ids, err := v.split(literal)
		if err != nil {
			return nil, fmt.Errorf("split line %q: %w", line, err)
		}
		c = append(c, ids...)
		if kind != "" {
			c = append(c, -1-v.slots[kind])
		}
	}
	return c, nil
}

func (v *vocab) split(text string) ([]int, error) {
	parts := atoms.FindAllString(text, -1)
	var chunks []string
	current, fresh := "", map[string]bool{}
	for _, p := range parts {
		current += p
		if e := escape(current); len(current) > 1 && !v.has(e) && !fresh[e] {
			fresh[e] = true
			chunks, current = append(chunks, current), ""
		}
	}
	// What is left at the end, having no token of its own, joins the ones before it.
	for current != "" && len(chunks) > 0 {
		last := chunks[len(chunks)-1]
		chunks = chunks[:len(chunks)-1]
		delete(fresh, escape(last))
		current = last + current
		if e := escape(current); !v.has(e) && !fresh[e] {
			chunks, current = append(chunks, current), ""
		}
	}
	if current != "" || strings.Join(chunks, "") != text {
		return nil, fmt.Errorf("%q has no tokens of its own: another line says it, or it is too short", text)
	}
	ids := make([]int, len(chunks))
	for i, c := range chunks {
		ids[i] = v.add(escape(c), -1e6, kindNormal)
	}
	return ids, nil
}

func (v *vocab) has(text string) bool {
	_, ok := v.ids[text]
	return ok
}
