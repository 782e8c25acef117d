package calendar

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/emersion/go-ical"
)

const (
	maxLine      = 64 << 10  // bytes of one line, folded or not
	maxComponent = 512 << 10 // bytes of one component, as with a picture in it
	maxDepth     = 4         // of nested components; an alarm in an event is 2
)

// Why a component is skipped.
var (
	errLine  = fmt.Errorf("a line is longer than %d KB", maxLine>>10)
	errLarge = fmt.Errorf("it is larger than %d KB", maxComponent>>10)
	errDepth = fmt.Errorf("its parts are nested deeper than %d", maxDepth)
	errOpen  = errors.New("it does not end")
	errText  = errors.New("a line has neither a name nor a value")
)

// component is what is between BEGIN and END in a calendar, with its position in the
// stream.
type component struct {
	*ical.Component
	start, end int64
	err        error // why it cannot be used; its properties are then incomplete
}

// text is the value of a property without escapes, or "" if it is absent.
func text(c *ical.Component, name string) string {
	p := c.Props.Get(name)
	if p == nil {
		return ""
	}
	if t, err := p.Text(); err == nil {
		return t
	}
	return strings.NewReplacer(`\n`, " ", `\N`, " ", `\`, "").Replace(p.Value)
}

// reader cuts an iCalendar stream (RFC 5545) into components, one at a time. It replaces the
// decoder of go-ical, which has no bounds, takes quadratic time for a parameter, and gives up
// at the first mistake.
type reader struct {
	br     *bufio.Reader
	at     int64 // of the next line
	inside bool  // a calendar has begun
	last   int64 // position of the last END:VCALENDAR; -1: there was none
	held   *line // was read too early, and is the next one
}

func newReader(r io.Reader) *reader {
	return &reader{br: bufio.NewReaderSize(r, maxLine), last: -1}
}

// line is one content line, unfolded.
type line struct {
	text  string
	start int64
	long  bool
}

// is reports whether the line reads name:value, in any case.
func (l *line) is(name, value string) bool {
	n, v, ok := strings.Cut(l.text, ":")
	return ok && strings.EqualFold(n, name) && (value == "" || strings.EqualFold(strings.TrimSpace(v), value))
}

// next returns the next component of a calendar, and io.EOF after the last.
func (r *reader) next() (*component, error) {
	for {
		l, err := r.line()
		if err != nil {
			return nil, err
		}
		switch {
		case l.is("BEGIN", ical.CompCalendar):
			r.inside = true
		case l.is("END", ical.CompCalendar):
			r.last = l.start
		case l.is("BEGIN", "") && r.inside:
			return r.component(l)
		}
	}
}

// component reads the component that first begins, up to its END.
func (r *reader) component(first *line) (*component, error) {
	c := &component{Component: begun(first), start: first.start}
	stack := []*ical.Component{c.Component}
	for {
		l, err := r.line()
		c.end = r.at
		if errors.Is(err, io.EOF) {
			c.err = errOpen
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		if l.is("BEGIN", c.Name) || l.is("END", ical.CompCalendar) {
			c.err, c.end, r.held = errOpen, l.start, l
			return c, nil
		}
		if c.err == nil && l.long {
			c.err = errLine
		}
		if c.err == nil && r.at-c.start > maxComponent {
			c.err = errLarge
		}
		inner := stack[len(stack)-1]
		switch {
		case l.is("END", c.Name):
			return c, nil
		case c.err != nil: // skip the rest of it
		case l.is("BEGIN", ""):
			if len(stack) == maxDepth {
				c.err = errDepth
				continue
			}
			child := begun(l)
			inner.Children = append(inner.Children, child)
			stack = append(stack, child)
		case l.is("END", inner.Name):
			stack = stack[:len(stack)-1]
		case strings.TrimSpace(l.text) == "":
		default:
			p, ok := property(l.text)
			if !ok {
				c.err = errText
				continue
			}
			inner.Props[p.Name] = append(inner.Props[p.Name], p)
		}
	}
}

func begun(l *line) *ical.Component {
	_, name, _ := strings.Cut(l.text, ":")
	return ical.NewComponent(strings.TrimSpace(name))
}

// line reads a line together with its continuation lines. What exceeds maxLine is dropped.
func (r *reader) line() (*line, error) {
	if l := r.held; l != nil {
		r.held = nil
		return l, nil
	}
	l := &line{start: r.at}
	var text []byte
	for {
		part, err := r.br.ReadSlice('\n')
		r.at += int64(len(part))
		whole := err == nil || errors.Is(err, io.EOF)
		if len(text)+len(part) > maxLine || !whole {
			l.long = true
		} else {
			text = append(text, bytes.TrimRight(part, "\r\n")...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && r.at > l.start:
		case err != nil:
			return nil, err
		}
		if ahead, err := r.br.Peek(1); err != nil || ahead[0] != ' ' && ahead[0] != '\t' {
			l.text = strings.ToValidUTF8(strings.TrimPrefix(string(text), "\uFEFF"), "\uFFFD")
			return l, nil
		}
		if _, err := r.br.Discard(1); err != nil {
			return nil, err
		}
		r.at++
	}
}

// property reads NAME;PARAMETER=VALUE,"VALUE":TEXT.
func property(s string) (ical.Prop, bool) {
	i := strings.IndexAny(s, ";:")
	if i <= 0 {
		return ical.Prop{}, false
	}
	p := ical.Prop{Name: strings.ToUpper(s[:i]), Params: ical.Params{}}
	for s = s[i:]; s[0] == ';'; {
		name, rest, ok := strings.Cut(s[1:], "=")
		if !ok || name == "" {
			return p, false
		}
		for {
			var value string
			if value, rest, ok = parameter(rest); !ok {
				return p, false
			}
			p.Params.Add(name, value)
			if rest[0] != ',' {
				break
			}
			rest = rest[1:]
		}
		s = rest
	}
	p.Value = s[1:]
	return p, true
}

// parameter reads a value, with or without quotes, up to the character that ends it.
func parameter(s string) (value, rest string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		value, rest, ok = strings.Cut(s[1:], `"`)
		return value, rest, ok && rest != "" && strings.ContainsRune(",;:", rune(rest[0]))
	}
	i := strings.IndexAny(s, ",;:")
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i:], true
}
