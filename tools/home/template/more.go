package template

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// tests stand behind "is".
var tests = map[string]fn{
	"defined":   whether(func(v any) bool { _, missing := v.(undefined); return !missing }),
	"undefined": whether(func(v any) bool { _, missing := v.(undefined); return missing }),
	"none":      whether(func(v any) bool { return v == nil }),
	"number":    whether(func(v any) bool { _, ok := num(v); return ok }),
	"integer":   whether(func(v any) bool { _, ok := v.(int); return ok }),
	"float":     whether(func(v any) bool { _, ok := v.(float64); return ok }),
	"string":    whether(func(v any) bool { _, ok := v.(string); return ok }),
	"boolean":   whether(func(v any) bool { _, ok := v.(bool); return ok }),
	"mapping":   whether(isMapping),
	"sequence":  whether(func(v any) bool { _, ok := v.([]any); return ok }),
	"iterable":  whether(func(v any) bool { return length(v) > 0 || isMapping(v) }),
	"true":      whether(func(v any) bool { return v == true }),
	"false":     whether(func(v any) bool { return v == false }),
	"is_number": whether(isNumber),
	"eq":        func(_ *state, a arguments) (any, error) { return equal(a.first(), second(a)), nil },
	"equalto":   func(_ *state, a arguments) (any, error) { return equal(a.first(), second(a)), nil },
	"in":        func(_ *state, a arguments) (any, error) { return contains(second(a), a.first()) },
	"contains":  func(_ *state, a arguments) (any, error) { return contains(a.first(), second(a)) },
	"even":      whether(func(v any) bool { n, ok := integer(v); return ok && n%2 == 0 }),
	"odd":       whether(func(v any) bool { n, ok := integer(v); return ok && n%2 != 0 }),
	"match":     matches(`^(?:`, `)`),
	"search":    matches("", ""),
}

func isMapping(v any) bool {
	switch v.(type) {
	case map[string]any, dict:
		return true
	}
	return false
}

// functions are called by name.
var functions = map[string]fn{
	"abs": filters["abs"], "average": average, "bool": boolean, "float": float, "iif": iif, "int": toInt,
	"is_number": whether(isNumber), "max": extreme(">"), "min": extreme("<"), "round": round,
	"as_timestamp": asTimestamp,
	"now":          func(*state, arguments) (any, error) { return time.Now().Format(isoLocal), nil },
	"utcnow":       func(*state, arguments) (any, error) { return time.Now().UTC().Format(isoLocal), nil },
	"range":        numbers,
}

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

func values(_ *state, a arguments) (any, error) {
	pairs, err := items(nil, a)
	if err != nil {
		return nil, err
	}
	var out []any
	for _, p := range pairs.([]any) {
		out = append(out, item(p, 1))
	}
	return out, nil
}

func numbers(_ *state, a arguments) (any, error) {
	from, to := 0, a.whole(0, "", 0)
	if len(a.list) > 1 {
		from, to = to, a.whole(1, "", 0)
	}
	if to-from > maxSteps {
		return nil, errTooLong
	}
	var out []any
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out, nil
}

// maxPattern bounds a regular expression; Go's take linear time.
const maxPattern = 200

func pattern(a arguments, before, after string) (*regexp.Regexp, error) {
	p := a.text(1, "find", "")
	if len(p) > maxPattern {
		return nil, fmt.Errorf("a pattern of %d bytes is more than %d", len(p), maxPattern)
	}
	if a.flag(2, "ignorecase", false) {
		before = "(?i)" + before
	}
	re, err := regexp.Compile(before + p + after)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	return re, nil
}

func matches(before, after string) fn {
	return func(s *state, a arguments) (any, error) {
		re, err := pattern(a, before, after)
		if err != nil {
			return nil, err
		}
		t, err := s.str(a.first())
		return err == nil && re.MatchString(t), err
	}
}

func regexReplace(s *state, a arguments) (any, error) {
	a.named = map[string]any{"ignorecase": a.flag(3, "ignorecase", false)}
	re, err := pattern(arguments{list: a.list[:min(len(a.list), 2)], named: a.named}, "", "")
	if err != nil {
		return nil, err
	}
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	with := regexp.MustCompile(`\\(\d)`).ReplaceAllString(strings.ReplaceAll(a.text(2, "replace", ""), "$", "$$"), "$${$1}")
	if err := s.make(len(t) + (len(t)+1)*len(with)); err != nil {
		return nil, err
	}
	return re.ReplaceAllString(t, with), nil
}

func findAllIndex(s *state, a arguments) (any, error) {
	re, err := pattern(arguments{list: a.list[:min(len(a.list), 2)], named: a.named}, "", "")
	if err != nil {
		return nil, err
	}
	t, err := s.str(a.first())
	if err != nil {
		return nil, err
	}
	found := re.FindAllStringSubmatch(t, 100)
	i := a.whole(2, "index", 0)
	if i < 0 || i >= len(found) {
		return nil, errUndefined
	}
	return found[i][min(1, len(found[i])-1)], nil
}

// spec is one conversion of the % operator: flags, width, precision, letter.
var spec = regexp.MustCompile(`%([-+ 0#]*)(\d*)(?:\.(\d+))?([diouxXeEfFgGsr%])`)

// format is Python's % on a text.
func (s *state) format(t string, args []any) (any, error) {
	var failed error
	out := spec.ReplaceAllStringFunc(t, func(conv string) string {
		m := spec.FindStringSubmatch(conv)
		if m[4] == "%" {
			return "%"
		}
		if len(args) == 0 || len(m[2]) > 2 || len(m[3]) > 2 {
			failed = errors.New("the arguments do not fit the format")
			return ""
		}
		v := args[0]
		args = args[1:]
		text, err := s.convert("%"+m[1]+m[2], m[3], m[4], v)
		failed = errors.Join(failed, err)
		return text
	})
	if failed != nil {
		return nil, failed
	}
	return out, s.make(len(out))
}

func (s *state) convert(head, precision, letter string, v any) (string, error) {
	if precision != "" {
		precision = "." + precision
	}
	switch letter {
	case "s", "r":
		t, err := s.str(v)
		return fmt.Sprintf(head+precision+"s", t), err
	case "d", "i", "u", "x", "X", "o":
		f, ok := num(v)
		if !ok {
			return "", fmt.Errorf("%s is no number", kindOf(v))
		}
		if strings.Contains("iu", letter) {
			letter = "d"
		}
		return fmt.Sprintf(head+letter, int64(f)), nil
	}
	f, ok := toFloat(v)
	if !ok {
		return "", fmt.Errorf("%s is no number", kindOf(v))
	}
	return fmt.Sprintf(head+precision+letter, f), nil
}

// isoLocal is how Home Assistant writes a moment.
const isoLocal = "2006-01-02T15:04:05.999999-07:00"

// moment reads a time: seconds since 1970 or ISO 8601.
func moment(v any) (time.Time, bool) {
	if f, ok := toFloat(v); ok && f > -1e11 && f < 1e11 {
		return time.UnixMilli(int64(f * 1000)), true
	}
	t, _ := v.(string)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", "2006-01-02"} {
		if m, err := time.ParseInLocation(layout, t, time.Local); err == nil {
			return m, true
		}
	}
	return time.Time{}, false
}

func asTimestamp(_ *state, a arguments) (any, error) {
	m, ok := moment(a.first())
	if !ok {
		return noNumber(a)
	}
	return float64(m.UnixMilli()) / 1000, nil
}

// timestamp writes a moment; with an empty layout as ISO 8601.
func timestamp(layout string, local bool) fn {
	return func(s *state, a arguments) (any, error) {
		m, ok := moment(a.first())
		if !ok {
			return noNumber(a)
		}
		here, layout := local, layout
		if layout != "" {
			layout, here = a.text(1, "format_string", layout), a.flag(2, "local", local)
		}
		if !here {
			m = m.UTC()
		} else {
			m = m.Local()
		}
		if layout == "" {
			return m.Format(isoLocal), nil
		}
		out := strftime(layout, m)
		return out, s.make(len(out))
	}
}

// layouts are the letters of strftime.
var layouts = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'B': "January", 'b': "Jan",
	'A': "Monday", 'a': "Mon", 'I': "03", 'p': "PM", 'F': "2006-01-02", 'T': "15:04:05", 'z': "-0700", 'Z': "MST",
}

func strftime(layout string, m time.Time) string {
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b.WriteByte(layout[i])
			continue
		}
		i++
		switch l, ok := layouts[layout[i]]; {
		case ok:
			b.WriteString(m.Format(l))
		case layout[i] == 's':
			b.WriteString(strconv.FormatInt(m.Unix(), 10))
		default:
			b.WriteByte(layout[i])
		}
	}
	return b.String()
}
