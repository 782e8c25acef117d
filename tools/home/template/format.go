package template

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// spec is one conversion of the % operator: flags, width, precision, letter.
var spec = regexp.MustCompile(`%([-+ 0#]*)(\d*)(?:\.(\d+))?([diouxXeEfFgGsr%])`)

// format is Python's % on a text.
func (s *state) format(t string, args []any) (any, error) {
	var failed error
	out := spec.ReplaceAllStringFunc(t, func(conv string) string {
		m := spec.FindStringSubmatch(conv)
		if m[4] == "%" {
			return "%"
		}
		if len(args) == 0 || len(m[2]) > 2 || len(m[3]) > 2 {
			failed = errors.New("the arguments do not fit the format")
			return ""
		}
		v := args[0]
		args = args[1:]
		text, err := s.convert("%"+m[1]+m[2], m[3], m[4], v)
		failed = errors.Join(failed, err)
		return text
	})
	if failed != nil {
		return nil, failed
	}
	return out, s.make(len(out))
}

func (s *state) convert(head, precision, letter string, v any) (string, error) {
	if precision != "" {
		precision = "." + precision
	}
	switch letter {
	case "s", "r":
		t, err := s.str(v)
		return fmt.Sprintf(head+precision+"s", t), err
	case "d", "i", "u", "x", "X", "o":
		f, ok := num(v)
		if !ok {
			return "", fmt.Errorf("%s is no number", kindOf(v))
		}
		if strings.Contains("iu", letter) {
			letter = "d"
		}
		return fmt.Sprintf(head+letter, int64(f)), nil
	}
	f, ok := toFloat(v)
	if !ok {
		return "", fmt.Errorf("%s is no number", kindOf(v))
	}
	return fmt.Sprintf(head+precision+letter, f), nil
}

func fromBase64(s *state, a arguments) (any, error) {
	data, err := base64.StdEncoding.DecodeString(a.text(0, "", ""))
	if err != nil {
		return nil, fmt.Errorf("decode base64: %w", err)
	}
	return string(data), s.make(len(data))
}
