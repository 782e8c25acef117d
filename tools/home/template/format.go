package template

import (
	"fmt"
	"regexp"
	"strings"
)

// conversion is one of the % operator: %[flags][width][.precision]letter.
var conversion = regexp.MustCompile(`%([-+ 0#]*)([0-9]*)(\.[0-9]+)?([diouxXeEfFgGsr%])`)

// format is Python's % on a text.
func (s *state) format(t string, args []any) string {
	s.spend(perRead * int64(len(t)))
	var b strings.Builder
	for m := conversion.FindStringSubmatchIndex(t); m != nil; m = conversion.FindStringSubmatchIndex(t) {
		s.add(&b, t[:m[0]])
		flags, width, letter := t[m[2]:m[3]], t[m[4]:m[5]], t[m[8]]
		precision := ""
		if m[6] >= 0 {
			precision = t[m[6]:m[7]]
		}
		t = t[m[1]:]
		if letter == '%' {
			s.add(&b, "%")
			continue
		}
		if len(args) == 0 || len(flags) > 5 || len(width) > 2 || len(precision) > 3 {
			panic(failed("the arguments do not fit the format"))
		}
		s.add(&b, s.convert("%"+flags+width, precision, letter, args[0]))
		args = args[1:]
	}
	s.add(&b, t)
	return b.String()
}

// convert writes v by a conversion whose flags and width are head.
func (s *state) convert(head, precision string, letter byte, v any) string {
	s.spend(perLarge)
	switch letter {
	case 's', 'r':
		t := s.str(v)
		s.make(len(t))
		return fmt.Sprintf(head+precision+"s", t)
	case 'i', 'u':
		letter = 'd'
	}
	if strings.IndexByte("eEfFgG", letter) >= 0 {
		return fmt.Sprintf(head+precision+string(letter), s.float(v))
	}
	f, ok := num(v)
	if !ok {
		panic(failed("%s is no number", kindOf(v)))
	}
	return fmt.Sprintf(head+string(letter), int64(f))
}
