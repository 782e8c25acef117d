package template

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// str is Python's str().
func (s *state) str(v any) (string, error) {
	switch v := v.(type) {
	case undefined:
		return "", nil
	case string:
		return v, nil
	}
	var b strings.Builder
	if err := s.repr(&b, v, 0); err != nil {
		return "", err
	}
	return b.String(), nil
}

// repr is Python's repr().
func (s *state) repr(b *strings.Builder, v any, depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	if err := s.step(); err != nil {
		return err
	}
	var t string
	switch v := v.(type) {
	case nil:
		t = "None"
	case bool:
		t = map[bool]string{true: "True", false: "False"}[v]
	case int64:
		t = strconv.FormatInt(v, 10)
	case float64:
		if err := s.spend(perLarge / 4); err != nil {
			return err
		}
		t = floatText(v)
	case moment:
		t = v.Format(isoSpaced)
	case span:
		t = time.Duration(v).String()
	case string:
		if err := s.make(4 * int64(len(v))); err != nil {
			return err
		}
		t = quote(v)
	case []any:
		return s.reprAll(b, "[", "]", len(v), func(i int) error { return s.repr(b, v[i], depth+1) })
	case map[string]any, dict:
		keys, err := s.list(v)
		if err != nil {
			return err
		}
		return s.reprAll(b, "{", "}", len(keys), func(i int) error {
			x, err := s.item(v, keys[i])
			return errors.Join(err, s.repr(b, keys[i], depth+1), s.put(b, ": "), s.repr(b, x, depth+1))
		})
	default:
		return fmt.Errorf("%s cannot be written", kindOf(v))
	}
	return s.put(b, t)
}

func (s *state) reprAll(b *strings.Builder, before, after string, n int, each func(int) error) error {
	if err := s.put(b, before); err != nil {
		return err
	}
	for i := range n {
		if i > 0 {
			if err := s.put(b, ", "); err != nil {
				return err
			}
		}
		if err := each(i); err != nil {
			return err
		}
	}
	return s.put(b, after)
}

// put adds t to a text. Its growth copies what there is, so it counts twice.
func (s *state) put(b *strings.Builder, t string) error {
	if err := s.make(2*int64(len(t)) + 1); err != nil {
		return err
	}
	b.WriteString(t)
	return nil
}

// quote writes a text as Python does.
func quote(t string) string {
	q := byte('\'')
	if strings.Contains(t, "'") && !strings.Contains(t, `"`) {
		q = '"'
	}
	b := make([]byte, 0, len(t)+2)
	b = append(b, q)
	for i := range len(t) {
		switch c := t[i]; c {
		case '\\', q:
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, c)
		}
	}
	return string(append(b, q))
}

// floatText writes a number as Python does: 21.0, 0.1, 1e-05.
func floatText(f float64) string {
	switch a := math.Abs(f); {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "+Inf", "inf", 1)
	case a != 0 && (a < 1e-4 || a >= 1e16):
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	t := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(t, ".") {
		t += ".0"
	}
	return t
}
