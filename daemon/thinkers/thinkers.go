// Package thinkers answers in words: it has the domains, from files and built in, with the models
// that they use, what they remember of a conversation, and the apologies for their errors. What
// runs are its Parts.
package thinkers

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

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
	book      *phrase.Book
	meanings  *thinker.Meanings  // nil: there is no embedding model
	reflector *thinker.Reflector // nil: no notes are made
}

// New makes those of the box.
func New(opt Options) (*Thinkers, error) {
	c, o, r := &opt.Config.Thinker, opt.Thinker, opt.Reflector
	m := &Thinkers{config: opt.Config, book: opt.Book, meanings: o.Meanings}
	o.Book = opt.Book
	o.MaxTokens, o.MaxMessages = c.MaxTokens, c.MaxMessages
	o.Domains, o.Prompts = opt.Files.Domains, opt.Files.Prompts
	o.Ended = func() {
		if m.reflector != nil {
			m.reflector.End()
		}
	}
	var err error
	if m.Thinker, err = thinker.New(o); err != nil || r.Journal == nil {
		return m, err
	}
	if c.URL != "" { // a provider serves many at once, and costs money
		r.Warm = m.Warm
	}
	r.Chat, r.Prompts, r.Quiet, r.Log = o.Chat, o.Prompts, opt.Config.Memory.ReflectAfter, o.Log
	m.reflector, err = thinker.NewReflector(r)
	return m, err
}

// Beside are the same thinkers with conversations of their own. announce says the answers of their
// jobs.
func (m *Thinkers) Beside(announce func(context.Context, thinker.Kept)) *Thinkers {
	return &Thinkers{Thinker: m.Thinker.Beside(announce), config: m.config, book: m.book}
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

// Apology is the sentence for an error of Think.
func (m *Thinkers) Apology(err error) string {
	var stop *thinker.StopError
	switch {
	case errors.Is(err, llm.ErrUnreachable):
		return m.book.Say("dialogue.thinker_gone")
	case errors.Is(err, llm.ErrModel):
		return m.book.Say("dialogue.thinker_model")
	case errors.Is(err, llm.ErrBusy):
		return m.book.Say("dialogue.thinker_busy")
	case errors.Is(err, llm.ErrRate):
		return m.book.Say("dialogue.thinker_rate")
	case errors.Is(err, llm.ErrQuota):
		return m.book.Say("dialogue.thinker_quota")
	case errors.Is(err, llm.ErrKey):
		return m.book.Say("dialogue.thinker_key")
	case errors.Is(err, llm.ErrRefused), errors.Is(err, llm.ErrNoThinking):
		return m.book.Say("dialogue.thinker_refused")
	case errors.Is(err, llm.ErrStalled):
		return m.book.Say("dialogue.thinker_slow")
	case errors.As(err, &stop) && stop.Stop == thinker.TimeLimit:
		return m.book.Say("dialogue.thinker_slow")
	case errors.As(err, &stop) && stop.Stop == thinker.Empty:
		return m.book.Say("dialogue.nothing")
	}
	return m.book.Say("dialogue.thinker_broke")
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

// nameLimit bounds the wait for a name to be stored.
const nameLimit = time.Second

// people are the people that the memory knows.
type people interface {
	Seen(person string, at time.Time)
	SetName(ctx context.Context, person, name string) error
}

// Remembering passes finished turns on to what remembers them; see Remember.
type Remembering struct {
	People   people
	Thinkers *Thinkers // nil: there are none
	Log      *slog.Logger
}

// Remember takes each finished turn: an introduction is understood without a model, and the rest is
// reflected on later. A turn that has brought words from outside the house is not reflected on, and
// of a turn after such a one only what the person said: otherwise such words would return as the
// box's own notes.
func (r Remembering) Remember(ask llm.Ask, answer string) {
	r.People.Seen(ask.Person, time.Now())
	if name, ok := thinker.Introduced(ask.Text); ok {
		ctx, cancel := context.WithTimeout(context.Background(), nameLimit)
		defer cancel()
		if err := r.People.SetName(ctx, ask.Person, name); err != nil {
			r.Log.Warn("remember name", "component", "memory", "error", err)
		}
	}
	if r.Thinkers != nil && r.Thinkers.reflector != nil && !ask.Foreign {
		r.Thinkers.reflector.Add(llm.Exchange{Person: ask.Person, User: ask.Text, Answer: answer})
	}
}
