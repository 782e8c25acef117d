package template

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// conversion is one of the % operator: %[flags][width][.precision]letter.
type conversion struct {
	flags, width, precision string
	letter                  byte
}

// conversionAt reads the conversion at the beginning of t and tells its length; 0 if
// there is none.
func conversionAt(t string) (c conversion, n int) {
	n = 1
	take := func(set string) string {
		from := n
		for n < len(t) && strings.IndexByte(set, t[n]) >= 0 {
			n++
		}
		return t[from:n]
	}
	c.flags = take("-+ 0#")
	c.width = take("0123456789")
	if n < len(t) && t[n] == '.' {
		n++
		if c.precision = take("0123456789"); c.precision == "" {
			return c, 0
		}
	}
	if n == len(t) || !strings.ContainsRune("diouxXeEfFgGsr%", rune(t[n])) {
		return c, 0
	}
	c.letter = t[n]
	return c, n + 1
}

// format is Python's % on a text.
func (s *state) format(t string, args []any) (any, error) {
	if err := s.look(2 * len(t)); err != nil {
		return nil, err
	}
	var b strings.Builder
	for t != "" {
		i := strings.IndexByte(t, '%')
		if i < 0 {
			i = len(t)
		}
		if err := s.put(&b, t[:i]); err != nil {
			return nil, err
		}
		if t = t[i:]; t == "" {
			break
		}
		c, n := conversionAt(t)
		text := "%"
		switch {
		case n == 0:
			n = 1
		case c.letter == '%':
		case len(args) == 0 || len(c.flags) > 5 || len(c.width) > 2 || len(c.precision) > 2:
			return nil, errors.New("the arguments do not fit the format")
		default:
			var err error
			if text, err = s.convert(c, args[0]); err != nil {
				return nil, err
			}
			args = args[1:]
		}
		if err := s.put(&b, text); err != nil {
			return nil, err
		}
		t = t[n:]
	}
	return b.String(), nil
}

func (s *state) convert(c conversion, v any) (string, error) {
	if err := s.spend(perLarge); err != nil {
		return "", err
	}
	head, precision, letter := "%"+c.flags+c.width, "", string(c.letter)
	if c.precision != "" {
		precision = "." + c.precision
	}
	switch c.letter {
	case 's', 'r':
		t, err := s.str(v)
		if err == nil {
			err = s.make(int64(len(t)))
		}
		if err != nil {
			return "", err
		}
		return fmt.Sprintf(head+precision+"s", t), nil
	case 'd', 'i', 'u', 'x', 'X', 'o':
		f, ok := num(v)
		if !ok {
			return "", fmt.Errorf("%s is no number", kindOf(v))
		}
		if c.letter == 'i' || c.letter == 'u' {
			letter = "d"
		}
		return fmt.Sprintf(head+letter, int64(f)), nil
	}
	f, ok, err := s.toFloat(v)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fmt.Errorf("%s is no number", kindOf(v))
	}
	return fmt.Sprintf(head+precision+letter, f), nil
}

func fromBase64(s *state, a arguments) (any, error) {
	t := a.text(0, "", "")
	if err := s.make(2 * int64(len(t))); err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(t)
	if err != nil {
		return nil, fmt.Errorf("decode base64: %w", err)
	}
	return string(data), nil
}
