package systemd

import (
	"io"
	"log/slog"
	"strconv"
	"sync"
)

// console writes one line of text for each record: for a person, time, level, message and
// attributes; for a log daemon behind a pipe, <priority> as in sd-daemon(3), message and attributes.
type console struct {
	mu     sync.Mutex // one line is one write
	w      io.Writer
	prefix bool
}

// newConsoleHandler returns a handler that writes to w, with <N> prefixes
// instead of time and level if prefix is set.
func newConsoleHandler(w io.Writer, level slog.Leveler, prefix bool) *Handler {
	return &Handler{to: &console{w: w, prefix: prefix}, level: level}
}

func (c *console) write(r slog.Record, fields []field) error {
	b := make([]byte, 0, 256)
	switch {
	case c.prefix:
		b = append(b, '<')
		b = strconv.AppendInt(b, int64(priority(r.Level)), 10)
		b = append(b, '>')
	default:
		if !r.Time.IsZero() {
			b = r.Time.AppendFormat(b, "15:04:05.000 ")
		}
		b = append(b, r.Level.String()...)
		b = append(b, ' ')
	}
	b = appendText(b, r.Message, fields)
	b = append(b, '\n')
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.w.Write(b)
	return err
}
