package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

func fromJSON(s *state, a arguments) (any, error) {
	t, _ := a.first().(string)
	if err := s.spend(perRead * int64(len(t))); err != nil {
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
	return string(data), nil
}

// perEscape is how many bytes JSON may make of one.
const perEscape = 6

// jsonable makes the keys of dictionaries text, and charges what writing v will make.
func (s *state) jsonable(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	if err := s.items(2); err != nil { // a list may hold itself many times over
		return nil, err
	}
	switch v := v.(type) {
	case undefined:
		return nil, nil
	case string:
		return v, s.make(perEscape * int64(len(v)))
	case moment:
		return v.Format(isoLocal), nil
	case span, *space:
		return nil, fmt.Errorf("%s cannot be written as JSON", kindOf(v))
	case float64:
		return v, s.spend(perLarge / 4)
	case []any:
		if err := s.items(len(v)); err != nil {
			return nil, err
		}
		out := make([]any, len(v))
		for i := range v {
			var err error
			if out[i], err = s.jsonable(v[i], depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any, dict:
		return s.object(v, depth)
	}
	return v, nil
}

// object is a dictionary as JSON has it.
func (s *state) object(v any, depth int) (any, error) {
	keys, err := s.list(v)
	if err != nil {
		return nil, err
	}
	if err := s.sorting(4 * len(keys)); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, k := range keys {
		name, isText := k.(string)
		if !isText {
			name = fmt.Sprint(k)
		}
		if err := s.make(2 * perEscape * int64(len(name))); err != nil {
			return nil, err
		}
		x, err := s.item(v, k)
		if err != nil {
			return nil, err
		}
		if out[name], err = s.jsonable(x, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func items(s *state, a arguments) (any, error) {
	if !isMapping(a.first()) {
		return nil, fmt.Errorf("%s has no items", kindOf(a.first()))
	}
	keys, err := s.list(a.first())
	if err != nil {
		return nil, err
	}
	if err := s.items(3 * len(keys)); err != nil {
		return nil, err
	}
	out := make([]any, len(keys))
	for i, k := range keys {
		v, err := s.item(a.first(), k)
		if err != nil {
			return nil, err
		}
		out[i] = []any{k, v}
	}
	return out, nil
}

func join(s *state, a arguments) (any, error) {
	list, err := s.list(a.first())
	if err != nil {
		return nil, err
	}
	between := a.text(1, "d", "")
	if err := s.items(len(list)); err != nil {
		return nil, err
	}
	if err := s.make(int64(len(list)) * int64(len(between))); err != nil {
		return nil, err
	}
	texts := make([]string, len(list))
	for i, v := range list {
		if texts[i], err = s.str(v); err != nil {
			return nil, err
		}
		if err := s.make(int64(len(texts[i]))); err != nil {
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
	if err := s.look(len(t) + len(from)); err != nil {
		return nil, err
	}
	if err := s.make(int64(len(t)) + int64(strings.Count(t, from))*int64(len(to)+1)); err != nil {
		return nil, err
	}
	return strings.ReplaceAll(t, from, to), nil
}

func split(s *state, a arguments) (any, error) {
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	sep, most := a.text(1, "sep", ""), a.whole(2, "maxsplit", -1)
	if err := s.spend(10 * int64(len(t)+len(sep))); err != nil {
		return nil, err
	}
	n := len(t)/2 + 1 // a word and a space each
	if sep != "" {
		n = strings.Count(t, sep) + 1
	}
	if most >= 0 && most < int64(n) {
		n = int(most) + 1
	}
	if err := s.items(n); err != nil {
		return nil, err
	}
	parts := strings.Fields(t)
	if sep != "" {
		parts = strings.SplitN(t, sep, n)
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
	if err := s.items(len(list)); err != nil {
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
	if err := s.sorting(len(list)); err != nil {
		return nil, err
	}
	list = slices.Clone(list)
	var over error
	slices.SortStableFunc(list, func(a, b any) int {
		if over != nil { // no more is looked at
			return 0
		}
		less, err := s.compare("<", a, b) // what cannot be compared stays
		more, err2 := s.compare("<", b, a)
		if over = errors.Join(err, err2); !errors.Is(over, ErrBudget) {
			over = nil
		}
		switch {
		case less == true:
			return -1
		case more == true:
			return 1
		}
		return 0
	})
	if over != nil {
		return nil, over
	}
	if a.flag(1, "reverse", false) {
		slices.Reverse(list)
	}
	return list, nil
}

func unique(s *state, a arguments) (any, error) {
	list, err := s.list(a.first())
	if err != nil {
		return nil, err
	}
	var out []any
	for _, v := range list {
		found, err := s.contains(out, v)
		if err == nil {
			err = s.items(1)
		}
		if err != nil {
			return nil, err
		}
		if found == false {
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
			better, err := s.compare(o, v, best)
			if err == nil {
				err = s.step()
			}
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
	var total any = int64(0)
	for _, v := range list {
		if err == nil {
			err = s.step()
		}
		if err == nil {
			total, err = s.arithmetic("+", total, v)
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
	return s.arithmetic("/", total, int64(len(list)))
}

func truncate(s *state, a arguments) (any, error) {
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	end := []rune(a.text(3, "end", "..."))
	n := int64(min(max(a.whole(1, "length", 255), 0), Budget))
	if err := s.make(6*int64(len(t)) + 6*int64(len(end))); err != nil {
		return nil, err
	}
	rs := []rune(t)
	if int64(len(rs)) <= n+min(max(a.whole(4, "leeway", 5), 0), Budget) {
		return t, nil
	}
	return string(rs[:max(0, min(n-int64(len(end)), int64(len(rs))))]) + string(end), nil
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
