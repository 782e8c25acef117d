package template

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
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
		return fmt.Errorf("nested deeper than %d", maxDepth)
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
	case int:
		t = strconv.Itoa(v)
	case float64:
		t = floatText(v)
	case string:
		t = quote(v)
	case []any:
		return s.reprAll(b, "[", "]", len(v), func(i int) error { return s.repr(b, v[i], depth+1) })
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		return s.reprAll(b, "{", "}", len(keys), func(i int) error {
			return errors.Join(s.repr(b, keys[i], depth+1), s.put(b, ": "), s.repr(b, v[keys[i]], depth+1))
		})
	case dict:
		return s.reprAll(b, "{", "}", len(v.keys), func(i int) error {
			return errors.Join(s.repr(b, v.keys[i], depth+1), s.put(b, ": "), s.repr(b, item(v, v.keys[i]), depth+1))
		})
	default:
		return fmt.Errorf("%s cannot be written", kindOf(v))
	}
	return s.put(b, t)
}

func (s *state) reprAll(b *strings.Builder, before, after string, n int, each func(int) error) error {
	b.WriteString(before)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		if err := each(i); err != nil {
			return err
		}
	}
	return s.put(b, after)
}

func (s *state) put(b *strings.Builder, t string) error {
	if err := s.make(len(t)); err != nil {
		return err
	}
	b.WriteString(t)
	return nil
}

func quote(s string) string {
	q := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = `"`
	}
	return q + strings.NewReplacer(`\`, `\\`, q, `\`+q, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s) + q
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
