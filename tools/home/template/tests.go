package template

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
	"sequence":  whether(isIterable),
	"iterable":  whether(isIterable),
	"true":      whether(func(v any) bool { return v == true }),
	"false":     whether(func(v any) bool { return v == false }),
	"is_number": whether(isNumber),
	"eq":        same, "equalto": same, "sameas": same, "==": same,
	"ne": func(_ *state, a arguments) (any, error) { return !equal(a.first(), second(a)), nil },
	"!=": func(_ *state, a arguments) (any, error) { return !equal(a.first(), second(a)), nil },
	"lt": than("<"), "<": than("<"), "lessthan": than("<"), "le": than("<="), "<=": than("<="),
	"gt": than(">"), ">": than(">"), "greaterthan": than(">"), "ge": than(">="), ">=": than(">="),
	"divisibleby": func(_ *state, a arguments) (any, error) {
		n, err := arithmetic("%", a.first(), second(a))
		return equal(n, 0), err
	},
	"in":       func(_ *state, a arguments) (any, error) { return contains(second(a), a.first()) },
	"contains": func(_ *state, a arguments) (any, error) { return contains(a.first(), second(a)) },
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

func isMapping(v any) bool {
	switch v.(type) {
	case map[string]any, dict:
		return true
	}
	return false
}

func same(_ *state, a arguments) (any, error) { return equal(a.first(), second(a)), nil }

// than makes a test of a comparison.
func than(o string) fn {
	return func(_ *state, a arguments) (any, error) { return compare(o, a.first(), second(a)) }
}
