package discovery

import (
	"errors"
	"fmt"
	"maps"
	"slices"
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

// isAside reports whether a template of e is.
func (e *entity) isAside() bool {
	return slices.ContainsFunc(e.tmpls, func(t *tmpl) bool { return t.aside.Load() })
}

// watchOver names the template of e that an evaluation has just set aside, if one has.
func (h *Hub) watchOver(e *entity, err error) {
	if over := new(overError); errors.As(err, &over) {
		h.setAside(e, over.key, over.err)
	}
}

// setAside has it told that a template of e is evaluated no more.
func (h *Hub) setAside(e *entity, key string, err error) {
	h.opt.Log.Warn("template set aside", "component", "home", "device", e.ID, "error", &overError{key, err})
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.aside[e.ID]) == 0 && len(h.aside) >= maxNamed {
		return
	}
	h.aside[e.ID] = fmt.Sprintf("%s of %s (%s): %v", key, e.Spoken(), named(e.ID), err)
	h.ring()
}

// Aside names the templates that are evaluated no more, at most a hundred, with their
// device and why.
func (h *Hub) Aside() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, id := range slices.Sorted(maps.Keys(h.aside)) {
		out = append(out, h.aside[id])
	}
	return out
}

// maxShare is what the templates of all entities that follow a topic may spend on one
// message: as much as ten that just keep within their budget.
const maxShare = 10 * template.Budget

var errShare = errors.New("one message has its topic's templates do more work than they may together")

// bill adds up what one message costs.
type bill struct {
	total   int64
	dearest *entity
	most    int64
}

// add names the entity that cost most, when all have cost too much together.
func (b *bill) add(e *entity, spent int64) *entity {
	b.total += spent
	if spent > b.most {
		b.dearest, b.most = e, spent
	}
	if b.total <= maxShare {
		return nil
	}
	over := b.dearest
	*b = bill{total: b.total - b.most}
	return over
}
