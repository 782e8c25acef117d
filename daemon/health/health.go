// Package health keeps the standing conditions of the daemon: what is wrong now, since
// when, and how bad. Parts set and clear conditions by code, and every change is published
// on the event bus. It runs no goroutine and imports daemon/event only.
package health

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/daemon/event"
)

// A Warning heals by itself or limits one feature; an Error needs a person.
const (
	Warning event.Severity = "warning"
	Error   event.Severity = "error"
)

// Conditions is the set of present conditions. It is safe for use by several goroutines.
type Conditions struct {
	bus *event.Bus

	mu  sync.Mutex
	set map[string]event.Condition
}

// New returns an empty set that publishes its changes on bus.
func New(bus *event.Bus) *Conditions {
	return &Conditions{bus: bus, set: make(map[string]event.Condition)}
}

// Set says that the condition code holds. Its Since stays the same until it is cleared. A
// call that changes nothing publishes nothing.
func (c *Conditions) Set(code string, s event.Severity, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, held := c.set[code]
	if held && old.Severity == s && old.Text == text {
		return
	}
	now := event.Condition{Code: code, Severity: s, Text: text, Since: old.Since}
	if !held {
		now.Since = time.Now().Round(0)
	}
	c.set[code] = now
	c.publish(now, true)
}

// Clear says that code no longer holds.
func (c *Conditions) Clear(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, held := c.set[code]
	if !held {
		return
	}
	delete(c.set, code)
	c.publish(old, false)
}

// publish is called under the lock, so that events keep the order of changes.
func (c *Conditions) publish(k event.Condition, active bool) {
	c.bus.Publish(&event.ConditionChanged{Condition: k, Active: active})
}

// Keep sets code if there is a text, and otherwise clears it.
func (c *Conditions) Keep(code string, s event.Severity, text string) {
	if text == "" {
		c.Clear(code)
		return
	}
	c.Set(code, s, text)
}

// Holds reports whether the condition code is present.
func (c *Conditions) Holds(code string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, held := c.set[code]
	return held
}

// List returns the present conditions, the errors first, by code.
func (c *Conditions) List() []event.Condition {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]event.Condition, 0, len(c.set))
	for _, k := range c.set {
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b event.Condition) int {
		// "error" is before "warning" in the alphabet too.
		return cmp.Or(strings.Compare(string(a.Severity), string(b.Severity)), strings.Compare(a.Code, b.Code))
	})
	return list
}
