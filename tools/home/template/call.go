package template

import (
	"errors"
	"fmt"
)

// namedValue is an argument that was given by name, until call has sorted it.
type namedValue struct {
	name string
	v    any
}

func nameArgument(n string, e expr) expr {
	return func(s *state) (any, error) {
		v, err := e(s)
		return namedValue{n, v}, err
	}
}

func call(f fn, exprs []expr, what string) expr {
	return func(s *state) (any, error) {
		if err := s.step(); err != nil {
			return nil, err
		}
		var a arguments
		for _, e := range exprs {
			v, err := e(s)
			if err != nil {
				return nil, err
			}
			if n, ok := v.(namedValue); ok {
				if a.named == nil {
					a.named = map[string]any{}
				}
				a.named[n.name] = n.v
				continue
			}
			a.list = append(a.list, v)
		}
		if err := s.items(len(exprs)); err != nil {
			return nil, err
		}
		v, err := f(s, a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		return v, nil
	}
}

// get gives the argument at place i, or of that name.
func (a arguments) get(i int, name string) (any, bool) {
	if i < len(a.list) {
		return a.list[i], true
	}
	v, ok := a.named[name]
	return v, ok
}

// rest are the arguments from place i on.
func (a arguments) rest(i int) []any { return a.list[min(i, len(a.list)):] }

// first is the value that a filter works on.
func (a arguments) first() any {
	if len(a.list) == 0 {
		return undefined{}
	}
	return a.list[0]
}

// text is the argument at place i, or otherwise.
func (a arguments) text(i int, name, otherwise string) string {
	if v, ok := a.get(i, name); ok {
		if t, ok := v.(string); ok {
			return t
		}
	}
	return otherwise
}

// whole is the argument at place i, or otherwise.
func (a arguments) whole(i int, name string, otherwise int64) int64 {
	if v, ok := a.get(i, name); ok {
		if n, ok := integer(v); ok {
			return n
		}
	}
	return otherwise
}

// flag is the argument at place i, or otherwise.
func (a arguments) flag(i int, name string, otherwise bool) bool {
	if v, ok := a.get(i, name); ok {
		return truth(v)
	}
	return otherwise
}

// onText makes a function of one on texts; other values are made text first.
func onText(f func(string) string) fn {
	return func(s *state, a arguments) (any, error) {
		t, err := s.str(a.first())
		if err != nil {
			return nil, err
		}
		if err := s.make(8 * int64(len(t))); err != nil { // capitals may be longer, and single characters are larger
			return nil, err
		}
		return f(t), nil
	}
}

// onNumber makes a function of one on numbers.
func onNumber(f func(float64) any) fn {
	return func(s *state, a arguments) (any, error) {
		n, ok, err := s.toFloat(a.first())
		if err == nil && !ok {
			err = fmt.Errorf("%s is no number", kindOf(a.first()))
		}
		if err != nil {
			return nil, err
		}
		return f(n), nil
	}
}

// whether makes a test of a condition on the value.
func whether(f func(any) bool) fn {
	return func(_ *state, a arguments) (any, error) { return f(a.first()), nil }
}

func second(a arguments) any {
	v, _ := a.get(1, "value")
	return v
}

// errUndefined is why a message is passed over whose field is missing.
var errUndefined = errors.New("the value is not defined")

func iif(_ *state, a arguments) (any, error) {
	if a.first() == nil {
		if v, ok := a.get(3, "if_none"); ok {
			return v, nil
		}
	}
	if truth(a.first()) {
		if v, ok := a.get(1, "if_true"); ok {
			return v, nil
		}
		return true, nil
	}
	if v, ok := a.get(2, "if_false"); ok {
		return v, nil
	}
	return false, nil
}
