package template

import "strings"

// onText makes a fn of a function on texts; other values are turned into texts first.
func onText(f func(string) string) fn {
	return func(c call) any {
		t := c.str(c.first())
		c.make(8 * len(t)) // capitals may be longer, and single characters are larger
		return f(t)
	}
}

// onTexts makes a fn of a function on a text and another one, each of which it looks at once.
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

// onNumber makes a fn of a function on numbers.
func onNumber(f func(float64) float64) fn {
	return func(c call) any { return f(c.float(c.first())) }
}

// onWholes makes a fn of a function on two whole numbers.
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

// operator makes a fn of an operator between the value and the argument.
func operator(o string) fn { return func(c call) any { return c.apply(o, c.first(), c.second()) } }

// swapped exchanges the value and the first argument.
func swapped(f fn) fn {
	return func(c call) any {
		c.args = []any{c.second(), c.first()}
		return f(c)
	}
}
