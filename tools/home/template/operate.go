package template

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// binary is a ⟨o⟩ b.
func (s *state) binary(o string, a, b any) (any, error) {
	switch o {
	case "==":
		return s.equal(a, b)
	case "!=":
		same, err := s.equal(a, b)
		return !same, err
	case "<", ">", "<=", ">=":
		return s.compare(o, a, b)
	case "in":
		return s.contains(b, a)
	case "~":
		x, err := s.str(a)
		if err != nil {
			return nil, err
		}
		y, err := s.str(b)
		if err != nil {
			return nil, err
		}
		return s.joined(x, y)
	}
	if t, ok := a.(string); ok {
		return s.withText(o, t, b)
	}
	if t, ok := b.(string); ok && o == "*" {
		return s.withText(o, t, a)
	}
	return s.arithmetic(o, a, b)
}

func (s *state) joined(x, y string) (any, error) {
	if err := s.make(int64(len(x)) + int64(len(y))); err != nil {
		return nil, err
	}
	return x + y, nil
}

// withText does what operators do with a text on their left.
func (s *state) withText(o, t string, b any) (any, error) {
	switch n, isWhole := integer(b); {
	case o == "%":
		args, ok := b.([]any)
		if !ok {
			args = []any{b}
		}
		return s.format(t, args)
	case o == "+":
		if y, ok := b.(string); ok {
			return s.joined(t, y)
		}
	case o == "*" && isWhole:
		n = max(n, 0)
		if n > Budget || s.make(n*int64(len(t))) != nil {
			return nil, s.spend(-1)
		}
		return strings.Repeat(t, int(n)), nil
	}
	return nil, cannot(o, t, b)
}

func cannot(o string, a, b any) error {
	return fmt.Errorf("%s %s %s is not possible", kindOf(a), o, kindOf(b))
}

// arithmetic follows Python: / gives a float, // rounds down, % has the sign of
// the right side.
func (s *state) arithmetic(o string, a, b any) (any, error) {
	if x, ok := a.([]any); ok {
		if y, ok := b.([]any); ok && o == "+" {
			if err := s.items(len(x) + len(y)); err != nil {
				return nil, err
			}
			return append(append([]any{}, x...), y...), nil
		}
	}
	if v, ok := timely(o, a, b); ok {
		return v, nil
	}
	x, ok := num(a)
	y, ok2 := num(b)
	if !ok || !ok2 {
		return nil, cannot(o, a, b)
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
	default:
		if y == 0 {
			return nil, fmt.Errorf("division by zero")
		}
		switch o {
		case "/":
			return x / y, nil
		case "//":
			f = math.Round((x-modulo(x, y))/y) + 0 // no negative zero
		case "%":
			f = modulo(x, y)
		}
	}
	_, wholeA := integer(a)
	_, wholeB := integer(b)
	if wholeA && wholeB {
		return simplest(f), nil
	}
	return f, nil
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

func (s *state) equal(a, b any) (bool, error) { return s.same(a, b, 0) }

// same compares values, however deep they lie.
func (s *state) same(a, b any, depth int) (bool, error) {
	if depth > maxDepth {
		return false, errDepth
	}
	if err := s.step(); err != nil {
		return false, err
	}
	x, ok := num(a)
	y, ok2 := num(b)
	if ok && ok2 {
		return x == y, nil
	}
	switch a := a.(type) {
	case string:
		t, ok := b.(string)
		if !ok || len(t) != len(a) {
			return false, nil
		}
		err := s.look(len(a))
		return err == nil && t == a, err
	case []any:
		return s.sameElements(a, b, depth)
	case map[string]any, dict:
		return s.sameEntries(a, b, depth)
	case moment:
		t, ok := b.(moment)
		return ok && a.Equal(t.Time), nil
	}
	if isMapping(b) {
		return false, nil
	}
	if _, ok := b.([]any); ok {
		return false, nil
	}
	return a == b, nil
}

func (s *state) sameElements(a []any, b any, depth int) (bool, error) {
	t, ok := b.([]any)
	if !ok || len(t) != len(a) {
		return false, nil
	}
	for i := range a {
		if ok, err := s.same(a[i], t[i], depth+1); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// sameEntries compares dictionaries, whatever they are made of.
func (s *state) sameEntries(a, b any, depth int) (bool, error) {
	n, err := s.length(a)
	if err != nil || !isMapping(b) {
		return false, err
	}
	if m, err := s.length(b); err != nil || n != m {
		return false, err
	}
	keys, err := s.list(a)
	if err != nil {
		return false, err
	}
	for _, k := range keys {
		x, err := s.item(a, k)
		if err != nil {
			return false, err
		}
		y, err := s.item(b, k)
		if err != nil {
			return false, err
		}
		if ok, err := s.same(x, y, depth+1); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (s *state) compare(o string, a, b any) (any, error) {
	var c int
	x, ok := num(a)
	y, ok2 := num(b)
	t, ok3 := a.(string)
	u, ok4 := b.(string)
	if f, g, both := spans(a, b); both {
		x, y, ok, ok2 = f, g, true, true
	}
	switch {
	case ok && ok2 && x < y:
		c = -1
	case ok && ok2 && x > y:
		c = 1
	case ok && ok2:
		if x != y {
			return false, nil // not a number
		}
	case ok3 && ok4:
		if err := s.look(min(len(t), len(u))); err != nil {
			return nil, err
		}
		c = strings.Compare(t, u)
	default:
		return nil, cannot(o, a, b)
	}
	switch o {
	case "<":
		return c < 0, nil
	case ">":
		return c > 0, nil
	case "<=":
		return c <= 0, nil
	}
	return c >= 0, nil
}

func (s *state) contains(in, v any) (any, error) {
	switch in := in.(type) {
	case string:
		t, ok := v.(string)
		if !ok {
			return nil, cannot("in", v, in)
		}
		if err := s.look(len(in) + len(t)); err != nil {
			return nil, err
		}
		return strings.Contains(in, t), nil
	case []any:
		for _, x := range in {
			if found, err := s.equal(x, v); found || err != nil {
				return found, err
			}
		}
		return false, nil
	case map[string]any:
		t, isText := v.(string)
		if err := s.look(len(t)); err != nil {
			return nil, err
		}
		_, found := in[t]
		return found && isText, nil
	case dict:
		k, err := s.hash(v)
		if err != nil {
			return nil, err
		}
		_, found := in.values[k]
		return found, nil
	case undefined, nil:
		return false, nil
	}
	return nil, cannot("in", v, in)
}

func pair(o string) fn {
	return func(s *state, a arguments) (any, error) {
		x, ok, err := s.toFloat(a.first())
		y, ok2, err2 := s.toFloat(second(a))
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		if !ok || !ok2 {
			return nil, cannot(o, a.first(), second(a))
		}
		return s.arithmetic(o, simplest(x), simplest(y))
	}
}
