package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hearthd/config"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/recall"
	"hearthd/daemon/settings"
	"hearthd/daemon/supervise"
	"hearthd/llm"
	"hearthd/llm/gone"
	"hearthd/llm/realtime"
	"hearthd/llm/thinker"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/when"
)

const (
	// converseIdle outlasts the silence within a conversation.
	converseIdle = 90 * time.Second
	// personaLimit bounds what a new session waits for the memory.
	personaLimit = time.Second
)

// cloud is the responder, while the household's policy and budget allow it.
type cloud struct {
	*base
	settings *settings.Settings
	recall   *recall.Recollection
	blind    bool // no detector runs here: the responder hears the end of a request
	thinker  *mind
	registry *tools.Registry
	consult  *atomic.Pointer[consultation]
	services *atomic.Pointer[[]string]
	purse    *purse
	own      *cloudTalk // of the box's dialogue
	// instructions are the first part of what it is told.
	instructions atomic.Pointer[string]
	domain       atomic.Pointer[func(text string) string] // of a request, by its words
}

// cloudTalk is one conversation with the responder, as a dialogue sees it: the box's, or
// that of somebody who talks from a browser. Policy, hours and budget are the cloud's.
type cloudTalk struct {
	*cloud
	client *realtime.Client
	mind   *mind // whose conversation it goes on with; nil: there is none
}

// newCloud completes r, what it works with; nil: there is no responder.
func newCloud(ctx context.Context, r *cloud, store *memory.Store) (*cloud, error) {
	if c := &r.cfg.Responder; c.URL == "" || r.cfg.Route.Policy == "local" {
		return nil, nil
	}
	var err error
	if r.thinker != nil {
		consult, err := r.buildConsultation(r.thinker, r.withholds)
		if err != nil {
			return nil, err
		}
		r.consult.Store(consult)
	}
	prompts, mistakes := thinker.LoadPrompts(r.cfg.Thinker.Prompts)
	domains, more := thinker.LoadDomains(r.cfg.Thinker.Dir)
	if r.thinker == nil { // who has told of them
		r.thinkerMistakes(append(mistakes, more...), thinker.Options{Domains: domains})
	}
	r.learn(domains, prompts)
	if r.purse, err = newPurse(ctx, r.base, store); err != nil {
		return nil, err
	}
	r.own, err = r.newTalk(r.thinker)
	return r, err
}

// newTalk begins a conversation, which connects when it is first needed.
func (r *cloud) newTalk(m *mind) (*cloudTalk, error) {
	c := &r.cfg.Responder
	idle := c.Idle
	if c.Converse {
		idle = max(idle, converseIdle)
	}
	t := &cloudTalk{cloud: r, mind: m}
	detection := ""
	if r.blind {
		detection = c.Detection
	}
	p, unknown := c.Rates()
	if len(unknown) > 0 {
		r.conditions.Set("prices", health.Warning, fmt.Sprintf(
			"What %s costs is not known, so it is counted as the dearest model that is; set responder.prices.", strings.Join(unknown, " and ")))
	}
	var err error
	t.client, err = realtime.New(realtime.ClientOptions{
		Options: realtime.Options{
			URL: c.URL, Key: r.secret(c.Key), Model: c.Model, Voice: c.Voice, Transcriber: c.Transcriber, Language: r.cfg.STT.Language,
			Prices: realtime.Prices{
				TextIn: p.TextIn, TextCached: p.TextCached, TextOut: p.TextOut,
				AudioIn: p.AudioIn, AudioCached: p.AudioCached, AudioOut: p.AudioOut,
				TranscriptIn: p.TranscriptIn, TranscriptOut: p.TranscriptOut, TranscriptMinute: p.TranscriptMinute,
			},
			Detection: detection, Spent: r.purse.spend, Log: r.log,
		},
		Persona: t.persona, Idle: idle,
		Changed: r.responderState,
	})
	return t, err
}

// responderState keeps the condition of the responder, and of the model that writes down
// what people say to it, without which it answers all the same.
func (d *base) responderState(err error) {
	c := &d.cfg.Responder
	if g := (*gone.Error)(nil); errors.As(err, &g) && g.Model == c.Transcriber && g.Model != c.Model {
		d.engineState("transcriber", err, "")
		return
	}
	d.engineState("responder", err, responderText(err))
}

// responderText says what is wrong, and who answers meanwhile.
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

func (r *cloud) parts() []supervise.Part {
	if r == nil {
		return nil
	}
	return []supervise.Part{
		{Name: "costs", Policy: supervise.Restart, Run: r.purse.Run},
		{Name: "responder", Policy: supervise.Restart, Run: r.own.client.Run},
	}
}

// Wanted reports whether a request may go there now.
func (r *cloudTalk) Wanted() bool {
	return !r.local() && r.open(time.Now()) && !r.purse.over(time.Now()) && r.client.Available()
}

// local reports whether the household wants nothing to go there.
func (r *cloud) local() bool {
	return r.settings.Local() || r.now().Route.Policy == contract.Local
}

// open reports whether it may be asked at this time of day.
func (r *cloud) open(at time.Time) bool { return r.during(r.now().Route.Hours, at) }

// during reports whether at is within hours, which are always if they are empty.
func (r *cloud) during(hours string, at time.Time) bool {
	from, to, ok := config.Hours(hours)
	now := when.Float(at, r.zone)
	return !ok || within(now.Sub(when.Date(now)), from, to)
}

// Excuse is said once a day: why the thinker answers what the responder could.
func (r *cloud) Excuse() string {
	now := time.Now()
	if r.local() || !r.open(now) || !r.purse.over(now) || !r.purse.tell() {
		return ""
	}
	return "My budget for the cloud is spent, so I answer by myself for now."
}

// Note tells the responder, if it is connected, what the house has answered, unless that
// is for the house alone.
func (r *cloudTalk) Note(ask llm.Ask, answer string) {
	if !thinker.Private(ask.Text) && !r.local() && !r.atHome(ask.Text) {
		r.client.Note([]llm.Message{{Role: llm.User, Content: ask.Text}, {Role: llm.Assistant, Content: answer}})
	}
}

// Remark has it say something that stays out of the conversation.
func (r *cloudTalk) Remark(ctx context.Context, instructions string) (spoken.Turn, error) {
	t, err := r.client.Open(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.Remark(instructions); err != nil {
		return nil, err
	}
	return t, nil
}

// Converses reports whether the window stays open until nobody has spoken for a
// while, which a detector has to tell.
func (r *cloud) Converses() bool { return r.cfg.Responder.Converse && !r.blind }

// Leave ends the session.
func (r *cloudTalk) Leave() { r.client.End() }

// forget ends the session in which what is forgotten was said.
func (r *cloud) forget() {
	if r != nil {
		r.own.client.End()
	}
}

// Prepare connects.
func (r *cloudTalk) Prepare() {
	if r.Wanted() {
		r.client.Prepare()
	}
}

// Open begins a turn.
func (r *cloudTalk) Open(ctx context.Context) (spoken.Turn, error) {
	t, err := r.client.Open(ctx)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// learn has it go by what the thinkers are, which need not be there.
func (r *cloud) learn(domains []thinker.Domain, prompts thinker.Prompts) {
	byWords := thinker.ByWords(domains)
	r.domain.Store(&byWords)
	r.instructions.Store(&prompts.Responder)
}

// atHome reports whether a request must not leave the house now.
func (r *cloud) atHome(text string) bool {
	return r.keeps((*r.domain.Load())(text), time.Now())
}

// keeps reports whether what a thinker is asked stays at home at that time.
func (r *cloud) keeps(domain string, at time.Time) bool {
	route := &r.now().Route
	return slices.Contains(route.AtHome, domain) || slices.ContainsFunc(route.ThinkerHours, func(h config.ThinkerHours) bool {
		return h.Thinker == domain && !r.during(h.Hours, at)
	})
}

// persona is what a new session is told.
func (r *cloudTalk) persona(ctx context.Context) realtime.Persona {
	p := realtime.Persona{Instructions: *r.instructions.Load(), Tools: r.tools()}
	ctx, cancel := context.WithTimeout(ctx, personaLimit)
	defer cancel()
	if known := r.recall.Known(ctx, ""); known != "" {
		p.Instructions += "\n\n" + known
	}
	if r.mind != nil {
		p.History = r.leaves(r.mind.History())
	}
	return p
}

// leaves is what of a conversation may leave the house: all but the requests that must
// not, with what came of them.
func (r *cloud) leaves(said []llm.Message) (list []llm.Message) {
	stays := false
	for _, m := range said {
		if m.Role == llm.User {
			stays = r.atHome(m.Content)
		}
		if !stays {
			list = append(list, m)
		}
	}
	return list
}
