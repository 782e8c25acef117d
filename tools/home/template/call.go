package template

import "strings"

// fn is a filter, test, function or method.
type fn func(call) any

// call is what a fn is given. The value before the bar or the dot is its first argument.
type call struct {
	*state
	args  []any
	named map[string]any
}

// lookup is what a filter may name in its arguments.
type lookup struct{ filters, tests map[string]fn }

func (c *call) take(name string, v any) {
	if name == "" {
		c.args = append(c.args, v)
		return
	}
	if c.named == nil {
		c.named = map[string]any{}
	}
	c.named[name] = v
}

// get gives the argument at place i, or of that name.
func (c call) get(i int, name string) (any, bool) {
	if i < len(c.args) {
		return c.args[i], true
	}
	v, ok := c.named[name]
	return v, ok
}

// or gives the argument at place i or of that name, or otherwise.
func (c call) or(i int, name string, otherwise any) any {
	if v, ok := c.get(i, name); ok {
		return v
	}
	return otherwise
}

// rest are the arguments from place i on.
func (c call) rest(i int) []any { return c.args[min(i, len(c.args)):] }

// first is the value that a filter works on, and second what it is compared with.
func (c call) first() any  { return c.or(0, "", undefined{}) }
func (c call) second() any { return c.or(1, "value", nil) }

// text is the argument at place i, or otherwise.
func (c call) text(i int, name, otherwise string) string {
	if t, ok := c.or(i, name, nil).(string); ok {
		return t
	}
	return otherwise
}

// whole is the argument at place i, or otherwise.
func (c call) whole(i int, name string, otherwise int64) int64 {
	if n, ok := integer(c.or(i, name, nil)); ok {
		return n
	}
	return otherwise
}

// flag is the argument at place i, or otherwise.
func (c call) flag(i int, name string, otherwise bool) bool { return truth(c.or(i, name, otherwise)) }

// instead is the default that stands at place i, for a value that is not of that kind.
func (c call) instead(i int, kind string) any {
	v, ok := c.get(i, "default")
	if !ok {
		panic(failed("%s is no %s", kindOf(c.first()), kind))
	}
	return v
}

// onText makes a fn of one on texts; other values are made text first.
func onText(f func(string) string) fn {
	return func(c call) any {
		t := c.str(c.first())
		c.make(8 * len(t)) // capitals may be longer, and single characters are larger
		return f(t)
	}
}

// onTexts makes a fn of one on a text and another, which looks at each once.
func onTexts[T any](f func(t, part string) T) fn {
	return func(c call) any {
		t, part := c.text(0, "", ""), c.text(1, "", "")
		c.look(5 * (len(t) + len(part)))
		return f(t, part)
	}
}

// everyLetter makes a fn of a condition on all letters of a text.
func everyLetter(f func(rune) bool) fn {
	return onTexts(func(t, _ string) bool {
		return t != "" && strings.IndexFunc(t, func(r rune) bool { return !f(r) }) < 0
	})
}

// onNumber makes a fn of one on numbers.
func onNumber(f func(float64) float64) fn {
	return func(c call) any {
		n, ok := c.toFloat(c.first())
		if !ok {
			panic(failed("%s is no number", kindOf(c.first())))
		}
		return f(n)
	}
}

// onWholes makes a fn of one on two whole numbers.
func onWholes(f func(a, b int64) int64) fn {
	return func(c call) any {
		x, ok := integer(c.first())
		y, ok2 := integer(c.second())
		if !ok || !ok2 {
			panic(cannot("&", c.first(), c.second()))
		}
		return f(x, y)
	}
}

// whether makes a test of a condition on the value.
func whether(f func(any) bool) fn { return func(c call) any { return f(c.first()) } }

// is makes a test of the type of the value.
func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

// operator makes a fn of an operator between the value and the argument.
func operator(o string) fn { return func(c call) any { return c.apply(o, c.first(), c.second()) } }

// given the value and the first argument, swapped has them change places.
func swapped(f fn) fn {
	return func(c call) any {
		c.args = []any{c.second(), c.first()}
		return f(c)
	}
}
