package discovery

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"hearthd/tools/home/template"
)

// isAside reports whether a template of e was set aside.
func (e *entity) isAside() bool {
	return slices.ContainsFunc(e.tmpls, func(t *tmpl) bool { return t.aside.Load() })
}

// watchOver names the template of e that an evaluation has just set aside, if one has.
func (h *Hub) watchOver(e *entity, err error) {
	if over := new(overError); errors.As(err, &over) {
		h.setAside(e, over.key, over.err)
	}
}

// setAside reports that a template of e is evaluated no more.
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

// Aside names the templates that are evaluated no more, at most a hundred, with their device and
// the reason.
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
