package answer

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/daemon/event"
	"hearthd/llm"
)

// Outcome is what came of a tool call: Say for people, empty when an earcon says
// enough; Text for a model.
type Outcome struct {
	Say   string
	Text  string
	Class string // "ok", or what went wrong
	// Sources are what Text rests on, if it is from somewhere.
	Sources []llm.Source
	Foreign bool // words of Text are from outside the house
	// Then says that Say is a question: the requests that an answer may make of it,
	// in which {answer} stands for what is answered.
	Then []string
	// Record says that Say asks a person to speak. The call is made again then, with
	// what they say as Recorded of its context.
	Record bool
	// Question is what a person has to say yes to before the call is run, when
	// Class is "asked".
	Question string
	Data     any // for a console
}

// executor runs tool calls, each with exactly one outcome.
type executor interface {
	Run(ctx context.Context, call llm.ToolCall) Outcome
	// Ask checks a call that the person has to agree to, and runs nothing.
	Ask(ctx context.Context, call llm.ToolCall) Outcome
	// RunConfirmed is Run for a call that a person has said yes to when they were asked
	// question. If the call means something else by now, that is asked.
	RunConfirmed(ctx context.Context, call llm.ToolCall, question string) Outcome
}

// Toolbox runs tool calls for intents and thinkers alike and notes each in the
// turn that its context belongs to.
type Toolbox struct {
	bus   *event.Bus
	exec  executor
	words bool // may stand in events

	mu      sync.Mutex
	cited   []llm.Source
	said    string
	foreign bool // words of said may be from outside the house
}

// NewToolbox wraps exec. With words, events show what calls are told and tell.
func NewToolbox(bus *event.Bus, exec executor, words bool) *Toolbox {
	return &Toolbox{bus: bus, exec: exec, words: words}
}

// Run runs call and publishes that it started and finished, in pairs. What a
// person has to agree to is asked at the end of the turn; outside of turns nobody
// can be.
func (b *Toolbox) Run(ctx context.Context, call llm.ToolCall) Outcome {
	out := b.run(ctx, call, b.exec.Run)
	n, _ := ctx.Value(notesKey{}).(*notes)
	switch {
	case out.Record && (n == nil || !n.aloud):
		out.Say, out.Text, out.Record = SayNobodyToRecord, SayNobodyToRecord, false
	case out.Record:
		n.record(call, out.Say)
		out.Text = toldRecord
	case out.Class == ClassAsked:
		n.ask(call, &out)
	}
	return out
}

// Ask has the person asked at the end of the turn whether a call is to be run.
func (b *Toolbox) Ask(ctx context.Context, call llm.ToolCall) Outcome {
	return b.asking(ctx, call, b.exec.Ask)
}

// RunConfirmed is Run for a call that a person has said yes to, as that of executor.
func (b *Toolbox) RunConfirmed(ctx context.Context, call llm.ToolCall, question string) Outcome {
	return b.asking(ctx, call, func(ctx context.Context, c llm.ToolCall) Outcome {
		return b.exec.RunConfirmed(ctx, c, question)
	})
}

// run is one of the ways to run a call.
type run func(ctx context.Context, call llm.ToolCall) Outcome

func (b *Toolbox) asking(ctx context.Context, call llm.ToolCall, exec run) Outcome {
	out := b.run(ctx, call, exec)
	if n, _ := ctx.Value(notesKey{}).(*notes); out.Class == ClassAsked {
		n.ask(call, &out)
	}
	return out
}

func (b *Toolbox) run(ctx context.Context, call llm.ToolCall, exec run) Outcome {
	n, _ := ctx.Value(notesKey{}).(*notes)
	var h event.Header
	if n != nil {
		h = n.header
		n.count(1)
		defer n.count(-1)
	}
	begun := time.Now()
	b.bus.Publish(&event.ToolStarted{
		Header: h, Call: call.ID, Tool: call.Name, Arguments: b.shown(string(call.Arguments)),
	})
	out := exec(ctx, call)
	took := time.Since(begun)
	b.bus.Publish(&event.ToolFinished{
		Header: h, Call: call.ID, Tool: call.Name, Outcome: out.Class, TookMS: took.Milliseconds(), Text: b.shown(out.Text),
	})
	if n != nil {
		n.add(event.ToolUse{Tool: call.Name, Outcome: out.Class, TookMS: took.Milliseconds()}, took)
		b.cite(n, out.Sources)
		if out.Foreign {
			n.shown()
		}
	}
	return out
}

// shown is what an event shows of text.
func (b *Toolbox) shown(text string) string {
	switch {
	case !b.words:
		return ""
	case len(text) > event.MaxWords:
		text = text[:event.MaxWords]
	}
	return strings.ToValidUTF8(text, "")
}

// cite notes what the answer of a turn rests on.
func (b *Toolbox) cite(n *notes, sources []llm.Source) {
	if len(sources) == 0 {
		return
	}
	cited := n.cite(sources)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cited = cited
}

// Forget drops the words and the sources of the last turn.
func (b *Toolbox) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cited, b.said, b.foreign = nil, "", false
}

// say notes what was said last, and whether words from outside the house may be in it.
func (b *Toolbox) say(text string, foreign bool) {
	if text == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said, b.foreign = text, foreign
}

// Said is the whole of what was said last, also where it was cut, and whether words from
// outside the house may be in it; empty when nothing was said.
func (b *Toolbox) Said() (text string, foreign bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.said, b.foreign
}

// Cited are the sources of the last turn that had any.
func (b *Toolbox) Cited() []llm.Source {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cited
}

// maxSources bounds the sources of one turn.
const maxSources = 20

// notes collects the tool calls of one turn, which may run in parallel.
type notes struct {
	header event.Header
	person string
	aloud  bool                   // the request was spoken
	said   atomic.Pointer[string] // what the person said, as far as it is known
	moved  func(event.State)

	mu      sync.Mutex
	running int
	uses    []event.ToolUse
	took    time.Duration
	sources []llm.Source
	asked   []asked     // calls that wait for a yes, and what waits for an answer
	foreign atomic.Bool // the conversation holds words from outside the house
	fresh   atomic.Bool // this turn has brought some
}

type notesKey struct{}

// shown notes that a tool of this turn told words from outside the house.
func (n *notes) shown() {
	n.foreign.Store(true)
	n.fresh.Store(true)
}

// Asked is the turn that ctx belongs to, for whoever words a request in its course: what
// the person said themselves, who they are, and whether the conversation holds words from
// outside the house.
func Asked(ctx context.Context) llm.Ask {
	ask := llm.Ask{Person: llm.CallerOf(ctx).Person}
	if n, _ := ctx.Value(notesKey{}).(*notes); n != nil {
		ask.Foreign = n.foreign.Load()
		if said := n.said.Load(); said != nil {
			ask.Said = *said
		}
	}
	return ask
}

// count changes how many tools run: the first one moves the turn, and the last one
// back. moved waits for the loop, which never takes mu.
func (n *notes) count(by int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.running += by
	switch {
	case n.running == 0:
		n.moved(event.Thinking)
	case by > 0 && n.running == 1:
		n.moved(event.ToolCalling)
	}
}

func (n *notes) add(u event.ToolUse, took time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.uses = append(n.uses, u)
	n.took += took
}

// cite adds sources, and gives all of the turn.
func (n *notes) cite(sources []llm.Source) []llm.Source {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range sources {
		if !slices.Contains(n.sources, s) && len(n.sources) < maxSources {
			n.sources = append(n.sources, s)
		}
	}
	return slices.Clone(n.sources)
}

func (n *notes) cited() []llm.Source {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.sources)
}

func (n *notes) list() ([]event.ToolUse, time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.uses, n.took
}
