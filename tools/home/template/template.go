package template

import (
	"errors"
	"fmt"
	"maps"
	"strings"
)

// Bounds of a template. The longest that Zigbee2MQTT, Tasmota or ESPHome publish
// has under 1 KB, and their longest message under 8 KB.
const (
	maxSource = 4 << 10  // bytes of a template
	maxDepth  = 40       // brackets, conditions and operators within each other; lists and dictionaries too
	maxOut    = 64 << 10 // bytes of what a template gives

	// MaxMessage is how many bytes a message may have that a template is given.
	MaxMessage = 64 << 10
)

// Template is a parsed template. It does not change and may be used by many
// goroutines.
type Template struct{ body []stmt }

// stmt is a parsed statement, and expr a parsed expression. The error of a statement is
// errBreak or errContinue; whatever fails panics with a failure.
type (
	stmt func(*state) error
	expr func(*state) any
)

// failure is the panic that ends a parsing or an evaluation, from however deep within.
// Parse and run make an error of it.
type failure struct{ error }

func failed(format string, args ...any) failure { return failure{fmt.Errorf(format, args...)} }

// Parse reads a template. Its errors say what is not understood.
func Parse(source string) (t *Template, err error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("parse template: %d bytes are more than %d", len(source), maxSource)
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			t, err = nil, fmt.Errorf("parse template: %w", p.error)
		default:
			panic(p)
		}
	}()
	p := parser{toks: lex(source)}
	body := p.statements()
	if len(p.toks) > 0 {
		panic(failed("unexpected {%% %s %%}", p.peekStatement()))
	}
	return &Template{body}, nil
}

// Message is what a device sent, read once for all templates that want something
// of it, by one goroutine.
type Message struct {
	text string
	json any
	is   bool // json holds what text is

	spent *int64
}

// Read takes a message in.
func Read(payload string) Message {
	m := Message{text: payload, spent: new(int64)}
	if len(payload) <= MaxMessage {
		m.json, m.is = decode(payload)
	}
	return m
}

// Text is the message as it came.
func (m Message) Text() string { return m.text }

// JSON is the message as decoded JSON, whole numbers as int64; ok is false if it is
// none. The caller must not change it.
func (m Message) JSON() (v any, ok bool) { return m.json, m.is }

// Spent is what the templates have spent of their budgets on the message, all together.
func (m Message) Spent() int64 { return *m.spent }

// Value gives what the template takes out of a message: value is the text, and
// value_json is the JSON if it is that. The error is ErrBudget or ErrPanic when the
// template should not be evaluated again.
func (t *Template) Value(m Message) (string, error) {
	if len(m.text) > MaxMessage {
		return "", fmt.Errorf("evaluate template: a message of %d bytes is more than %d", len(m.text), MaxMessage)
	}
	vars := map[string]any{"value": m.text}
	if m.is {
		vars["value_json"] = m.json
	}
	text, spent, err := t.run(vars)
	*m.spent += spent
	return text, err
}

// Command gives the message that the template makes of vars, whose values are
// strings, int, float64, bool or nil. The errors are those of Value.
func (t *Template) Command(vars map[string]any) (string, error) {
	vars = maps.Clone(vars)
	for k, v := range vars {
		if n, ok := v.(int); ok {
			vars[k] = int64(n)
		}
	}
	text, _, err := t.run(vars)
	return text, err
}

// state is one evaluation.
type state struct {
	vars  map[string]any
	known lookup
	out   strings.Builder
	left  int64  // of the budget
	in    string // the filter, test, function or method that is at work
}

// run evaluates the template and tells what that cost.
func (t *Template) run(vars map[string]any) (text string, spent int64, err error) {
	s := state{vars: vars, known: lookup{filters, tests}, left: Budget}
	defer func() {
		spent = Budget - s.left
		if p := recover(); p != nil {
			text, err = "", fmt.Errorf("evaluate template: %w", s.reason(p))
		}
	}()
	if err := s.all(t.body); err != nil {
		return "", 0, fmt.Errorf("evaluate template: %w", err)
	}
	return strings.TrimSpace(s.out.String()), 0, nil
}

// reason is why an evaluation panicked with p.
func (s *state) reason(p any) error {
	f, ok := p.(failure)
	switch {
	case !ok:
		return fmt.Errorf("%w: %v", ErrPanic, p)
	case s.in != "":
		return fmt.Errorf("%s: %w", s.in, f.error)
	}
	return f.error
}

// What leaves the body of a loop.
var (
	errContinue = errors.New("continue outside of a loop")
	errBreak    = errors.New("break outside of a loop")
)

func (s *state) all(body []stmt) error {
	for _, st := range body {
		s.step()
		if err := st(s); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) write(text string) {
	if s.out.Len()+len(text) > maxOut {
		s.spend(-1)
	}
	s.make(len(text))
	s.out.WriteString(text)
}
