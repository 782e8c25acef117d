package discovery

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// message is one publication.
type message struct {
	topic   string
	payload string
}

// entity is a device, or a part of one, and how to read and command it.
type entity struct {
	home.Entity
	reads   []read
	senders map[home.Key]func(v any) (message, error)
	compose func(want, have home.State) ([]message, error) // instead of senders, for lights
	polls   []message                                      // what makes it report its state
	places  []place
	mode    string        // how several places are combined: all, any or latest
	latest  bool          // offline, as the last message said
	expires time.Duration // after which a value is old; 0: never
	clears  time.Duration // after which what is on is off; 0: never
	heard   time.Time     // when the last value came
	tmpls   []*tmpl
	sources []string // of the templates
	weight  int      // bytes of memory, without its templates
	qos     byte
	retain  bool
}

// read is what a message on a topic says about an entity.
type read struct {
	topic string
	take  func(template.Message, home.State) error
}

// place is where a device reports whether it is online.
type place struct {
	topic       string
	tmpl        *tmpl
	online, off string
	offline     bool // it said so
}

// tmpl is a template of one entity. It is set aside, until the device announces another, when an
// evaluation exceeds its budget or panics.
type tmpl struct {
	of    *template.Template
	key   string // of the document
	aside atomic.Bool
}

// overError is why a template was just set aside.
type overError struct {
	key string
	err error
}

func (e *overError) Error() string { return fmt.Sprintf("set %s aside: %v", e.key, e.err) }

func (e *overError) Unwrap() error { return e.err }

var errAside = errors.New("its template is set aside")

// Value is what the template takes out of a message.
func (t *tmpl) Value(m template.Message) (string, error) {
	if t.aside.Load() {
		return "", errAside
	}
	return t.checked(t.of.Value(m))
}

// commandOr is the message that the template makes; without a template it is otherwise.
func (t *tmpl) commandOr(otherwise string, vars map[string]any) (string, error) {
	switch {
	case t == nil:
		return otherwise, nil
	case t.aside.Load():
		return "", errAside
	}
	return t.checked(t.of.Command(vars))
}

func (t *tmpl) checked(text string, err error) (string, error) {
	if errors.Is(err, template.ErrBudget) || errors.Is(err, template.ErrPanic) {
		t.aside.Store(true)
		return "", &overError{t.key, err}
	}
	return text, err
}
