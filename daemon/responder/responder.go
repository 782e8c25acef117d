// Package responder answers by speech, through a service outside the house: it decides what may go
// there, by the household's policy, hours and budget, and what the service may call. There is one
// Responder in a box; each Conversation of it belongs to the box's dialogue, or to somebody who
// talks from a browser. Run of each is its one goroutine; any goroutine may call the other methods.
package responder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hearthd/config"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/supervise"
	"hearthd/llm"
	"hearthd/llm/gone"
	"hearthd/llm/live"
	"hearthd/llm/realtime"
	"hearthd/llm/thinker"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

const (
	// converseIdle outlasts the silence within a conversation.
	converseIdle = 90 * time.Second
	// personaLimit bounds how long a new session waits for the memory.
	personaLimit = time.Second
	// protocolLive is GPT-Live's, which has no tools: it delegates what it cannot do itself.
	protocolLive = "live"
)

// people are those that the box knows.
type people interface {
	Known(ctx context.Context, person string) string
}

// Options are the parts and settings of a responder.
type Options struct {
	Config     *config.Config        // that hearthd started with
	Now        func() *config.Config // the same, with the changes of reloads
	Key        string
	Zone       *time.Location
	Local      func() bool // people want nothing to go there
	NoDetector bool        // no detector runs here: the responder hears the end of a request
	People     people
	Thinker    *thinker.Thinker // nil: there are none
	Registry   *tools.Registry
	Book       *phrase.Book                              // the sentences that are said
	Services   func() []string                           // names of the tools that ask services outside
	Store      *memory.Store                             // keeps what was spent
	Used       func(code string, err error, text string) // called with the result of each use
	Conditions *health.Conditions
	Log        *slog.Logger
}

// Responder is the box's responder, which is used while policy and budget allow it.
type Responder struct {
	opt    Options
	budget *budget
	own    *Conversation
	// instructions are the first part of its persona.
	instructions atomic.Pointer[string]
	domain       atomic.Pointer[func(text string) string] // finds the domain of a request, by its words
}

// Conversation is a conversation with the responder, as a dialogue uses it.
type Conversation struct {
	*Responder
	client  *realtime.Client
	thinker *thinker.Thinker // whose conversation it continues; nil: there is none
}

// New makes a responder from domains and prompts.
func New(ctx context.Context, opt Options, domains []thinker.Domain, prompts thinker.Prompts) (*Responder, error) {
	r := &Responder{opt: opt}
	if err := r.Learn(domains, prompts); err != nil {
		return nil, err
	}
	var err error
	if r.budget, err = newBudget(ctx, opt); err != nil {
		return nil, err
	}
	r.own, err = r.Converse(opt.Thinker)
	return r, err
}

// Own is the conversation of the box.
func (r *Responder) Own() *Conversation { return r.own }

// Converse begins a conversation, which connects when it is first needed. It continues that of th,
// if there is one.
func (r *Responder) Converse(th *thinker.Thinker) (*Conversation, error) {
	c := &r.opt.Config.Responder
	idle := c.Idle
	if c.Converse {
		idle = max(idle, converseIdle)
	}
	t := &Conversation{Responder: r, thinker: th}
	detection := ""
	if r.opt.NoDetector {
		detection = c.Detection
	}
	p, unknown := c.Rates()
	if len(unknown) > 0 {
		r.opt.Conditions.Set("prices", health.Warning, fmt.Sprintf(
			"What %s costs is not known, so it is counted as the dearest model that is; set responder.prices.",
			strings.Join(unknown, " and ")))
	}
	o := realtime.ClientOptions{
		Options: realtime.Options{
			URL: c.URL, Key: r.opt.Key, Model: c.Model, Voice: c.Voice, Transcriber: c.Transcriber,
			Language: r.opt.Config.STT.Language,
			Prices: realtime.Prices{
				TextIn: p.TextIn, TextCached: p.TextCached, TextOut: p.TextOut,
				AudioIn: p.AudioIn, AudioCached: p.AudioCached, AudioOut: p.AudioOut,
				TranscriptIn: p.TranscriptIn, TranscriptOut: p.TranscriptOut, TranscriptMinute: p.TranscriptMinute,
				SessionMinute: p.SessionMinute,
			},
			Detection: detection, Reasoning: c.Reasoning, Spent: r.budget.spend, Log: r.opt.Log,
		},
		Persona: t.Persona, Idle: idle,
		Changed: r.changed,
	}
	if c.Protocol == protocolLive {
		o.Open = live.Options{Delegate: r.delegate, Silence: c.FirstAudio * 3 / 4}.Open
	}
	var err error
	t.client, err = realtime.New(o)
	return t, err
}

// changed keeps the condition of the responder, and the condition of the model that transcribes
// what people say to it, without which it still answers.
func (r *Responder) changed(err error) {
	c := &r.opt.Config.Responder
	if g := (*gone.Error)(nil); errors.As(err, &g) && g.Model == c.Transcriber && g.Model != c.Model {
		r.opt.Used("transcriber", err, "")
		return
	}
	r.opt.Used("responder", err, responderText(err))
}

// responderText says what is wrong, and who answers instead.
func responderText(err error) string {
	why := "does not answer"
	switch {
	case errors.Is(err, realtime.ErrKey):
		why = "refuses the key; see responder.key"
	case errors.Is(err, realtime.ErrLimit):
		why = "says that its limit is reached"
	}
	return "The responder " + why + "; the thinker answers instead."
}

// Parts are what runs beside the turns; r may be nil.
func (r *Responder) Parts() []supervise.Part {
	if r == nil {
		return nil
	}
	return []supervise.Part{
		{Name: "costs", Policy: supervise.Restart, Run: r.budget.Run},
		{Name: "responder", Policy: supervise.Restart, Run: r.own.Run},
	}
}

// Run keeps the session.
func (t *Conversation) Run(ctx context.Context) error { return t.client.Run(ctx) }

// Wanted reports whether a request may go there now.
func (r *Conversation) Wanted() bool {
	return !r.local() && r.open(time.Now()) && !r.budget.over(time.Now()) && r.client.Available()
}

// local reports whether the household wants nothing to go there.
func (r *Responder) local() bool {
	return r.opt.Local() || r.opt.Now().Route.Policy == contract.Local
}

// open reports whether it may be asked at this time of day.
func (r *Responder) open(at time.Time) bool { return r.during(r.opt.Now().Route.Hours, at) }

// during reports whether at is within hours, which are always if they are empty.
func (r *Responder) during(hours string, at time.Time) bool {
	from, to, ok := config.Hours(hours)
	now := when.Float(at, r.opt.Zone)
	return !ok || when.Within(now.Sub(when.Date(now)), from, to)
}

// Excuse is said once a day: why the thinker answers what the responder could have.
func (r *Responder) Excuse() string {
	now := time.Now()
	if r.local() || !r.open(now) || !r.budget.over(now) || !r.budget.tell() {
		return ""
	}
	return r.opt.Book.Say("dialogue.budget")
}

// Note tells the responder, if it is connected, what others have answered, unless that must stay in
// the house.
func (r *Conversation) Note(ask llm.Ask, answer string) {
	if !thinker.Private(ask.Text) && !r.local() && !r.AtHome(ask.Text) {
		r.client.Note([]llm.Message{{Role: llm.User, Content: ask.Text}, {Role: llm.Assistant, Content: answer}})
	}
}

// Remark makes it say something that stays out of the conversation.
func (r *Conversation) Remark(ctx context.Context, instructions string) (spoken.Turn, error) {
	t, err := r.client.Open(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.Remark(instructions); err != nil {
		return nil, err
	}
	return t, nil
}

// Converses reports whether the window stays open until nobody has spoken for a while, for which a
// detector must run.
func (r *Responder) Converses() bool { return r.opt.Config.Responder.Converse && !r.opt.NoDetector }

// Leave ends the session.
func (r *Conversation) Leave() { r.client.End() }

// Forget ends the session, because it contains what is to be forgotten; r may be nil.
func (r *Responder) Forget() {
	if r != nil {
		r.own.Leave()
	}
}

// Prepare connects.
func (r *Conversation) Prepare() {
	if r.Wanted() {
		r.client.Prepare()
	}
}

// Open begins a turn.
func (r *Conversation) Open(ctx context.Context, _ string) (spoken.Turn, error) {
	t, err := r.client.Open(ctx)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Learn gives it the domains of the thinkers, which may be nil.
func (r *Responder) Learn(domains []thinker.Domain, prompts thinker.Prompts) error {
	byWords := thinker.ByWords(domains)
	r.domain.Store(&byWords)
	r.instructions.Store(&prompts.Responder)
	if r.opt.Thinker == nil {
		return nil
	}
	return r.opt.Registry.Replace([]string{ConsultTool}, r.consultation())
}

// AtHome reports whether a request must not leave the house now.
func (r *Responder) AtHome(text string) bool {
	return r.keeps((*r.domain.Load())(text), time.Now())
}

// keeps reports whether the house keeps to itself what a thinker is asked at that time.
func (r *Responder) keeps(domain string, at time.Time) bool {
	route := &r.opt.Now().Route
	return slices.Contains(route.AtHome, domain) || slices.ContainsFunc(route.ThinkerHours,
		func(h config.ThinkerHours) bool {
			return h.Thinker == domain && !r.during(h.Hours, at)
		})
}

// Persona is what a new session is configured with.
func (r *Conversation) Persona(ctx context.Context) realtime.Persona {
	p := realtime.Persona{Instructions: *r.instructions.Load()}
	if r.opt.Config.Responder.Protocol == protocolLive {
		p.Instructions += r.delegation()
	} else {
		p.Tools = r.tools()
	}
	p.Instructions += "\n\nToday is " + time.Now().In(r.opt.Zone).Format("Monday, 2 January 2006") + "."
	ctx, cancel := context.WithTimeout(ctx, personaLimit)
	defer cancel()
	if known := r.opt.People.Known(ctx, ""); known != "" {
		p.Instructions += "\n\n" + known
	}
	if r.thinker != nil {
		p.History = r.leaves(r.thinker.History())
	}
	return p
}

// leaves is the part of a conversation that may leave the house: all but the requests that must
// not, with their answers.
func (r *Responder) leaves(said []llm.Message) (list []llm.Message) {
	stays := false
	for _, m := range said {
		if m.Role == llm.User {
			stays = r.AtHome(m.Content)
		}
		if !stays {
			list = append(list, m)
		}
	}
	return list
}
