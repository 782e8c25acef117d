package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/llm"
	"hearthd/tools/when"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Bounds of a tool's specification; models pay for every byte of it.
const (
	maxDescription = 1024
	maxSchema      = 16 << 10
	maxTimeout     = 10 * time.Minute
	maxCooldown    = 24 * time.Hour
	maxQuestion    = 200 // bytes
)

// Registry holds the tools by name. It is safe for use by several goroutines.
type Registry struct {
	book     Book
	mu       sync.RWMutex
	tools    map[string]*entry
	triggers map[string]string // sentence to name
}

type entry struct {
	tool   Tool
	spec   llm.ToolSpec
	limits Limits
	// schema is compiled when it is first used, and then kept: most tools of a house are not called for
	// days.
	schema func() (*jsonschema.Schema, error)
	forms  map[string]when.Form
	book   Book
}

// NewRegistry makes an empty registry. book has the sentences for general questions and failures of
// its tools; it may be nil if none is called.
func NewRegistry(book Book) *Registry {
	return &Registry{book: book, tools: map[string]*entry{}, triggers: map[string]string{}}
}

// Register adds tools, or none of them when one is refused: because of its name, its
// description, its schema, its limits, or because the name or a trigger is taken.
func (r *Registry) Register(tools ...Tool) error { return r.Replace(nil, tools...) }

// insert adds an entry. The caller holds mu.
func (r *Registry) insert(e *entry) error {
	var triggers []string
	if t, ok := e.tool.(Triggered); ok {
		triggers = t.Triggers()
	}
	if len(triggers) > 0 {
		if _, err := e.arguments(nil, nil); err != nil {
			return fmt.Errorf("a tool with triggers must work without arguments: %w", err)
		}
	}
	if r.tools[e.spec.Name] != nil {
		return errors.New("the name is taken")
	}
	for _, sentence := range triggers {
		if by, taken := r.triggers[sentenceKey(sentence)]; taken {
			return fmt.Errorf("the trigger %q is taken by %q", sentence, by)
		}
	}
	e.book = r.book
	r.tools[e.spec.Name] = e
	for _, sentence := range triggers {
		r.triggers[sentenceKey(sentence)] = e.spec.Name
	}
	return nil
}

// Without returns a registry of its own that has the tools of r except those.
func (r *Registry) Without(names ...string) *Registry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.without(names)
}

func (r *Registry) without(names []string) *Registry {
	c := &Registry{book: r.book, tools: maps.Clone(r.tools), triggers: maps.Clone(r.triggers)}
	c.Withdraw(names...)
	return c
}

// Replace takes some tools back and adds others in one step. After an error nothing has changed.
func (r *Registry) Replace(gone []string, tools ...Tool) error {
	var entries []*entry
	for _, t := range tools {
		e, err := newEntry(t)
		if err != nil {
			return fmt.Errorf("register tool %q: %w", t.Spec().Name, err)
		}
		entries = append(entries, e)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.without(gone)
	for _, e := range entries {
		if err := c.insert(e); err != nil {
			return fmt.Errorf("register tool %q: %w", e.spec.Name, err)
		}
	}
	r.tools, r.triggers = c.tools, c.triggers
	return nil
}

// Withdraw takes tools back. A call that is under way goes on.
func (r *Registry) Withdraw(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		delete(r.tools, name)
		maps.DeleteFunc(r.triggers, func(_, by string) bool { return by == name })
	}
}

func newEntry(t Tool) (*entry, error) {
	e := &entry{tool: t, spec: t.Spec()}
	e.forms = formsOf(e.spec.Parameters)
	if !isName(e.spec.Name) {
		return nil, fmt.Errorf("the name must match %s", nameForm)
	}
	if n := len(e.spec.Description); n == 0 || n > maxDescription {
		return nil, fmt.Errorf("the description must have 1 to %d bytes", maxDescription)
	}
	if t, ok := t.(Limited); ok {
		e.limits = t.Limits()
	}
	if e.limits.Timeout < 0 || e.limits.Timeout > maxTimeout {
		return nil, fmt.Errorf("the timeout %v is not within 0 to %v", e.limits.Timeout, maxTimeout)
	}
	if e.limits.Cooldown < 0 || e.limits.Cooldown > maxCooldown {
		return nil, fmt.Errorf("the cooldown %v is not within 0 to %v", e.limits.Cooldown, maxCooldown)
	}
	e.schema = sync.OnceValues(func() (*jsonschema.Schema, error) { return compileSchema(e.spec.Parameters) })
	_, err := compileSchema(e.spec.Parameters)
	return e, err
}

// question is what a person is asked before a call with args; "" for nothing.
func (e *entry) question(args json.RawMessage) string {
	if e.limits.ConfirmFunc != nil {
		return shorten(e.limits.ConfirmFunc(args), maxQuestion)
	}
	if e.limits.Confirm {
		return shorten(e.describe(args), maxQuestion)
	}
	return ""
}

// Specs describes all tools to a model, sorted by name, so that the prompt is
// the same each time and a server's prompt cache holds.
func (r *Registry) Specs() []llm.ToolSpec { return r.specs(false) }

// Unlisted describes the tools that are in no other list.
func (r *Registry) Unlisted() []llm.ToolSpec { return r.specs(true) }

func (r *Registry) specs(unlisted bool) []llm.ToolSpec {
	r.mu.RLock()
	defer r.mu.RUnlock()
	specs := make([]llm.ToolSpec, 0, len(r.tools))
	for _, name := range slices.Sorted(maps.Keys(r.tools)) {
		if e := r.tools[name]; e.limits.Unlisted == unlisted {
			specs = append(specs, e.spec)
		}
	}
	return specs
}

// Description is what a person is shown of one tool.
type Description struct {
	Spec     llm.ToolSpec
	Limits   Limits
	Triggers []string
	Origin   string // its manifest or server; empty: it is built in
}

// List describes all tools to a person, sorted by name.
func (r *Registry) List() []Description {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]Description, 0, len(r.tools))
	for _, name := range slices.Sorted(maps.Keys(r.tools)) {
		e := r.tools[name]
		if e.limits.Unlisted {
			continue
		}
		d := Description{Spec: e.spec, Limits: e.limits}
		if t, ok := e.tool.(Triggered); ok {
			d.Triggers = t.Triggers()
		}
		if t, ok := e.tool.(Sourced); ok {
			d.Origin = t.Origin()
		}
		all = append(all, d)
	}
	return all
}

// Triggers gives the sentences that start a tool without arguments, in lower
// case with single spaces, and the tool's name.
func (r *Registry) Triggers() map[string]string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return maps.Clone(r.triggers)
}

// Has reports whether a tool is offered now.
func (r *Registry) Has(name string) bool { return r.lookup(name) != nil }

func (r *Registry) lookup(name string) *entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.tools[name]
}

func (r *Registry) names() (names []string) {
	for _, s := range r.Specs() {
		names = append(names, s.Name)
	}
	return names
}

func sentenceKey(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
