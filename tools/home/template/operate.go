package template

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"strings"
)

// binary is a ⟨o⟩ b.
func (s *state) binary(o string, a, b any) (any, error) {
	switch o {
	case "==":
		return equal(a, b), nil
	case "!=":
		return !equal(a, b), nil
	case "<", ">", "<=", ">=":
		return compare(o, a, b)
	case "in":
		return contains(b, a)
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
	return arithmetic(o, a, b)
}

func (s *state) joined(x, y string) (any, error) {
	if err := s.make(len(x) + len(y)); err != nil {
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
		if n > maxMade {
			return nil, errTooMuch
		}
		if err := s.make(len(t) * n); err != nil {
			return nil, err
		}
		return strings.Repeat(t, n), nil
	}
	return nil, cannot(o, t, b)
}

func cannot(o string, a, b any) error {
	return fmt.Errorf("%s %s %s is not possible", kindOf(a), o, kindOf(b))
}

// arithmetic follows Python: / gives a float, // rounds down, % has the sign of
// the right side.
func arithmetic(o string, a, b any) (any, error) {
	if x, ok := a.([]any); ok {
		if y, ok := b.([]any); ok && o == "+" && len(x)+len(y) <= maxSteps {
			return append(append([]any{}, x...), y...), nil
		}
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
	if wholeA && wholeB && math.Abs(f) < 1<<53 && f == math.Trunc(f) {
		return int(f), nil
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

func equal(a, b any) bool {
	x, ok := num(a)
	y, ok2 := num(b)
	if ok && ok2 {
		return x == y
	}
	switch a := a.(type) {
	case string:
		t, ok := b.(string)
		return ok && a == t
	case []any:
		t, ok := b.([]any)
		return ok && reflect.DeepEqual(a, t)
	case map[string]any:
		t, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, t, func(x, y any) bool { return reflect.DeepEqual(x, y) })
	case dict:
		return false
	}
	if _, ok := b.(dict); ok {
		return false
	}
	return reflect.DeepEqual(a, b)
}

func compare(o string, a, b any) (any, error) {
	var c int
	x, ok := num(a)
	y, ok2 := num(b)
	t, ok3 := a.(string)
	u, ok4 := b.(string)
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

func contains(in, v any) (any, error) {
	switch in := in.(type) {
	case string:
		t, ok := v.(string)
		if !ok {
			return nil, cannot("in", v, in)
		}
		return strings.Contains(in, t), nil
	case []any:
		for _, x := range in {
			if equal(x, v) {
				return true, nil
			}
		}
		return false, nil
	case map[string]any:
		t, _ := v.(string)
		_, found := in[t]
		return found, nil
	case dict:
		k, err := hash(v)
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
