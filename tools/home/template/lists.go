package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
)

func fromJSON(s *state, a arguments) (any, error) {
	t, _ := a.first().(string)
	if err := s.make(len(t)); err != nil {
		return nil, err
	}
	if v, ok := decode(t); ok {
		return v, nil
	}
	if v, ok := a.get(1, "default"); ok {
		return v, nil
	}
	return nil, errors.New("the text is no JSON")
}

func toJSON(s *state, a arguments) (any, error) {
	v, err := s.jsonable(a.first(), 0)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return string(data), s.make(len(data))
}

// jsonable makes the keys of dictionaries text.
func (s *state) jsonable(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	if err := s.step(); err != nil { // a list may hold itself many times over
		return nil, err
	}
	switch v := v.(type) {
	case undefined:
		return nil, nil
	case []any:
		out := make([]any, len(v))
		for i := range v {
			var err error
			if out[i], err = s.jsonable(v[i], depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	case dict:
		out := map[string]any{}
		for _, k := range v.keys {
			x, err := s.jsonable(item(v, k), depth+1)
			if err != nil {
				return nil, err
			}
			out[fmt.Sprint(k)] = x
		}
		return out, nil
	}
	return v, nil
}

func items(s *state, a arguments) (any, error) {
	if !isMapping(a.first()) {
		return nil, fmt.Errorf("%s has no items", kindOf(a.first()))
	}
	keys, err := s.list(a.first())
	if err != nil {
		return nil, err
	}
	out := make([]any, len(keys))
	for i, k := range keys {
		out[i] = []any{k, item(a.first(), k)}
	}
	return out, nil
}

func join(s *state, a arguments) (any, error) {
	list, err := s.list(a.first())
	if err != nil {
		return nil, err
	}
	between := a.text(1, "d", "")
	if err := s.make(len(list) * len(between)); err != nil {
		return nil, err
	}
	texts := make([]string, len(list))
	for i, v := range list {
		if texts[i], err = s.str(v); err != nil {
			return nil, err
		}
		if err := s.make(len(texts[i])); err != nil {
			return nil, err
		}
	}
	return strings.Join(texts, between), nil
}

func replace(s *state, a arguments) (any, error) {
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	from, to := a.text(1, "old", ""), a.text(2, "new", "")
	if err := s.make(len(t) + strings.Count(t, from)*len(to)); err != nil {
		return nil, err
	}
	return strings.ReplaceAll(t, from, to), nil
}

func split(s *state, a arguments) (any, error) {
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	parts := strings.Fields(t)
	if sep := a.text(1, "sep", ""); sep != "" {
		parts = strings.SplitN(t, sep, a.whole(2, "maxsplit", -2)+1)
	}
	if err := s.make(len(t) + 16*len(parts)); err != nil {
		return nil, err
	}
	out := make([]any, len(parts))
	for i := range parts {
		out[i] = parts[i]
	}
	return out, nil
}

func reverse(s *state, a arguments) (any, error) {
	list, err := s.list(a.first())
	if err != nil {
		return nil, err
	}
	list = slices.Clone(list)
	slices.Reverse(list)
	if _, ok := a.first().(string); ok {
		return join(s, arguments{list: []any{list}})
	}
	return list, nil
}

func sorted(s *state, a arguments) (any, error) {
	list, err := s.list(a.first())
	if err != nil {
		return nil, err
	}
	list = slices.Clone(list)
	sort.SliceStable(list, func(i, j int) bool {
		less, _ := compare("<", list[i], list[j]) // what cannot be compared stays
		return less == true
	})
	if a.flag(1, "reverse", false) {
		slices.Reverse(list)
	}
	return list, nil
}

func unique(s *state, a arguments) (any, error) {
	list, err := s.list(a.first())
	if err != nil || len(list) > 1000 {
		return nil, errors.Join(err, errTooLong)
	}
	var out []any
	for _, v := range list {
		if !slices.ContainsFunc(out, func(o any) bool { return equal(o, v) }) {
			out = append(out, v)
		}
	}
	return out, nil
}

// extreme gives the largest or smallest of a list, or of the arguments.
func extreme(o string) fn {
	return func(s *state, a arguments) (any, error) {
		list := a.list
		if len(list) == 1 {
			var err error
			if list, err = s.list(list[0]); err != nil {
				return nil, err
			}
		}
		var best any = undefined{}
		for i, v := range list {
			if i == 0 {
				best = v
				continue
			}
			better, err := compare(o, v, best)
			if err != nil {
				return nil, err
			}
			if better == true {
				best = v
			}
		}
		return best, nil
	}
}

func sum(s *state, a arguments) (any, error) {
	list, err := s.list(a.first())
	var total any = 0
	for _, v := range list {
		if err == nil {
			total, err = arithmetic("+", total, v)
		}
	}
	return total, err
}

func average(s *state, a arguments) (any, error) {
	list, err := s.list(a.first())
	if err != nil || len(list) == 0 {
		return nil, errors.Join(err, errors.New("there is nothing to average"))
	}
	total, err := sum(s, arguments{list: []any{list}})
	if err != nil {
		return nil, err
	}
	return arithmetic("/", total, len(list))
}

func truncate(s *state, a arguments) (any, error) {
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	end := a.text(3, "end", "...")
	n := max(a.whole(1, "length", 255), 0)
	rs := []rune(t)
	if len(rs) <= n+a.whole(4, "leeway", 5) {
		return t, nil
	}
	return string(rs[:max(0, min(n-len([]rune(end)), len(rs)))]) + end, s.make(len(t))
}

func capitalize(t string) string {
	rs := []rune(strings.ToLower(t))
	if len(rs) > 0 {
		rs[0] = unicode.ToUpper(rs[0])
	}
	return string(rs)
}

func title(t string) string {
	rs := []rune(strings.ToLower(t))
	for i := range rs {
		if i == 0 || !unicode.IsLetter(rs[i-1]) {
			rs[i] = unicode.ToUpper(rs[i])
		}
	}
	return string(rs)
}
