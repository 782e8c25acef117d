package tools

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxReferences bounds how many $ref lead from one schema to the next.
const maxReferences = 16

// coerce gives doc with what small models often get wrong put right where only
// one thing can be meant, as far as s tells:
//
//	"5"         -> 5        where a number is wanted
//	"true"      -> true     where a boolean is wanted
//	5           -> "5"      where a string is wanted
//	"milk"      -> ["milk"] where a list is wanted
//	"[1,2]"     -> [1,2]    where a list or an object is wanted
//	"KITCHEN"   -> "Kitchen", the one choice that is spelled so
//	null        -> nothing  for a property that may be left out
//
// It is asked for arguments that do not fit, and its answer is checked again.
func coerce(s *jsonschema.Schema, doc any) any {
	for range maxReferences {
		if s == nil || s.Ref == nil {
			break
		}
		s = s.Ref
	}
	if s == nil {
		return doc
	}
	if s.Enum != nil {
		doc = coerceChoice(s.Enum.Values, doc)
	}
	if s.Types != nil {
		doc = coerceType(s.Types.ToStrings(), doc)
	}
	switch v := doc.(type) {
	case map[string]any:
		for key, value := range v {
			property := s.Properties[key]
			if value == nil && property != nil && !slices.Contains(s.Required, key) && !allowsNull(property) {
				delete(v, key)
			} else if property != nil {
				v[key] = coerce(property, value)
			}
		}
	case []any:
		for i := range v {
			v[i] = coerce(itemsOf(s), v[i])
		}
	}
	return doc
}

func coerceType(types []string, doc any) any {
	wants := func(name string) bool { return slices.Contains(types, name) }
	switch v := doc.(type) {
	case string:
		if meant, ok := coerceText(wants, v); ok {
			return meant
		}
	case json.Number:
		switch {
		case wants("number") || wants("integer"):
			return doc
		case wants("string"):
			return v.String()
		}
	case bool:
		if wants("boolean") {
			return doc
		}
	case map[string]any:
		if wants("object") {
			return doc
		}
	case []any, nil:
		return doc
	}
	if wants("array") {
		return []any{doc}
	}
	return doc
}

// coerceText gives the value that is wanted, if text spells one.
func coerceText(wants func(string) bool, v string) (any, bool) {
	text := strings.TrimSpace(v)
	switch {
	case wants("string"):
		return v, true
	case (wants("number") || wants("integer")) && isNumeral(text):
		n, err := plainNumber(json.Number(text))
		return n, err == nil
	case wants("boolean") && (strings.EqualFold(text, "true") || strings.EqualFold(text, "false")):
		return strings.EqualFold(text, "true"), true
	case wants("array") && strings.HasPrefix(text, "["), wants("object") && strings.HasPrefix(text, "{"):
		inner, err := decode(json.RawMessage(text))
		return inner, err == nil
	}
	return nil, false
}

// coerceChoice gives the one choice that text spells in other letters.
func coerceChoice(choices []any, doc any) any {
	text, ok := doc.(string)
	if !ok || slices.Contains(choices, doc) {
		return doc
	}
	found := doc
	for _, c := range choices {
		if choice, ok := c.(string); ok && strings.EqualFold(choice, strings.TrimSpace(text)) {
			if found != doc {
				return doc // two are spelled like that
			}
			found = choice
		}
	}
	return found
}

func allowsNull(s *jsonschema.Schema) bool {
	return s.Types == nil || slices.Contains(s.Types.ToStrings(), "null")
}

// itemsOf is the schema of a list's items, if there is one for all.
func itemsOf(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Items2020 != nil {
		return s.Items2020
	}
	items, _ := s.Items.(*jsonschema.Schema)
	return items
}
