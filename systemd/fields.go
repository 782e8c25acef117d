package systemd

import (
	"context"
	"log/slog"
	"slices"
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

// Handler is a slog.Handler that writes each line with its fields, to a console or to the
// journal.
type Handler struct {
	to    sink
	level slog.Leveler
	// What With and WithGroup have said; fields are only added, in a new Handler.
	prefix string
	fields []field
}

type sink interface {
	write(r slog.Record, fields []field) error
}

// Enabled reports whether lines of level l are written.
func (h *Handler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level.Level() }

// Handle writes r with the fields of the handler and its own.
func (h *Handler) Handle(_ context.Context, r slog.Record) error {
	return h.to.write(r, h.of(r))
}

func (h *Handler) of(r slog.Record) []field {
	fields := slices.Grow(slices.Clip(h.fields), r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool {
		fields = flatten(fields, h.prefix, a)
		return true
	})
	return fields
}

// WithAttrs returns a handler whose lines carry attrs.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.fields = slices.Clip(h.fields)
	for _, a := range attrs {
		with.fields = flatten(with.fields, h.prefix, a)
	}
	return &with
}

// WithGroup returns a handler that puts name in front of later keys.
func (h *Handler) WithGroup(name string) slog.Handler {
	with := *h
	if name != "" {
		with.prefix += name + "."
	}
	return &with
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
