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
	"hearthd/llm/ollama"
	"hearthd/llm/openai"
	"hearthd/llm/thinker"
	"hearthd/memory"
)

// answerRoom is what a context holds beyond the prompt, in tokens.
const answerRoom = 1024

// mind is the thinker with the apologies for its errors, and what works behind it.
type mind struct {
	*thinker.Thinker
	pulse     *pulse
	reflector *thinker.Reflector // nil: nothing is noted
	meanings  *thinker.Meanings  // nil: there is no embedding model
}

// mind makes the thinker of o, which has the tools; nil: there is no model.
func (d *models) mind(o thinker.Options, known *recall.Recollection, quiet func() bool) (*mind, error) {
	c := &d.cfg.Thinker
	if c.URL == "" && len(c.Providers) == 0 {
		return nil, nil
	}
	m := &mind{meanings: known.Meanings(), pulse: newPulse(d.conditions)}
	fast, chats, err := d.chats(m.pulse)
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

// models makes the clients of the models, and knows those of Ollama.
type models struct {
	*base
	made []*ollama.Client
}

// ollama is a client for one model of the configured server.
func (d *models) ollama(model string) (*ollama.Client, error) {
	o := &d.cfg.Thinker
	c, err := ollama.New(ollama.Options{
		URL: o.URL, Model: model, KeepAlive: o.KeepAlive, NumCtx: max(o.NumCtx, o.MaxTokens+answerRoom), Think: o.Think, Log: d.log,
	})
	if err == nil {
		d.made = append(d.made, c)
	}
	return c, err
}

// chats are the usual model, which reflects too, and those that thinkers may ask for
// beside it. Without an Ollama the first provider has the usual ones.
func (d *models) chats(p *pulse) (usual *served, chats thinker.Chats, err error) {
	c := &d.cfg.Thinker
	chats = make(thinker.Chats)
	if c.URL != "" {
		m, err := d.ollama(c.Model)
		if err != nil {
			return nil, nil, err
		}
		usual = p.watch(m, c.Model, true)
		if c.SmartModel != "" {
			if m, err = d.ollama(c.SmartModel); err != nil {
				return nil, nil, err
			}
			chats[thinker.Model{Tier: thinker.Smart}] = p.watch(m, c.SmartModel, true)
		}
	}
	ours := usual
	for _, o := range c.Providers {
		fast, err := d.provider(p, &o, o.Model)
		if err != nil {
			return nil, nil, err
		}
		smart := fast
		if o.SmartModel != "" {
			if smart, err = d.provider(p, &o, o.SmartModel); err != nil {
				return nil, nil, err
			}
		}
		if usual == nil {
			usual = fast
			chats[thinker.Model{Tier: thinker.Smart}] = smart
		}
		chats[thinker.Model{Provider: o.Name, Tier: thinker.Fast}] = d.supplied(o.Name, fast, ours)
		chats[thinker.Model{Provider: o.Name, Tier: thinker.Smart}] = d.supplied(o.Name, smart, ours)
	}
	return usual, chats, nil
}

// provider is a client for one model of a provider.
func (d *base) provider(p *pulse, o *config.Provider, model string) (*served, error) {
	m, err := openai.New(openai.Options{Name: "provider " + o.Name, BaseURL: o.URL, Key: d.secrets.Get(o.Key), Model: model})
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", o.Name, err)
	}
	return p.watch(m, o.Name+"/"+model, false), nil
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

// recall makes what is remembered usable.
func (d *models) recall(store *memory.Store, quiet func() bool) (*recall.Recollection, error) {
	o := recall.Options{
		Store: store, Quiet: quiet, Log: d.log,
		Home: memory.Profile{Place: d.cfg.Memory.Place, Units: d.cfg.Memory.Units},
	}
	if c := &d.cfg.Thinker; c.URL != "" && c.EmbedModel != "" {
		e, err := d.ollama(c.EmbedModel)
		if err != nil {
			return nil, err
		}
		o.Model = c.EmbedModel
		if o.Meanings, err = thinker.NewMeanings(e, c.EmbedWait); err != nil {
			return nil, err
		}
	}
	return recall.New(o), nil
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
		{Name: "thinker's servers", Policy: supervise.Restart, Run: m.pulse.Run},
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
