package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A value is nil, undefined, bool, int64, float64, string, []any, map[string]any
// (out of JSON), dict, moment or span.
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

// set puts a value into a dictionary.
func (s *state) set(d *dict, key, v any) error {
	k, err := s.hash(key)
	if err != nil {
		return err
	}
	if err := s.items(4); err != nil { // as an entry is larger than an element
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
func (s *state) hash(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return v, nil
	case string:
		return v, s.look(len(v))
	case int64:
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
	case int64, float64:
		return "a number"
	case string:
		return "a text"
	case []any:
		return "a list"
	case moment:
		return "a time"
	case span:
		return "a duration"
	}
	return "a dictionary"
}

func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case int64:
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
	case span:
		return v != 0
	case *space, moment:
		return true
	}
	return false
}

// num gives a number as float64; booleans count, texts do not.
func num(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
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
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
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
func (s *state) item(v, key any) (any, error) {
	if k, ok := key.(string); ok {
		if err := s.look(len(k)); err != nil {
			return nil, err
		}
	}
	switch v := v.(type) {
	case map[string]any:
		if k, ok := key.(string); ok {
			if found, ok := v[k]; ok {
				return found, nil
			}
		}
	case dict:
		if k, err := s.hash(key); err == nil {
			if found, ok := v.values[k]; ok {
				return found, nil
			}
		}
	case *space:
		if k, ok := key.(string); ok {
			if found, ok := v.values[k]; ok {
				return found, nil
			}
		}
	case moment:
		if k, ok := key.(string); ok {
			return v.part(k), nil
		}
	case []any:
		if i, ok := place(key, len(v)); ok {
			return v[i], nil
		}
	case string:
		if err := s.make(4 * int64(len(v))); err != nil {
			return nil, err
		}
		rs := []rune(v)
		if i, ok := place(key, len(rs)); ok {
			return string(rs[i]), nil
		}
	}
	return undefined{}, nil
}

// place is the index that key names in n elements; negative ones count from the
// end.
func place(key any, n int) (int64, bool) {
	i, ok := integer(key)
	if s, isText := key.(string); isText && len(s) < 20 { // list.0
		var err error
		i, err = strconv.ParseInt(s, 10, 64)
		ok = err == nil
	}
	if i < 0 {
		i += int64(n)
	}
	return i, ok && i >= 0 && i < int64(n)
}

func (s *state) slice(v, from, to any) (any, error) {
	cut := func(n int) (int64, int64) {
		a, b := int64(0), int64(n)
		if i, ok := integer(from); ok {
			a = i
		}
		if i, ok := integer(to); ok {
			b = i
		}
		for _, p := range []*int64{&a, &b} {
			if *p < 0 {
				*p += int64(n)
			}
			*p = min(max(*p, 0), int64(n))
		}
		return a, max(a, b)
	}
	switch v := v.(type) {
	case string:
		if err := s.make(5 * int64(len(v))); err != nil {
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

// list gives the elements of a value.
func (s *state) list(v any) ([]any, error) {
	switch v := v.(type) {
	case []any:
		return v, nil
	case string:
		n, err := s.length(v)
		if err == nil {
			err = s.items(n)
		}
		if err != nil {
			return nil, err
		}
		out := make([]any, 0, n)
		for _, r := range v {
			out = append(out, string(r))
		}
		return out, nil
	case map[string]any:
		keys, err := s.names(v)
		if err != nil {
			return nil, err
		}
		out := make([]any, len(keys))
		for i, k := range keys {
			out[i] = k
		}
		return out, nil
	case dict:
		if err := s.items(len(v.keys)); err != nil {
			return nil, err
		}
		return slices.Clone(v.keys), nil
	case undefined:
		return nil, nil
	}
	return nil, fmt.Errorf("%s has no elements", kindOf(v))
}

// names are the keys of a dictionary out of JSON, sorted.
func (s *state) names(v map[string]any) ([]string, error) {
	if err := s.items(2 * len(v)); err != nil {
		return nil, err
	}
	if err := s.sorting(len(v)); err != nil {
		return nil, err
	}
	long := 0
	for k := range v {
		long = max(long, len(k))
	}
	if err := s.spend(int64(long) * int64(len(v))); err != nil { // long keys may begin alike
		return nil, err
	}
	return slices.Sorted(maps.Keys(v)), nil
}

func (s *state) length(v any) (int, error) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), s.look(len(v))
	case []any:
		return len(v), nil
	case map[string]any:
		return len(v), nil
	case dict:
		return len(v.keys), nil
	}
	return 0, nil
}

type (
	// moment is a datetime of Python.
	moment struct{ time.Time }
	// span is a timedelta of Python.
	span time.Duration
)

// decode reads JSON, with whole numbers as int64, as Python has them.
func decode(payload string) (any, bool) {
	dec := json.NewDecoder(strings.NewReader(payload))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil, false
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	return plain(v), true
}

// plain replaces the numbers of decoded JSON, in place.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // what is out of range becomes infinite
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}

func isMapping(v any) bool {
	switch v.(type) {
	case map[string]any, dict:
		return true
	}
	return false
}
