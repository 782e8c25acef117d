package template

import (
	"strconv"
	"strings"
	"time"
)

// isoLocal is how Home Assistant writes a moment.
const isoLocal = "2006-01-02T15:04:05.999999-07:00"

// moment reads a time: seconds since 1970 or ISO 8601.
func moment(v any) (time.Time, bool) {
	if f, ok := toFloat(v); ok && f > -1e11 && f < 1e11 {
		return time.UnixMilli(int64(f * 1000)), true
	}
	t, _ := v.(string)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", "2006-01-02"} {
		if m, err := time.ParseInLocation(layout, t, time.Local); err == nil {
			return m, true
		}
	}
	return time.Time{}, false
}

func asTimestamp(_ *state, a arguments) (any, error) {
	m, ok := moment(a.first())
	if !ok {
		return noNumber(a)
	}
	return float64(m.UnixMilli()) / 1000, nil
}

// timestamp writes a moment; with an empty layout as ISO 8601.
func timestamp(layout string, local bool) fn {
	return func(s *state, a arguments) (any, error) {
		m, ok := moment(a.first())
		if !ok {
			return noNumber(a)
		}
		here, layout := local, layout
		if layout != "" {
			layout, here = a.text(1, "format_string", layout), a.flag(2, "local", local)
		}
		if !here {
			m = m.UTC()
		} else {
			m = m.Local()
		}
		if layout == "" {
			return m.Format(isoLocal), nil
		}
		out := strftime(layout, m)
		return out, s.make(len(out))
	}
}

// layouts are the letters of strftime.
var layouts = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'B': "January", 'b': "Jan",
	'A': "Monday", 'a': "Mon", 'I': "03", 'p': "PM", 'F': "2006-01-02", 'T': "15:04:05", 'z': "-0700", 'Z': "MST",
}

func strftime(layout string, m time.Time) string {
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b.WriteByte(layout[i])
			continue
		}
		i++
		switch l, ok := layouts[layout[i]]; {
		case ok:
			b.WriteString(m.Format(l))
		case layout[i] == 's':
			b.WriteString(strconv.FormatInt(m.Unix(), 10))
		default:
			b.WriteByte(layout[i])
		}
	}
	return b.String()
}
