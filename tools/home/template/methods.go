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
	"removeprefix": onTexts(func(t, part string) any { return strings.TrimPrefix(t, part) }),
	"removesuffix": onTexts(func(t, part string) any { return strings.TrimSuffix(t, part) }),
	"find":         onTexts(func(t, part string) any { return int64(strings.Index(t, part)) }),
	"isdigit":      digits, "isnumeric": digits, "isdecimal": digits,
	"isalpha":  onTexts(func(t, _ string) any { return every(t, unicode.IsLetter) }),
	"zfill":    zfill,
	"strftime": written, "isoformat": isoText, "timestamp": inUnix, "total_seconds": totalSeconds, "astimezone": asLocal,
	"get":    get,
	"items":  items,
	"keys":   func(s *state, a arguments) (any, error) { v, err := s.list(a.first()); return v, err },
	"values": values,
	// Home Assistant's own, which is called on dict itself.
	"from_keys": func(s *state, a arguments) (any, error) { return fromPairs(s, arguments{list: a.rest(1)}) },
}

func strip(cut func(t, set string) string, space func(string) string) fn {
	return func(s *state, a arguments) (any, error) {
		t, set := a.text(0, "", ""), a.text(1, "chars", "")
		if err := s.spend(perByte * int64(len(t)+1) * int64(len(set)+1)); err != nil { // each is looked for in the set
			return nil, err
		}
		if set != "" {
			return cut(t, set), nil
		}
		return space(t), nil
	}
}

// onTexts makes a method of a text with another as its argument, which looks at each
// once.
func onTexts(f func(t, part string) any) fn {
	return func(s *state, a arguments) (any, error) {
		t, part := a.text(0, "", ""), a.text(1, "", "")
		if err := s.spend(5 * perByte * int64(len(t)+len(part))); err != nil {
			return nil, err
		}
		return f(t, part), nil
	}
}

func affix(f func(t, part string) bool) fn {
	return onTexts(func(t, part string) any { return f(t, part) })
}

func every(t string, f func(rune) bool) bool {
	return t != "" && strings.IndexFunc(t, func(r rune) bool { return !f(r) }) < 0
}

var digits = onTexts(func(t, _ string) any { return every(t, unicode.IsDigit) })

func zfill(s *state, a arguments) (any, error) {
	t, width := a.text(0, "", ""), max(a.whole(1, "width", 0), 0)
	if width > Budget || s.make(2*width+int64(len(t))) != nil {
		return nil, s.spend(-1)
	}
	n := int(width)
	sign := ""
	if strings.HasPrefix(t, "-") || strings.HasPrefix(t, "+") {
		sign, t = t[:1], t[1:]
	}
	return sign + strings.Repeat("0", max(n-len(sign)-len(t), 0)) + t, nil
}

func get(s *state, a arguments) (any, error) {
	v, err := s.item(a.first(), second(a))
	if err != nil {
		return nil, err
	}
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
		out = append(out, p.([]any)[1])
	}
	return out, s.items(len(out))
}
