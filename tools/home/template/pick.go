package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// attribute follows a name or index, or several with points between, into v.
func (s *state) attribute(v, path any) (any, error) {
	t, ok := path.(string)
	if !ok {
		return s.item(v, path)
	}
	for more := true; more; {
		if err := s.step(); err != nil {
			return nil, err
		}
		var k string
		k, t, more = strings.Cut(t, ".")
		var err error
		if v, err = s.item(v, k); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// pick makes select, reject, selectattr and rejectattr: those elements whose
// value passes the test that is named behind, or is true without one.
func pick(keep, byAttribute bool) fn {
	return func(s *state, a arguments) (any, error) {
		list, err := s.list(a.first())
		if err != nil {
			return nil, err
		}
		rest := a.list[min(1, len(a.list)):]
		value := func(v any) (any, error) { return v, nil }
		if byAttribute {
			if len(rest) == 0 {
				return nil, errors.New("the name of an attribute is needed")
			}
			path := rest[0]
			value, rest = func(v any) (any, error) { return s.attribute(v, path) }, rest[1:]
		}
		test := whether(truth)
		if len(rest) > 0 {
			n, _ := rest[0].(string)
			if test, rest = s.known.tests[n], rest[1:]; test == nil {
				return nil, fmt.Errorf("the test %.40q is not known", n)
			}
		}
		var out []any
		for _, v := range list {
			if err := s.items(2 + len(rest)); err != nil {
				return nil, err
			}
			of, err := value(v)
			if err != nil {
				return nil, err
			}
			ok, err := test(s, arguments{list: append([]any{of}, rest...)})
			if err != nil {
				return nil, err
			}
			if truth(ok) == keep {
				out = append(out, v)
			}
		}
		return out, nil
	}
}

// mapped is map(attribute=…) and map('filter', …).
func mapped(s *state, a arguments) (any, error) {
	list, err := s.list(a.first())
	if err != nil {
		return nil, err
	}
	var each func(v any) (any, error)
	if path, ok := a.named["attribute"]; ok {
		each = func(v any) (any, error) {
			found, err := s.attribute(v, path)
			if err != nil {
				return nil, err
			}
			if _, missing := found.(undefined); missing && a.named["default"] != nil {
				return a.named["default"], nil
			}
			return found, nil
		}
	} else {
		f := s.known.filters[a.text(1, "", "")]
		if f == nil {
			return nil, fmt.Errorf("the filter %.40q is not known", a.text(1, "", ""))
		}
		each = func(v any) (any, error) { return f(s, arguments{append([]any{v}, a.rest(2)...), a.named}) }
	}
	if err := s.items(len(list)); err != nil {
		return nil, err
	}
	out := make([]any, len(list))
	for i, v := range list {
		if err := s.items(1 + len(a.list)); err != nil {
			return nil, err
		}
		if out[i], err = each(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// zip joins the elements of lists in pairs, as far as the shortest goes.
func zip(s *state, a arguments) (any, error) {
	lists := make([][]any, len(a.list))
	n := -1
	for i, v := range a.list {
		var err error
		if lists[i], err = s.list(v); err != nil {
			return nil, err
		}
		if n < 0 || len(lists[i]) < n {
			n = len(lists[i])
		}
	}
	if err := s.spend(perItem * int64(max(n, 0)) * int64(len(lists)+2)); err != nil {
		return nil, err
	}
	out := make([]any, max(n, 0))
	for i := range out {
		row := make([]any, len(lists))
		for j := range lists {
			row[j] = lists[j][i]
		}
		out[i] = row
	}
	return out, nil
}

// fromPairs makes a dictionary of pairs, or of what is named.
func fromPairs(s *state, a arguments) (any, error) {
	var d dict
	if isMapping(a.first()) {
		pairs, err := items(s, a)
		if err != nil {
			return nil, err
		}
		a.list = []any{pairs}
	}
	pairs, err := s.list(a.first())
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		kv, ok := p.([]any)
		if !ok || len(kv) != 2 {
			return nil, fmt.Errorf("%s is no pair", kindOf(p))
		}
		if err := s.set(&d, kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	named := make([]string, 0, len(a.named))
	for k := range a.named {
		named = append(named, k)
	}
	slices.Sort(named)
	for _, k := range named {
		if err := s.set(&d, k, a.named[k]); err != nil {
			return nil, err
		}
	}
	return d, nil
}
