package lang

import "reflect"

// Expand replaces words by what they stand for.
func (s *Speech) Expand(ws []string) (out []string) {
	for _, w := range ws {
		out = append(out, Texts(s.Apart(w))...)
	}
	return out
}

// Ready prepares the lists and tables in to for look-ups.
func (s *Speech) Ready(to any) {
	v := reflect.ValueOf(to).Elem()
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch field := v.Field(i); part := field.Addr().Interface().(type) {
		case interface {
			ready(expand func([]string) []string)
		}:
			part.ready(s.Expand)
		default:
			if field.Kind() == reflect.Struct {
				s.Ready(part)
			}
		}
	}
}
