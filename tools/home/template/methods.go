package template

import (
	"strings"
	"unicode"
)

// methods are called on a value: those of Python's texts, dictionaries and lists.
var methods = map[string]fn{
	"lower": onText(strings.ToLower), "upper": onText(strings.ToUpper), "title": onText(title), "capitalize": onText(capitalize),
	"strip":      strip(strings.Trim, strings.TrimSpace),
	"lstrip":     strip(strings.TrimLeft, func(t string) string { return strings.TrimLeftFunc(t, unicode.IsSpace) }),
	"rstrip":     strip(strings.TrimRight, func(t string) string { return strings.TrimRightFunc(t, unicode.IsSpace) }),
	"split":      split,
	"replace":    replace,
	"join":       func(s *state, a arguments) (any, error) { return join(s, arguments{list: []any{second(a), a.first()}}) },
	"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix),
	"removeprefix": func(_ *state, a arguments) (any, error) {
		return strings.TrimPrefix(a.text(0, "", ""), a.text(1, "", "")), nil
	},
	"removesuffix": func(_ *state, a arguments) (any, error) {
		return strings.TrimSuffix(a.text(0, "", ""), a.text(1, "", "")), nil
	},
	"find": func(_ *state, a arguments) (any, error) {
		return strings.Index(a.text(0, "", ""), a.text(1, "", "")), nil
	},
	"isdigit": digits, "isnumeric": digits, "isdecimal": digits,
	"isalpha": func(_ *state, a arguments) (any, error) { return every(a.text(0, "", ""), unicode.IsLetter), nil },
	"zfill":   zfill,
	"get":     get,
	"items":   items,
	"keys":    func(s *state, a arguments) (any, error) { v, err := s.list(a.first()); return v, err },
	"values":  values,
	// Home Assistant's own, which is called on dict itself.
	"from_keys": func(s *state, a arguments) (any, error) { return fromPairs(s, arguments{list: a.list[1:]}) },
}

func strip(cut func(t, set string) string, space func(string) string) fn {
	return func(s *state, a arguments) (any, error) {
		t := a.text(0, "", "")
		if set := a.text(1, "chars", ""); set != "" {
			return cut(t, set), nil
		}
		return space(t), nil
	}
}

func affix(f func(t, part string) bool) fn {
	return func(_ *state, a arguments) (any, error) { return f(a.text(0, "", ""), a.text(1, "", "")), nil }
}

func every(t string, f func(rune) bool) bool {
	return t != "" && strings.IndexFunc(t, func(r rune) bool { return !f(r) }) < 0
}

func digits(_ *state, a arguments) (any, error) {
	return every(a.text(0, "", ""), unicode.IsDigit), nil
}

func zfill(s *state, a arguments) (any, error) {
	t, n := a.text(0, "", ""), a.whole(1, "width", 0)
	if err := s.make(max(n, 0)); err != nil {
		return nil, err
	}
	sign := ""
	if strings.HasPrefix(t, "-") || strings.HasPrefix(t, "+") {
		sign, t = t[:1], t[1:]
	}
	return sign + strings.Repeat("0", max(n-len(sign)-len(t), 0)) + t, nil
}

func get(_ *state, a arguments) (any, error) {
	v := item(a.first(), second(a))
	if _, missing := v.(undefined); !missing {
		return v, nil
	}
	d, _ := a.get(2, "default")
	return d, nil
}

func values(s *state, a arguments) (any, error) {
	pairs, err := items(s, a)
	if err != nil {
		return nil, err
	}
	var out []any
	for _, p := range pairs.([]any) {
		out = append(out, item(p, 1))
	}
	return out, nil
}
