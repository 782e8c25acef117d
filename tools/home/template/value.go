package template

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A value is nil, undefined, bool, int64, float64, string, []any, map[string]any
// (out of JSON), *dict, moment or span.
type (
	undefined struct{}
	// dict is a dictionary that a template made, in the order of its making; a namespace,
	// whose values outlive the loop that sets them, is one too.
	dict struct {
		keys   []any
		values map[any]any // by hash of the key
	}
	// moment is a datetime of Python.
	moment struct{ time.Time }
	// span is a timedelta of Python.
	span time.Duration
)

// set puts a value into a dictionary.
func (s *state) set(d *dict, key, v any) {
	k, ok := s.hash(key)
	if !ok {
		panic(failed("%s cannot be the key of a dictionary", kindOf(key)))
	}
	s.items(4) // as an entry is larger than an element
	if d.values == nil {
		d.values = map[any]any{}
	}
	if _, known := d.values[k]; !known {
		d.keys = append(d.keys, key)
	}
	d.values[k] = v
}

// hash makes a key of a dictionary: 1, 1.0 and true are the same one in Python.
func (s *state) hash(v any) (key any, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case string:
		s.look(len(v))
		return v, true
	}
	f, ok := num(v)
	return f, ok
}

// lookup finds what a dictionary has under a key.
func (s *state) lookup(in, key any) (v any, found bool) {
	k, ok := s.hash(key)
	name, isText := key.(string)
	switch in := in.(type) {
	case map[string]any:
		v, found = in[name]
		found = found && isText
	case *dict:
		v, found = in.values[k]
		found = found && ok
	}
	return v, found
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

// is reports whether v is of a type.
func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

func isMapping(v any) bool { return is[map[string]any](v) || is[*dict](v) }

func isIterable(v any) bool { return is[string](v) || is[[]any](v) || isMapping(v) }

func truth(v any) bool {
	if f, ok := num(v); ok {
		return f != 0
	}
	switch v := v.(type) {
	case nil, undefined:
		return false
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	case *dict:
		return len(v.keys) > 0
	case span:
		return v != 0
	}
	return true
}

// num gives a number as float64; booleans count, texts do not.
func num(v any) (float64, bool) {
	if n, ok := integer(v); ok {
		return float64(n), true
	}
	f, ok := v.(float64)
	return f, ok
}

// integer gives a whole number.
func integer(v any) (int64, bool) {
	if v == true {
		return 1, true
	}
	n, ok := v.(int64)
	return n, ok || v == false
}

// item gives v[key] and v.key; what is not there is undefined.
func (s *state) item(v, key any) any {
	if found, ok := s.lookup(v, key); ok {
		return found
	}
	switch v := v.(type) {
	case moment:
		name, _ := key.(string)
		return s.part(v, name)
	case []any:
		if i, ok := place(key, len(v)); ok {
			return v[i]
		}
	case string:
		rs := s.runes(v)
		if i, ok := place(key, len(rs)); ok {
			return string(rs[i])
		}
	}
	return undefined{}
}

// runes are the characters of a text.
func (s *state) runes(t string) []rune {
	s.make(5 * len(t))
	return []rune(t)
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

func (s *state) slice(v, from, to any) any {
	// end is where n elements are cut.
	end := func(at any, otherwise, n int) int64 {
		i, ok := integer(at)
		if !ok {
			i = int64(otherwise)
		}
		if i < 0 {
			i += int64(n)
		}
		return min(max(i, 0), int64(n))
	}
	switch v := v.(type) {
	case string:
		rs := s.runes(v)
		a, b := end(from, 0, len(rs)), end(to, len(rs), len(rs))
		return string(rs[a:max(a, b)])
	case []any:
		a, b := end(from, 0, len(v)), end(to, len(v), len(v))
		return slices.Clip(v[a:max(a, b)])
	}
	panic(failed("%s cannot be sliced", kindOf(v)))
}

// list gives the elements of a value, and the keys of a dictionary. The caller must not
// change it.
func (s *state) list(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case string:
		n := s.length(v)
		s.items(n)
		out := make([]any, 0, n)
		for _, r := range v {
			out = append(out, string(r))
		}
		return out
	case map[string]any:
		return s.anys(s.names(v))
	case *dict:
		return slices.Clip(v.keys)
	case undefined:
		return nil
	}
	panic(failed("%s has no elements", kindOf(v)))
}

// anys are texts as values.
func (s *state) anys(texts []string) []any {
	s.items(len(texts))
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

// names are the keys of a dictionary out of JSON, sorted.
func (s *state) names(v map[string]any) []string {
	s.items(len(v))
	s.sorting(len(v))
	long := 0
	for k := range v {
		long = max(long, len(k))
	}
	s.spend(int64(long) * int64(len(v))) // long keys may begin alike
	return slices.Sorted(maps.Keys(v))
}

func (s *state) length(v any) int {
	switch v := v.(type) {
	case string:
		s.look(len(v))
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case *dict:
		return len(v.keys)
	}
	return 0
}

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

// part is a field of a moment, as in now().hour.
func (s *state) part(m moment, name string) any {
	s.items(10)
	n, known := map[string]int{
		"year": m.Year(), "month": int(m.Month()), "day": m.Day(),
		"hour": m.Hour(), "minute": m.Minute(), "second": m.Second(), "microsecond": m.Nanosecond() / 1000,
	}[name]
	if !known {
		return undefined{}
	}
	return int64(n)
}
