package systemd

import (
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hearthd/config/letters"
)

// cutMark stands where a value was cut.
const cutMark = "…"

// field is one attribute of a log line. Groups stand in front of its key, each
// with a dot.
type field struct {
	key, value string
}

// scope is what With and WithGroup have said before a line is logged. It is
// never changed, only extended into a new one.
type scope struct {
	prefix string
	fields []field
}

func (s scope) withAttrs(attrs []slog.Attr) scope {
	fields := s.fields[:len(s.fields):len(s.fields)]
	for _, a := range attrs {
		fields = flatten(fields, s.prefix, a)
	}
	return scope{prefix: s.prefix, fields: fields}
}

func (s scope) withGroup(name string) scope {
	if name == "" {
		return s
	}
	return scope{prefix: s.prefix + name + ".", fields: s.fields}
}

// of is the scope's fields and those of r.
func (s scope) of(r slog.Record) []field {
	fields := make([]field, len(s.fields), len(s.fields)+r.NumAttrs())
	copy(fields, s.fields)
	r.Attrs(func(a slog.Attr) bool {
		fields = flatten(fields, s.prefix, a)
		return true
	})
	return fields
}

func flatten(fields []field, prefix string, a slog.Attr) []field {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, member := range v.Group() {
			fields = flatten(fields, prefix, member)
		}
		return fields
	}
	if a.Equal(slog.Attr{}) {
		return fields
	}
	text := v.String()
	if v.Kind() == slog.KindTime {
		text = v.Time().Format(time.RFC3339Nano)
	}
	return append(fields, field{key: prefix + a.Key, value: text})
}

// shown is the longest attribute value in the text of a line, in bytes. The
// journal keeps the whole value in its field.
const shown = 200

// appendText writes a line as a person reads it: the message, then key=value
// for each field. It holds no line break and no other control character,
// whatever a peer may have put into a value.
func appendText(b []byte, message string, fields []field) []byte {
	b = appendToken(b, message, false)
	for _, f := range fields {
		if f.key == "message_id" {
			continue
		}
		b = append(b, ' ')
		b = appendToken(b, f.key, true)
		b = append(b, '=')
		b = appendToken(b, letters.Marked(f.value, shown, cutMark), true)
	}
	return b
}

// appendToken writes s as it is where that can be read back, else quoted. Inside
// a token a space or an equals sign needs quotes too.
func appendToken(b []byte, s string, token bool) []byte {
	plain := utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsPrint(r) || token && (r == ' ' || r == '=' || r == '"')
	})
	if plain && (s != "" || !token) {
		return append(b, s...)
	}
	return strconv.AppendQuote(b, s)
}
