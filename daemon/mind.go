package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"hearthd/config"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/health"
	"hearthd/daemon/recall"
	"hearthd/daemon/supervise"
	"hearthd/llm"
	"hearthd/llm/thinker"
)

// mind is the thinker with the apologies for its errors, and what works behind it.
type mind struct {
	*thinker.Thinker
	reflector *thinker.Reflector // nil: nothing is noted
	meanings  *thinker.Meanings  // nil: there is no embedding model
}

// mind makes the thinker of o, which has the tools; nil: there is no model.
func (d *base) mind(o thinker.Options, known *recall.Recollection, quiet func() bool) (*mind, error) {
	c := &d.cfg.Thinker
	if c.URL == "" && len(c.Providers) == 0 {
		return nil, nil
	}
	m := &mind{meanings: known.Meanings()}
	fast, chats, err := d.engines.Chats()
	if err != nil {
		return nil, err
	}
	o.Chat, o.Chats, o.Location, o.Log = fast, chats, d.zone, d.log
	o.Memory, o.Answers, o.Meanings = known, known, known.Meanings()
	o.MaxTokens, o.MaxMessages = c.MaxTokens, c.MaxMessages
	o.Depends = func(ctx context.Context, person string) (string, error) {
		on, err := known.Depends(ctx, person)
		return d.depends() + on, err
	}
	var mistakes, more []error
	o.Domains, mistakes = thinker.LoadDomains(c.Dir)
	o.Prompts, more = thinker.LoadPrompts(c.Prompts)
	d.thinkerMistakes(append(mistakes, more...), o)
	d.log.Info("prompts read", "component", "thinker", "path", c.Prompts, "built_in", strings.Join(o.Prompts.BuiltIn(), " "))
	o.Ended = func() {
		if m.reflector != nil {
			m.reflector.End()
		}
	}
	if m.Thinker, err = thinker.New(o); err != nil {
		return nil, err
	}
	if d.cfg.Memory.Reflect {
		warm := m.Warm
		if c.URL == "" { // a provider has many places, and wants money
			warm = nil
		}
		m.reflector, err = thinker.NewReflector(thinker.ReflectorOptions{
			Chat: fast, Journal: known, Prompts: o.Prompts, Busy: func() bool { return !quiet() }, Warm: warm, Quiet: d.cfg.Memory.ReflectAfter, Log: d.log,
		})
	}
	return m, err
}

// thinkerMistakes names what is wrong with thinkers and prompts. The rest works.
func (d *base) thinkerMistakes(mistakes []error, o thinker.Options) {
	mistakes = append(append(mistakes, unprovided(o.Domains, d.cfg)...), unrouted(o.Domains, &d.cfg.Route)...)
	for _, m := range mistakes {
		d.log.Error("thinker refused", "component", "thinker", "error", m)
	}
	if n := len(mistakes); n > 0 {
		d.conditions.Set("thinkers", health.Warning, fmt.Sprintf("Mistakes in thinkers: %d; the first: %v.", n, mistakes[0]))
	}
}

// unprovided names the domains that ask for a server which is not configured.
func unprovided(domains []thinker.Domain, c *config.Config) (mistakes []error) {
	for _, t := range domains {
		if t.Provider != "" && !slices.ContainsFunc(c.Thinker.Providers, func(p config.Provider) bool { return p.Name == t.Provider }) {
			mistakes = append(mistakes, fmt.Errorf("load thinker %q: provider %q is not configured", t.Origin, t.Provider))
		}
	}
	return mistakes
}

// unrouted names what route keeps at home though no domain has that name: a typing
// mistake would let out what should stay.
func unrouted(domains []thinker.Domain, r *config.Route) (mistakes []error) {
	check := func(key, name string) {
		if !slices.ContainsFunc(domains, func(t thinker.Domain) bool { return t.Name == name }) {
			mistakes = append(mistakes, fmt.Errorf("%s: there is no thinker %q", key, name))
		}
	}
	for _, name := range r.AtHome {
		check("route.at_home", name)
	}
	for _, h := range r.ThinkerHours {
		check("route.thinker_hours", h.Thinker)
	}
	return mistakes
}

// depends is what an answer to anybody may depend on beside its question.
func (d *base) depends() string {
	return strings.Join([]string{d.zone.String(), d.cfg.STT.Language, d.opt.Version, strconv.FormatUint(d.reloaded.Load(), 10)}, "\n") + "\n"
}

// announce has a machine say an answer when the turn that is going on there has ended.
func (d *base) announce(ctx context.Context, at *dialogue.Dialogue, a thinker.Kept) {
	text := strings.ToValidUTF8(a.Text[:min(len(a.Text), dialogue.MaxText)], "")
	if err := at.SayFrom(ctx, text, a.Sources); err != nil && ctx.Err() == nil {
		d.log.WarnContext(ctx, "announce", "component", "thinker", "error", err)
	}
}

// Remember is what happens with each finished turn: an introduction is understood
// without a model, and the rest is reflected on later. A turn that has brought words from
// outside the house is not, and of one that comes after them only what the person said:
// else such words would come back as the box's own notes.
func (r remembering) Remember(ask llm.Ask, answer string) {
	r.recall.Seen(ask.Person, time.Now())
	if name, ok := thinker.Introduced(ask.Text); ok {
		ctx, cancel := context.WithTimeout(context.Background(), quietLimit)
		defer cancel()
		if err := r.recall.SetName(ctx, ask.Person, name); err != nil {
			r.log.Warn("remember name", "component", "memory", "error", err)
		}
	}
	if r.mind != nil && r.mind.reflector != nil && !ask.Foreign {
		r.mind.reflector.Add(thinker.Exchange{Person: ask.Person, User: ask.Text, Answer: answer})
	}
}

// remembering keeps what was said.
type remembering struct {
	recall *recall.Recollection
	log    *slog.Logger
	mind   *mind // nil: there is none
}

// Note adds a turn that no model answered to the conversation, unless it asks for the
// opposite.
func (m *mind) Note(ask llm.Ask, answer string) {
	if !thinker.Private(ask.Text) {
		m.Thinker.Note(ask, answer)
	}
}

// quietLimit bounds the question whether the box is quiet.
const quietLimit = time.Second

// unknown is how many thinkers were asked for that there are not.
func (m *mind) unknown() uint64 {
	if m == nil {
		return 0
	}
	return m.Unknown()
}

// parts are what of the mind runs beside the turns.
func (m *mind) parts() []supervise.Part {
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
func (m *mind) Apology(err error) string {
	var stop *thinker.StopError
	switch {
	case errors.Is(err, llm.ErrUnreachable):
		return answer.SayThinkerGone
	case errors.Is(err, llm.ErrModel):
		return answer.SayThinkerModel
	case errors.Is(err, llm.ErrBusy):
		return answer.SayThinkerBusy
	case errors.Is(err, llm.ErrRate):
		return answer.SayThinkerRate
	case errors.Is(err, llm.ErrQuota):
		return answer.SayThinkerQuota
	case errors.Is(err, llm.ErrKey):
		return answer.SayThinkerKey
	case errors.Is(err, llm.ErrRefused), errors.Is(err, llm.ErrNoThinking):
		return answer.SayThinkerRefused
	case errors.Is(err, llm.ErrStalled):
		return answer.SayThinkerSlow
	case errors.As(err, &stop) && stop.Stop == thinker.TimeLimit:
		return answer.SayThinkerSlow
	case errors.As(err, &stop) && stop.Stop == thinker.Empty:
		return answer.SayNothing
	}
	return answer.SayThinkerBroke
}
