package template

import (
	"math"
	"strconv"
	"strings"
)

// simplest gives whole numbers as int.
func simplest(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return f
}

// maxNumber bounds the text of a number, in bytes: 1e308 has 309 digits.
const maxNumber = 400

// toFloat reads a number or the text of one.
func (s *state) toFloat(v any) (float64, bool) {
	t, isText := v.(string)
	if !isText {
		return num(v)
	}
	s.look(len(t))
	if t = strings.TrimSpace(t); len(t) > maxNumber {
		return 0, false
	}
	s.spend(perRead * int64(len(t)))
	f, err := strconv.ParseFloat(t, 64)
	return f, err == nil
}

// float is toFloat of what must be a number.
func (s *state) float(v any) float64 {
	f, ok := s.toFloat(v)
	if !ok {
		panic(failed("%s is no number", kindOf(v)))
	}
	return f
}

// finite is toFloat without what is no number and what is infinite.
func (s *state) finite(v any) (float64, bool) {
	f, ok := s.toFloat(v)
	return f, ok && !math.IsNaN(f) && !math.IsInf(f, 0)
}

func isNumber(c call) any {
	_, ok := c.finite(c.first())
	return ok
}

// float is Home Assistant's: without a default, what is no number is an error.
func float(c call) any {
	if f, ok := c.toFloat(c.first()); ok {
		return f
	}
	return c.instead(1, "number")
}

var prefixes = map[int64]string{16: "0x", 8: "0o", 2: "0b"}

func toInt(c call) any {
	if t, ok := c.first().(string); ok {
		base := c.whole(2, "base", 10)
		if base < 2 || base > 36 {
			panic(failed("a base from 2 to 36 is needed"))
		}
		c.look(2 * len(t))
		if t = strings.TrimSpace(t); len(t) <= maxNumber {
			t = strings.TrimPrefix(strings.ToLower(t), prefixes[base])
			if n, err := strconv.ParseInt(t, int(base), 64); err == nil {
				return n
			}
		}
	}
	if f, ok := c.toFloat(c.first()); ok && math.Abs(f) < 1<<62 {
		return int64(f)
	}
	return c.instead(1, "number")
}

func boolean(c call) any {
	switch v := c.first().(type) {
	case bool:
		return v
	case int64, float64:
		return truth(v)
	case string:
		c.make(2 * len(v))
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "1", "true", "yes", "on", "enable":
			return true
		case "0", "false", "no", "off", "disable":
			return false
		}
	}
	return c.instead(1, "truth value")
}

// round is Home Assistant's: to no digits gives a whole number, halves go to the
// even side.
func round(c call) any {
	f, ok := c.finite(c.first())
	c.spend(2 * perLarge)
	if !ok {
		return c.instead(3, "number")
	}
	n := min(max(c.whole(1, "precision", 0), -12), 12)
	scale := math.Pow(10, float64(n))
	switch method := c.text(2, "method", "common"); {
	case method == "ceil":
		f = math.Ceil(f*scale) / scale
	case method == "floor":
		f = math.Floor(f*scale) / scale
	case method == "half":
		f = math.RoundToEven(f*2) / 2
	case n > 0:
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(n), 64), 64) // its own text
	default:
		f = math.RoundToEven(f*scale) / scale
	}
	if n == 0 {
		return simplest(f)
	}
	return f
}

func absolute(c call) any {
	if n, ok := integer(c.first()); ok {
		return max(n, -n)
	}
	return onNumber(math.Abs)(c)
}

// pair makes a filter of an operator between two numbers.
func pair(o string) fn {
	return func(c call) any {
		x, ok := c.toFloat(c.first())
		y, ok2 := c.toFloat(c.second())
		if !ok || !ok2 {
			panic(cannot(o, c.first(), c.second()))
		}
		return c.arithmetic(o, simplest(x), simplest(y))
	}
}

// numbers is range(to), or range(from, to, step).
func numbers(c call) any {
	from, to, step := int64(0), c.whole(0, "", 0), c.whole(2, "", 1)
	if len(c.args) > 1 {
		from, to = to, c.whole(1, "", 0)
	}
	if step == 0 {
		panic(failed("a step of 0 leads nowhere"))
	}
	var out []any
	for i := from; step > 0 && i < to || step < 0 && i > to; {
		c.items(1)
		out = append(out, i)
		next := i + step
		if (next > i) != (step > 0) { // it overflowed
			break
		}
		i = next
	}
	return out
}

func iif(c call) any {
	v := c.first()
	without := c.or(2, "if_false", false)
	switch {
	case truth(v):
		return c.or(1, "if_true", true)
	case v == nil:
		return c.or(3, "if_none", without)
	}
	return without
}

func otherwise(c call) any {
	v := c.first()
	if !is[undefined](v) && (!c.flag(2, "boolean", false) || truth(v)) {
		return v
	}
	return c.or(1, "default_value", "")
}

// isDefined has a message passed over whose field is missing.
func isDefined(c call) any {
	if is[undefined](c.first()) {
		panic(failed("the value is not defined"))
	}
	return c.first()
}
