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
	Where       string            // of what the household adds
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
	switch words := words.(type) {
	case []any:
		for _, w := range words {
			s := strings.ToLower(fmt.Sprint(w))
			to[s] = s
		}
	case map[string]any:
		for value, forms := range words {
			list, ok := forms.([]any)
			if !ok {
				list = []any{forms}
			}
			for _, f := range list {
				s := strings.ToLower(fmt.Sprint(f))
				if was, ok := to[s]; ok && was != value {
					return fmt.Errorf("%q means both %q and %q", s, was, value)
				}
				to[s] = value
			}
		}
	default:
		return errors.New("it is neither a list nor a map")
	}
	return nil
}

// IsName reports whether s can name a rule of the grammar.
func IsName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_0123456789") == "" && unicode.IsLetter(rune(s[0]))
}
