package lang

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Lexicon is the words of one slot type.
type Lexicon struct {
	Said, Typed map[string]string // spoken form to canonical value
	Where       string            // its place, for what the household adds
}

// AddLexicon adds a list of words, or a map of canonical values to words.
func AddLexicon(all map[string]*Lexicon, key string, words any) error {
	name, typedOnly := strings.CutSuffix(key, "_typed")
	if !IsName(name) {
		return errors.New("a name is of a-z and _")
	}
	lex := all[name]
	if lex == nil {
		lex = &Lexicon{Said: map[string]string{}, Typed: map[string]string{}}
		all[name] = lex
	}
	to := lex.Said
	if typedOnly {
		to = lex.Typed
	}
	add := func(line any, value string) error {
		forms, err := Forms(strings.ToLower(fmt.Sprint(line)))
		for _, s := range forms {
			means := value
			if value == "" {
				means = s
			}
			if was, ok := to[s]; ok && was != means {
				return fmt.Errorf("%q means both %q and %q", s, was, means)
			}
			to[s] = means
		}
		return err
	}
	switch words := words.(type) {
	case []any:
		for _, w := range words {
			if err := add(w, ""); err != nil {
				return err
			}
		}
	case map[string]any:
		for value, forms := range words {
			list, ok := forms.([]any)
			if !ok {
				list = []any{forms}
			}
			for _, f := range list {
				meant, err := meanings(value, fmt.Sprint(f))
				if err != nil {
					return err
				}
				for text, value := range meant {
					if err := add(text, value); err != nil {
						return err
					}
				}
			}
		}
	default:
		return errors.New("it is neither a list nor a map")
	}
	return nil
}

// meanings are the lines that text stands for and their values: for the value * each form of its
// round brackets is one, "(apple|tesla)['s]" is apple and tesla.
func meanings(value, text string) (map[string]string, error) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if value != "*" || open < 0 || end < open {
		return map[string]string{text: value}, nil
	}
	words, err := Forms(text[open : end+1])
	lines := make(map[string]string, len(words))
	for _, w := range words {
		lines[text[:open]+w+text[end+1:]] = w
	}
	return lines, err
}

// IsName reports whether s can name a rule of the grammar.
func IsName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_0123456789") == "" && unicode.IsLetter(rune(s[0]))
}
