package discovery

import (
	"errors"
	"fmt"
	"sync/atomic"

	"hearthd/tools/home/template"
)

// tmpl is a template of one entity. It is set aside for good, until the device announces
// another, when an evaluation goes over its budget or panics.
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

// Command is the message that the template makes.
func (t *tmpl) Command(vars map[string]any) (string, error) {
	if t.aside.Load() {
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
