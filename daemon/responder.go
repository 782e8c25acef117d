package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/config"
	"hearthd/daemon/control"
	"hearthd/daemon/dialogue"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/supervise"
	"hearthd/llm"
	"hearthd/llm/realtime"
	"hearthd/llm/thinker"
	"hearthd/tools"
	"hearthd/tools/when"
)

const (
	// maxResponderTools bounds the tools that the responder is told of, for it pays for
	// all of them in every turn. hearthd's own are fewer: what is bounded is what the
	// household adds.
	maxResponderTools = 64
	// converseIdle outlasts the silence within a conversation.
	converseIdle = 90 * time.Second
	// costQueue is how many costs may wait for the disk to take what they cost.
	costQueue = 64
	// costLimit bounds the wait for the disk to take one.
	costLimit = time.Second
	// personaLimit bounds what a new session waits for the memory.
	personaLimit = time.Second
)

// cloud is the responder, while the household's policy and budget allow it.
type cloud struct {
	d     *Daemon
	house *house
	own   *cloudTalk // of the box's dialogue
	// instructions are the first part of what it is told.
	instructions atomic.Pointer[string]
	costs        chan float64

	mu    sync.Mutex
	at    time.Time // the day of the sums
	day   float64   // spent
	month float64
	told  bool // that the budget is spent, on that day
}

// cloudTalk is one conversation with the responder, as a dialogue sees it: the box's, or
// that of somebody who talks from a browser. Policy, hours and budget are the cloud's.
type cloudTalk struct {
	*cloud
	client *realtime.Client
	mind   *mind // whose conversation it goes on with; nil: there is none
}

// buildResponder is nil when there is none.
func (d *Daemon) buildResponder(ctx context.Context, h *house) (*cloud, error) {
	c, route := &d.cfg.Responder, &d.cfg.Route
	if c.URL == "" || route.Policy == "local" {
		return nil, nil
	}
	var err error
	if h.thinker != nil {
		consult, err := d.buildConsultation(h.thinker)
		if err != nil {
			return nil, err
		}
		h.consult.Store(consult)
	}
	r := &cloud{d: d, house: h, costs: make(chan float64, costQueue), at: time.Now()}
	prompts, mistakes := thinker.LoadPrompts(d.cfg.Thinker.Prompts)
	for _, m := range mistakes {
		d.log.Error("prompt refused", "component", "responder", "error", m)
	}
	r.instructions.Store(&prompts.Responder)
	if r.day, r.month, err = d.store.Spent(ctx, r.at); err != nil {
		return nil, err
	}
	r.own, err = r.newTalk(h.thinker)
	return r, err
}

// newTalk begins a conversation, which connects when it is first needed.
func (r *cloud) newTalk(m *mind) (*cloudTalk, error) {
	d, c := r.d, &r.d.cfg.Responder
	idle := c.Idle
	if c.Converse {
		idle = max(idle, converseIdle)
	}
	t, p := &cloudTalk{cloud: r, mind: m}, &c.Prices
	var err error
	t.client, err = realtime.New(realtime.ClientOptions{
		Options: realtime.Options{
			URL: c.URL, Key: d.secret(c.Key), Model: c.Model, Voice: c.Voice, Transcriber: c.Transcriber, Language: d.cfg.STT.Language,
			Prices: realtime.Prices{
				TextIn: p.TextIn, TextCached: p.TextCached, TextOut: p.TextOut,
				AudioIn: p.AudioIn, AudioCached: p.AudioCached, AudioOut: p.AudioOut,
				TranscriptIn: p.TranscriptIn, TranscriptOut: p.TranscriptOut, TranscriptMinute: p.TranscriptMinute,
			},
			Detects: d.sense.blind != nil, Spent: r.spent, Log: d.log,
		},
		Persona: t.persona, Idle: idle,
		Changed: func(err error) { d.engineState("responder", err, responderText(err)) },
	})
	return t, err
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
		{Name: "costs", Policy: supervise.Restart, Run: r.keepCosts},
		{Name: "responder", Policy: supervise.Restart, Run: r.own.client.Run},
	}
}

// Wanted reports whether a request may go there now.
func (r *cloudTalk) Wanted() bool {
	return !r.local() && r.open(time.Now()) && !r.overBudget(time.Now()) && r.client.Available()
}

// local reports whether the household wants nothing to go there.
func (r *cloud) local() bool {
	return r.d.manners.local.Load() || r.d.now().Route.Policy == contract.Local
}

// open reports whether it may be asked at this time of day.
func (r *cloud) open(at time.Time) bool { return r.during(r.d.now().Route.Hours, at) }

// during reports whether at is within hours, which are always if they are empty.
func (r *cloud) during(hours string, at time.Time) bool {
	from, to, ok := config.Hours(hours)
	now := when.Float(at, r.d.zone)
	return !ok || within(now.Sub(when.Date(now)), from, to)
}

// Excuse is said once a day: why the thinker answers what the responder could.
func (r *cloud) Excuse() string {
	now := time.Now()
	if r.local() || !r.open(now) || !r.overBudget(now) {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told {
		return ""
	}
	r.told = true
	return "My budget for the cloud is spent, so I answer by myself for now."
}

// Note tells the responder, if it is connected, what the house has answered.
func (r *cloudTalk) Note(ask llm.Ask, answer string) {
	if !thinker.Private(ask.Text) && !r.local() {
		r.client.Note([]llm.Message{{Role: llm.User, Content: ask.Text}, {Role: llm.Assistant, Content: answer}})
	}
}

// Remark has it say something that stays out of the conversation.
func (r *cloudTalk) Remark(ctx context.Context, instructions string) (dialogue.SpokenTurn, error) {
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
func (r *cloud) Converses() bool { return r.d.cfg.Responder.Converse && r.d.sense.blind == nil }

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
func (r *cloudTalk) Open(ctx context.Context) (dialogue.SpokenTurn, error) {
	t, err := r.client.Open(ctx)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// atHome reports whether a request must not leave the house now.
func (r *cloud) atHome(text string) bool {
	return r.house.thinker != nil && r.keeps(r.house.thinker.Domain(text), time.Now())
}

// keeps reports whether what a thinker is asked stays at home at that time.
func (r *cloud) keeps(domain string, at time.Time) bool {
	route := &r.d.now().Route
	return slices.Contains(route.AtHome, domain) || slices.ContainsFunc(route.ThinkerHours, func(h config.ThinkerHours) bool {
		return h.Thinker == domain && !r.during(h.Hours, at)
	})
}

// spent takes what a response or a transcript cost. Its sums hold at once; the disk follows.
func (r *cloud) spent(money float64) {
	r.mu.Lock()
	r.turnDay(time.Now())
	r.day += money
	r.month += money
	r.mu.Unlock()
	select {
	case r.costs <- money:
	default:
		r.d.log.Error("a cost is not kept, the disk is behind", "component", "responder", "money", money)
	}
}

// turnDay begins the sums anew at midnight. mu is held.
func (r *cloud) turnDay(now time.Time) {
	if now.Format(time.DateOnly) == r.at.Format(time.DateOnly) {
		return
	}
	if now.Month() != r.at.Month() || now.Year() != r.at.Year() {
		r.month = 0
	}
	r.at, r.day, r.told = now, 0, false
}

// sums are what was spent today and in this month.
func (r *cloud) sums(now time.Time) (day, month float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turnDay(now)
	return r.day, r.month
}

// overBudget reports whether the budget of the day or of the month is spent.
func (r *cloud) overBudget(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turnDay(now)
	c := &r.d.now().Responder
	over := r.day >= c.Daily || r.month >= c.Monthly
	if over {
		r.d.conditions.Set("budget", health.Warning, fmt.Sprintf("The responder has cost %.2f %s today and %.2f this month, which is its budget; the thinker answers instead.",
			r.day, c.Prices.Currency, r.month))
	} else {
		r.d.conditions.Clear("budget")
	}
	return over
}

// keepCosts writes what was spent, at the end too.
func (r *cloud) keepCosts(ctx context.Context) error {
	for {
		select {
		case money := <-r.costs:
			r.keepCost(ctx, money)
			continue
		default:
		}
		select {
		case <-ctx.Done():
			return nil
		case money := <-r.costs:
			r.keepCost(ctx, money)
		}
	}
}

func (r *cloud) keepCost(ctx context.Context, money float64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), costLimit)
	defer cancel()
	if err := r.d.store.AddSpent(ctx, time.Now(), money); err != nil {
		r.d.log.Error("keep cost", "component", "responder", "error", err)
	}
}

// persona is what a new session is told.
func (r *cloudTalk) persona(ctx context.Context) realtime.Persona {
	p := realtime.Persona{Instructions: *r.instructions.Load(), Tools: r.tools()}
	ctx, cancel := context.WithTimeout(ctx, personaLimit)
	defer cancel()
	if known, _ := r.d.recall.Recall(ctx, "", ""); known != "" {
		p.Instructions += "\n\n" + known
	}
	if r.mind != nil {
		p.History = r.mind.History()
	}
	return p
}

// tools are what the responder may call: the thinkers, what is quick in the house, and
// last what the household has added to it.
func (r *cloud) tools() []llm.ToolSpec {
	var list, added []llm.ToolSpec
	quick := func(string) bool { return true }
	if r.house.thinker != nil {
		list, quick = slices.Clone(r.house.consult.Load().specs), r.quick()
	}
	for _, t := range r.house.registry.List() {
		switch {
		case !quick(t.Spec.Name):
		case t.Origin != "":
			added = append(added, t.Spec)
		default:
			list = append(list, t.Spec)
		}
	}
	list = append(list, added...)
	return list[:min(len(list), maxResponderTools)]
}

// quick tells which tools need no thinker: those of the house that ask nobody outside.
func (r *cloud) quick() func(tool string) bool {
	var names []string
	for _, d := range r.house.thinker.Domains() {
		if slices.Contains(r.d.now().Route.AtHome, d.Name) || d.Name == "home" {
			names = append(names, d.Tools...)
		}
	}
	return func(tool string) bool {
		return slices.Contains(names, tool) && !slices.Contains(r.house.services, tool)
	}
}

// readOnly reports whether a tool changes nothing. A thinker has tools that do.
func (r *cloud) readOnly(tool string) bool {
	return slices.ContainsFunc(r.house.registry.Specs(), func(s llm.ToolSpec) bool { return s.Name == tool && s.ReadOnly })
}

// consultTool is the name of the tool by which the responder asks a thinker.
const consultTool = "route_to_thinker"

// consultation is what only the responder may call.
type consultation struct {
	exec  *tools.Executor
	specs []llm.ToolSpec
}

func (d *Daemon) buildConsultation(th *mind) (*consultation, error) {
	var names, what []string
	longest := time.Duration(0)
	for _, s := range th.Domains() {
		names = append(names, s.Name)
		what = append(what, s.Name+": "+s.Description)
		if !s.Background {
			longest = max(longest, s.Time)
		}
	}
	ask := func(ctx context.Context, args struct {
		Domain string `json:"domain"`
		Query  string `json:"query"`
	}) (tools.Result, error) {
		answer, foreign, err := th.Consult(ctx, args.Domain, llm.Ask{Text: args.Query, Mode: llm.Voice, Person: dialogue.Person(ctx)})
		if err != nil {
			return tools.Result{}, &tools.Failure{Say: th.Apology(err), Cause: err}
		}
		return tools.Result{Text: answer.Text, Sources: answer.Sources, Foreign: foreign}, nil
	}
	tool := tools.WithLimits(tools.Func(llm.ToolSpec{
		Name:        consultTool,
		Description: "Asks a specialist of the house, who has tools and takes a few seconds: say so first. " + strings.Join(what, " "),
		Parameters: fmt.Appendf(nil, `{"type":"object","properties":{"domain":{"type":"string","enum":["%s"]},"query":{"type":"string","description":"the whole question, in one sentence","minLength":1,"maxLength":1000}},"required":["domain","query"],"additionalProperties":false}`,
			strings.Join(names, `","`)),
	}, ask), tools.Limits{Timeout: longest + time.Second})
	registry := tools.NewRegistry()
	if err := registry.Register(tool); err != nil {
		return nil, err
	}
	exec, err := tools.NewExecutor(tools.ExecutorOptions{Registry: registry, Log: d.log, Person: dialogue.Person})
	if err != nil {
		return nil, err
	}
	return &consultation{exec, registry.Specs()}, nil
}

// spending is what status shows of the responder; nil when there is none.
func (d *Daemon) spending(ctx context.Context) (*control.Spending, error) {
	c := &d.now().Responder
	if c.URL == "" {
		return nil, nil
	}
	day, month, err := d.store.Spent(ctx, time.Now())
	return &control.Spending{Day: day, Month: month, Daily: c.Daily, Monthly: c.Monthly, Currency: c.Prices.Currency}, err
}
