package template

import (
	"fmt"
	"maps"
	"strings"
)

// Bounds of a template. The longest that Zigbee2MQTT, Tasmota or ESPHome publish
// has under 1 KB, and their longest message under 8 KB.
const (
	maxSource = 4 << 10 // bytes of a template

	// MaxMessage is how many bytes a message may have that a template is given.
	MaxMessage = 64 << 10
)

// Template is a parsed template. It does not change and may be used by many
// goroutines.
type Template struct{ body []stmt }

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

// run evaluates the template and says what that cost.
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
