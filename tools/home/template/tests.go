package template

// tests stand behind "is".
var tests = map[string]fn{
	"defined":   whether(func(v any) bool { _, missing := v.(undefined); return !missing }),
	"undefined": whether(func(v any) bool { _, missing := v.(undefined); return missing }),
	"none":      whether(func(v any) bool { return v == nil }),
	"number":    whether(func(v any) bool { _, ok := num(v); return ok }),
	"integer":   whether(func(v any) bool { _, ok := v.(int64); return ok }),
	"float":     whether(func(v any) bool { _, ok := v.(float64); return ok }),
	"string":    whether(func(v any) bool { _, ok := v.(string); return ok }),
	"boolean":   whether(func(v any) bool { _, ok := v.(bool); return ok }),
	"mapping":   whether(isMapping),
	"sequence":  whether(isIterable),
	"iterable":  whether(isIterable),
	"true":      whether(func(v any) bool { return v == true }),
	"false":     whether(func(v any) bool { return v == false }),
	"is_number": isNumber,
	"eq":        alike, "equalto": alike, "sameas": alike, "==": alike,
	"ne": differs, "!=": differs,
	"lt": than("<"), "<": than("<"), "lessthan": than("<"), "le": than("<="), "<=": than("<="),
	"gt": than(">"), ">": than(">"), "greaterthan": than(">"), "ge": than(">="), ">=": than(">="),
	"divisibleby": func(s *state, a arguments) (any, error) {
		n, err := s.arithmetic("%", a.first(), second(a))
		f, _ := num(n)
		return f == 0, err
	},
	"in":       func(s *state, a arguments) (any, error) { return s.contains(second(a), a.first()) },
	"contains": func(s *state, a arguments) (any, error) { return s.contains(a.first(), second(a)) },
	"even":     whether(func(v any) bool { n, ok := integer(v); return ok && n%2 == 0 }),
	"odd":      whether(func(v any) bool { n, ok := integer(v); return ok && n%2 != 0 }),
	"match":    matches(`^(?:`, `)`),
	"search":   matches("", ""),
}

func isIterable(v any) bool {
	switch v.(type) {
	case string, []any:
		return true
	}
	return isMapping(v)
}

func alike(s *state, a arguments) (any, error) { return s.equal(a.first(), second(a)) }

func differs(s *state, a arguments) (any, error) {
	same, err := s.equal(a.first(), second(a))
	return !same, err
}

// than makes a test of a comparison.
func than(o string) fn {
	return func(s *state, a arguments) (any, error) { return s.compare(o, a.first(), second(a)) }
}
