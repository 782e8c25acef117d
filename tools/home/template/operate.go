package template

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// apply is a ⟨o⟩ b.
func (s *state) apply(o string, a, b any) any {
	switch o {
	case "==":
		return s.same(a, b, 0)
	case "!=":
		return !s.same(a, b, 0)
	case "<", ">", "<=", ">=":
		return s.compare(o, a, b)
	case "in":
		return s.contains(b, a)
	case "~":
		return s.joined(s.str(a), s.str(b))
	}
	if t, ok := a.(string); ok {
		return s.withText(o, t, b)
	}
	if t, ok := b.(string); ok && o == "*" {
		return s.withText(o, t, a)
	}
	return s.arithmetic(o, a, b)
}

func (s *state) joined(x, y string) string {
	s.make(len(x) + len(y))
	return x + y
}

// withText does what operators do with a text on their left.
func (s *state) withText(o, t string, b any) any {
	n, isWhole := integer(b)
	y, isText := b.(string)
	switch {
	case o == "%":
		args, ok := b.([]any)
		if !ok {
			args = []any{b}
		}
		return s.format(t, args)
	case o == "+" && isText:
		return s.joined(t, y)
	case o == "*" && isWhole:
		n = max(n, 0)
		s.repeat(n, len(t))
		return strings.Repeat(t, int(n))
	}
	panic(cannot(o, t, b))
}

func cannot(o string, a, b any) failure {
	return failed("%s %s %s is not possible", kindOf(a), o, kindOf(b))
}

// arithmetic follows Python: / gives a float, // rounds down, % has the sign of
// the right side.
func (s *state) arithmetic(o string, a, b any) any {
	list, isList := a.([]any)
	more, isList2 := b.([]any)
	if isList && isList2 && o == "+" {
		s.items(len(list) + len(more))
		return slices.Concat(list, more)
	}
	x, ok := num(a)
	y, ok2 := num(b)
	if !ok || !ok2 {
		return timely(o, a, b)
	}
	if y == 0 && (o == "/" || o == "//" || o == "%") {
		panic(failed("division by zero"))
	}
	var f float64
	switch o {
	case "+":
		f = x + y
	case "-":
		f = x - y
	case "*":
		f = x * y
	case "**":
		f = math.Pow(x, y)
	case "/":
		return x / y
	case "//":
		f = math.Round((x-modulo(x, y))/y) + 0 // no negative zero
	case "%":
		f = modulo(x, y)
	}
	_, wholeA := integer(a)
	_, wholeB := integer(b)
	if wholeA && wholeB {
		return simplest(f)
	}
	return f
}

// modulo has the sign of y.
func modulo(x, y float64) float64 {
	m := math.Mod(x, y)
	switch {
	case m == 0:
		return math.Copysign(0, y)
	case (m < 0) != (y < 0):
		return m + y
	}
	return m
}

// timely is a ⟨o⟩ b for moments and spans.
func timely(o string, a, b any) any {
	at, isMoment := a.(moment)
	since, isMoment2 := b.(moment)
	d, isSpan := a.(span)
	by, isSpan2 := b.(span)
	sign := map[string]span{"+": 1, "-": -1}[o]
	switch {
	case isMoment && isMoment2 && o == "-":
		return span(at.Sub(since.Time))
	case isMoment && isSpan2 && sign != 0:
		return moment{at.Add(time.Duration(sign * by))}
	case isSpan && isSpan2 && sign != 0:
		return d + sign*by
	case isSpan && isMoment2 && o == "+":
		return moment{since.Add(time.Duration(d))}
	}
	panic(cannot(o, a, b))
}

// same compares values, however deep they lie.
func (s *state) same(a, b any, depth int) bool {
	if depth > maxDepth {
		panic(failure{errDepth})
	}
	s.step()
	x, ok := num(a)
	y, ok2 := num(b)
	if ok && ok2 {
		return x == y
	}
	switch a := a.(type) {
	case string:
		t, ok := b.(string)
		if !ok || len(t) != len(a) {
			return false
		}
		s.look(len(a))
		return t == a
	case []any:
		t, ok := b.([]any)
		return ok && slices.EqualFunc(a, t, func(x, y any) bool { return s.same(x, y, depth+1) })
	case map[string]any, *dict:
		if !isMapping(b) || s.length(a) != s.length(b) {
			return false
		}
		differs := func(k any) bool { return !s.same(s.item(a, k), s.item(b, k), depth+1) }
		return !slices.ContainsFunc(s.list(a), differs)
	case moment:
		t, ok := b.(moment)
		return ok && a.Equal(t.Time)
	}
	return !isMapping(b) && !is[[]any](b) && a == b
}

// unordered is how what is not a number stands to others.
const unordered = 2

// order is how a stands to b: -1, 0, 1 or unordered. ok is false if they do not compare.
func (s *state) order(a, b any) (c int, ok bool) {
	x, ok := num(a)
	y, ok2 := num(b)
	switch {
	case ok && ok2 && (math.IsNaN(x) || math.IsNaN(y)):
		return unordered, true
	case ok && ok2:
		return cmp.Compare(x, y), true
	}
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		s.look(min(len(a), len(b)))
		return strings.Compare(a, b), ok
	case moment:
		b, ok := b.(moment)
		return a.Compare(b.Time), ok
	case span:
		b, ok := b.(span)
		return cmp.Compare(a, b), ok
	}
	return 0, false
}

func (s *state) compare(o string, a, b any) bool {
	c, ok := s.order(a, b)
	switch {
	case !ok:
		panic(cannot(o, a, b))
	case o == "<":
		return c == -1
	case o == ">":
		return c == 1
	case o == "<=":
		return c == -1 || c == 0
	}
	return c == 1 || c == 0
}

func (s *state) contains(in, v any) bool {
	switch in := in.(type) {
	case string:
		t, ok := v.(string)
		if !ok {
			panic(cannot("in", v, in))
		}
		s.look(len(in) + len(t))
		return strings.Contains(in, t)
	case []any:
		return slices.ContainsFunc(in, func(x any) bool { return s.same(x, v, 0) })
	case map[string]any, *dict:
		_, found := s.lookup(in, v)
		return found
	case undefined, nil:
		return false
	}
	panic(cannot("in", v, in))
}
