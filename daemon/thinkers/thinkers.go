// Package thinkers answers in words: it has the domains, from files and built in, with the models
// that they use, what they remember of a conversation, and the apologies for their errors. What
// runs are its Parts.
package thinkers

import (
	"context"
	"strings"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/supervise"
	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/tools/phrase"
)

// Options are what thinkers are made with. Thinker and Reflector need no domains and no prompts,
// which are Files; Reflector has a journal if notes are to be made.
type Options struct {
	Config    *config.Config
	Book      *phrase.Book // the sentences that are said
	Files     Files
	Thinker   thinker.Options
	Reflector thinker.ReflectorOptions
}

// Thinkers are those of the box, or of a browser that talks.
type Thinkers struct {
	*thinker.Thinker
	config    *config.Config
	meanings  *thinker.Meanings  // nil: there is no embedding model
	reflector *thinker.Reflector // nil: no notes are made
}

// New makes those of the box.
func New(opt Options) (*Thinkers, error) {
	c, o, r := &opt.Config.Thinker, opt.Thinker, opt.Reflector
	m := &Thinkers{config: opt.Config, meanings: o.Meanings}
	o.Book, o.Language = opt.Book, opt.Config.Tools.Intents.Language
	o.MaxTokens, o.MaxMessages = c.MaxTokens, c.MaxMessages
	o.Domains, o.Prompts = opt.Files.Domains, opt.Files.Prompts
	var err error
	if m.Thinker, err = thinker.New(o); err != nil || r.Journal == nil {
		return m, err
	}
	if c.URL != "" { // a provider serves many at once, and costs money
		r.Warm = m.Warm
	}
	r.Ended = m.Ended()
	r.Chat, r.Prompts, r.Language, r.Log = o.Chat, o.Prompts, o.Language, o.Log
	r.Quiet = opt.Config.Memory.ReflectAfter
	m.reflector, err = thinker.NewReflector(r)
	return m, err
}

// Beside are the same thinkers with conversations of their own. announce says the answers of their
// jobs.
func (m *Thinkers) Beside(announce func(context.Context, thinker.Kept)) *Thinkers {
	return &Thinkers{Thinker: m.Thinker.Beside(announce), config: m.config}
}

// Teach gives them what a reload found.
func (m *Thinkers) Teach(f Files) error {
	if err := m.Thinker.Teach(f.Domains, f.Prompts); err != nil {
		return err
	}
	if m.reflector != nil {
		m.reflector.Teach(f.Prompts)
	}
	return nil
}

// Forget drops what was said, and what waits to be reflected on; m may be nil.
func (m *Thinkers) Forget() {
	if m == nil {
		return
	}
	m.Thinker.Forget()
	if m.reflector != nil {
		m.reflector.Forget()
	}
}

// Note adds a turn that no model answered to the conversation, unless the person asks not to
// remember it.
func (m *Thinkers) Note(ask llm.Ask, answer string) {
	if !thinker.Private(ask.Text) {
		m.Thinker.Note(ask, answer)
	}
}

// Missed counts requests for thinkers that do not exist.
func (m *Thinkers) Missed() uint64 {
	if m == nil {
		return 0
	}
	return m.Unknown()
}

// Parts are what runs beside the turns.
func (m *Thinkers) Parts() []supervise.Part {
	if m == nil {
		return nil
	}
	parts := []supervise.Part{
		{Name: "thinker", Policy: supervise.Restart, Run: m.Run},
	}
	if m.meanings != nil {
		parts = append(parts, supervise.Part{Name: "meanings", Policy: supervise.Restart, Run: m.meanings.Run})
	}
	if m.reflector != nil {
		parts = append(parts, supervise.Part{Name: "reflection", Policy: supervise.Restart, Run: m.reflector.Run})
	}
	return parts
}

// List are the thinkers as the control API shows them.
func (m *Thinkers) List() []api.Thinker {
	if m == nil {
		return nil
	}
	var list []api.Thinker
	for _, s := range m.Domains() {
		tools := s.Tools
		if tools == nil {
			tools = []string{}
		}
		list = append(list, api.Thinker{
			Name: s.Name, Description: s.Description, Origin: s.Origin, Model: m.modelOf(&s.Domain), Tools: tools,
			CacheS: s.Cache.Seconds(), Background: s.Background, Live: s.Live,
		})
	}
	return list
}

// modelOf names the model that serves a domain.
func (m *Thinkers) modelOf(t *thinker.Domain) string {
	c := &m.config.Thinker
	for i, p := range c.Providers {
		if p.Name == t.Provider || c.URL == "" && t.Provider == "" && i == 0 {
			if t.Tier == thinker.Smart && p.SmartModel != "" {
				return strings.Join([]string{p.Name, p.SmartModel}, "/")
			}
			return strings.Join([]string{p.Name, p.Model}, "/")
		}
	}
	if t.Tier == thinker.Smart && c.SmartModel != "" {
		return c.SmartModel
	}
	return c.Model
}

// Reflect has a finished turn reflected on later; m may be nil. A turn that has brought words from
// outside the house is not reflected on, and of a turn after such a one only what the person said:
// otherwise such words would return as the box's own notes.
func (m *Thinkers) Reflect(ask llm.Ask, answer string) {
	if m != nil && m.reflector != nil && !ask.Foreign {
		m.reflector.Add(llm.Exchange{Person: ask.Person, User: ask.Text, Answer: answer})
	}
}
