package template

import (
	"errors"
	"fmt"
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
func (s *state) toFloat(v any) (f float64, ok bool, err error) {
	t, isText := v.(string)
	if !isText {
		f, ok = num(v)
		return f, ok, nil
	}
	if err := s.look(len(t)); err != nil {
		return 0, false, err
	}
	if t = strings.TrimSpace(t); len(t) > maxNumber {
		return 0, false, nil
	}
	if err := s.spend(perRead * int64(len(t))); err != nil {
		return 0, false, err
	}
	f, wrong := strconv.ParseFloat(t, 64)
	return f, wrong == nil, nil
}

func isNumber(s *state, a arguments) (any, error) {
	f, ok, err := s.toFloat(a.first())
	return ok && !math.IsNaN(f) && !math.IsInf(f, 0), err
}

// float is Home Assistant's: without a default, what is no number is an error.
func float(s *state, a arguments) (any, error) {
	if f, ok, err := s.toFloat(a.first()); ok || err != nil {
		return f, err
	}
	return noNumber(a)
}

func noNumber(a arguments) (any, error) {
	if v, ok := a.get(1, "default"); ok {
		return v, nil
	}
	return nil, fmt.Errorf("%s is no number", kindOf(a.first()))
}

func toInt(s *state, a arguments) (any, error) {
	if t, ok := a.first().(string); ok {
		base := a.whole(2, "base", 10)
		if base < 2 || base > 36 {
			return nil, errors.New("a base from 2 to 36 is needed")
		}
		if err := s.look(2 * len(t)); err != nil {
			return nil, err
		}
		if t = strings.TrimSpace(t); len(t) <= maxNumber {
			if prefix := map[int64]string{16: "0x", 8: "0o", 2: "0b"}[base]; prefix != "" {
				t = strings.TrimPrefix(strings.ToLower(t), prefix)
			}
			if n, err := strconv.ParseInt(t, int(base), 64); err == nil {
				return n, nil
			}
		}
	}
	f, ok, err := s.toFloat(a.first())
	if err != nil {
		return nil, err
	}
	if ok && math.Abs(f) < 1<<62 {
		return int64(f), nil
	}
	return noNumber(a)
}

func boolean(s *state, a arguments) (any, error) {
	switch v := a.first().(type) {
	case bool:
		return v, nil
	case int64, float64:
		return truth(v), nil
	case string:
		if err := s.make(2 * int64(len(v))); err != nil {
			return nil, err
		}
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "1", "true", "yes", "on", "enable":
			return true, nil
		case "0", "false", "no", "off", "disable":
			return false, nil
		}
	}
	return noNumber(a)
}

// round is Home Assistant's: to no digits gives a whole number, halves go to the
// even side.
func round(s *state, a arguments) (any, error) {
	f, ok, err := s.toFloat(a.first())
	if err = errors.Join(err, s.spend(2*perLarge)); err != nil {
		return nil, err
	}
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return noRound(a)
	}
	n := min(max(a.whole(1, "precision", 0), -12), 12)
	scale := math.Pow(10, float64(n))
	switch a.text(2, "method", "common") {
	case "ceil":
		f = math.Ceil(f*scale) / scale
	case "floor":
		f = math.Floor(f*scale) / scale
	case "half":
		f = math.RoundToEven(f*2) / 2
	default:
		if n > 0 {
			f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(n), 64), 64) // its own text
		} else {
			f = math.RoundToEven(f*scale) / scale
		}
	}
	if n == 0 {
		return simplest(f), nil
	}
	return f, nil
}

func noRound(a arguments) (any, error) {
	if v, ok := a.get(3, "default"); ok {
		return v, nil
	}
	return nil, fmt.Errorf("%s is no number", kindOf(a.first()))
}

func absolute(s *state, a arguments) (any, error) {
	if n, ok := integer(a.first()); ok {
		return max(n, -n), nil
	}
	return onNumber(func(f float64) any { return math.Abs(f) })(s, a)
}

func bitwise(f func(a, b int64) int64) fn {
	return func(_ *state, a arguments) (any, error) {
		x, ok := integer(a.first())
		y, ok2 := integer(second(a))
		if !ok || !ok2 {
			return nil, cannot("&", a.first(), second(a))
		}
		return f(x, y), nil
	}
}
