package template

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A value is nil, undefined, bool, int, float64, string, []any, map[string]any
// (out of JSON) or dict.
type (
	undefined struct{}
	// dict is a dictionary that a template made, in the order of its making.
	dict struct {
		keys   []any
		values map[any]any // by hash of the key
	}
	// space is a namespace, whose values outlive the loop that sets them.
	space struct{ values map[string]any }
)

func (d *dict) set(key, v any) error {
	k, err := hash(key)
	if err != nil {
		return err
	}
	if d.values == nil {
		d.values = map[any]any{}
	}
	if _, known := d.values[k]; !known {
		d.keys = append(d.keys, key)
	}
	d.values[k] = v
	return nil
}

// hash makes a key of a dictionary: 1, 1.0 and true are the same one in Python.
func hash(v any) (any, error) {
	switch v := v.(type) {
	case nil, string:
		return v, nil
	case int:
		return float64(v), nil
	case float64:
		return v, nil
	case bool:
		if v {
			return 1.0, nil
		}
		return 0.0, nil
	}
	return nil, fmt.Errorf("%s cannot be the key of a dictionary", kindOf(v))
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "none"
	case undefined:
		return "an undefined value"
	case bool:
		return "a boolean"
	case int, float64:
		return "a number"
	case string:
		return "a text"
	case []any:
		return "a list"
	}
	return "a dictionary"
}

func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case int:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	case dict:
		return len(v.keys) > 0
	case *space:
		return true
	}
	return false
}

// num gives a number as float64; booleans count, texts do not.
func num(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// integer gives a whole number.
func integer(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// item gives v[key] and v.key; what is not there is undefined.
func item(v, key any) any {
	switch v := v.(type) {
	case map[string]any:
		if k, ok := key.(string); ok {
			if found, ok := v[k]; ok {
				return found
			}
		}
	case dict:
		if k, err := hash(key); err == nil {
			if found, ok := v.values[k]; ok {
				return found
			}
		}
	case *space:
		if k, ok := key.(string); ok {
			if found, ok := v.values[k]; ok {
				return found
			}
		}
	case []any:
		if i, ok := place(key, len(v)); ok {
			return v[i]
		}
	case string:
		rs := []rune(v)
		if i, ok := place(key, len(rs)); ok {
			return string(rs[i])
		}
	}
	return undefined{}
}

// place is the index that key names in n elements; negative ones count from the
// end.
func place(key any, n int) (int, bool) {
	i, ok := integer(key)
	if s, isText := key.(string); isText { // list.0
		var err error
		i, err = strconv.Atoi(s)
		ok = err == nil
	}
	if i < 0 {
		i += n
	}
	return i, ok && i >= 0 && i < n
}

func (s *state) slice(v, from, to any) (any, error) {
	cut := func(n int) (int, int) {
		a, b := 0, n
		if i, ok := integer(from); ok {
			a = i
		}
		if i, ok := integer(to); ok {
			b = i
		}
		for _, p := range []*int{&a, &b} {
			if *p < 0 {
				*p += n
			}
			*p = min(max(*p, 0), n)
		}
		return a, max(a, b)
	}
	switch v := v.(type) {
	case string:
		if err := s.make(len(v)); err != nil {
			return nil, err
		}
		rs := []rune(v)
		a, b := cut(len(rs))
		return string(rs[a:b]), nil
	case []any:
		a, b := cut(len(v))
		return v[a:b:b], nil
	}
	return nil, fmt.Errorf("%s cannot be sliced", kindOf(v))
}

func (s *state) list(v any) ([]any, error) {
	if err := s.make(16 * length(v)); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case []any:
		return v, nil
	case string:
		out := []any{}
		for _, r := range v {
			out = append(out, string(r))
		}
		return out, nil
	case map[string]any:
		out := []any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out = append(out, k)
		}
		return out, nil
	case dict:
		return slices.Clone(v.keys), nil
	case undefined:
		return nil, nil
	}
	return nil, fmt.Errorf("%s has no elements", kindOf(v))
}

func length(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case dict:
		return len(v.keys)
	}
	return 0
}
