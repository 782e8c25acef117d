package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
)

// Bounds of a template. The longest that Zigbee2MQTT, Tasmota or ESPHome publish
// has under 1 KB, and their longest message under 8 KB.
const (
	maxSource  = 4 << 10   // bytes of a template
	maxPayload = 64 << 10  // bytes of the message that it is given
	maxDepth   = 40        // brackets, conditions and operators within each other
	maxSteps   = 10_000    // operations of one evaluation
	maxMade    = 256 << 10 // bytes of text that one evaluation may make, output included
)

// Template is a parsed template. It does not change and may be used by many
// goroutines.
type Template struct{ body []stmt }

// Parse reads a template. Its errors say what is not understood.
func Parse(source string) (*Template, error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("parse template: %d bytes are more than %d", len(source), maxSource)
	}
	toks, err := lex(source)
	if err != nil {
		return nil, fmt.Errorf("parse template: %w", err)
	}
	p := parser{toks: toks}
	body, err := p.statements()
	if err == nil && p.i < len(toks) {
		err = fmt.Errorf("unexpected {%% %s %%}", p.peekStatement())
	}
	if err != nil {
		return nil, fmt.Errorf("parse template: %w", err)
	}
	return &Template{body}, nil
}

// Message is what a device sent, read once for all templates that want something
// of it.
type Message struct {
	text string
	json any
	is   bool // json holds what text is
}

// Read takes a message in.
func Read(payload string) Message {
	m := Message{text: payload}
	if len(payload) <= maxPayload {
		m.json, m.is = decode(payload)
	}
	return m
}

// Text is the message as it came.
func (m Message) Text() string { return m.text }

// JSON is the message as decoded JSON, whole numbers as int; ok is false if it is
// none. The caller must not change it.
func (m Message) JSON() (v any, ok bool) { return m.json, m.is }

// Value gives what the template takes out of a message: value is the text, and
// value_json is the JSON if it is that.
func (t *Template) Value(m Message) (string, error) {
	if len(m.text) > maxPayload {
		return "", fmt.Errorf("evaluate template: a message of %d bytes is more than %d", len(m.text), maxPayload)
	}
	vars := map[string]any{"value": m.text}
	if m.is {
		vars["value_json"] = m.json
	}
	return t.run(vars)
}

// Command gives the message that the template makes of vars, whose values are
// strings, int, float64, bool or nil.
func (t *Template) Command(vars map[string]any) (string, error) {
	return t.run(maps.Clone(vars))
}

func (t *Template) run(vars map[string]any) (string, error) {
	s := state{vars: vars, known: lookup{filters, tests}}
	if err := s.all(t.body); err != nil {
		return "", fmt.Errorf("evaluate template: %w", err)
	}
	return strings.TrimSpace(s.out.String()), nil
}

// lookup is what a filter may name in its arguments.
type lookup struct{ filters, tests map[string]fn }

// state is one evaluation.
type state struct {
	vars  map[string]any
	known lookup
	out   strings.Builder
	steps int
	made  int
}

var (
	errTooLong = fmt.Errorf("more than %d operations", maxSteps)
	errTooMuch = fmt.Errorf("more than %d bytes", maxMade)
)

// step counts one operation.
func (s *state) step() error {
	if s.steps++; s.steps > maxSteps {
		return errTooLong
	}
	return nil
}

// make counts n bytes that are about to be made.
func (s *state) make(n int) error {
	if n < 0 || n > maxMade-s.made {
		return errTooMuch
	}
	s.made += n
	return nil
}

func (s *state) all(body []stmt) error {
	for _, st := range body {
		if err := s.step(); err != nil {
			return err
		}
		if err := st(s); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) write(text string) error {
	if err := s.make(len(text)); err != nil {
		return err
	}
	s.out.WriteString(text)
	return nil
}

// decode reads JSON, with whole numbers as int, as Python has them.
func decode(payload string) (any, bool) {
	dec := json.NewDecoder(strings.NewReader(payload))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil, false
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	return plain(v), true
}

// plain replaces the numbers of decoded JSON, in place.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, _ := v.Float64() // what is out of range becomes infinite
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}
