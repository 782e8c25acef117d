package answer

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// executor runs tool calls, each with exactly one outcome.
type executor interface {
	Run(ctx context.Context, call tools.Call) tools.Outcome
}

// Toolbox runs tool calls for intents, thinkers and responders alike and notes each in the
// turn that it belongs to.
type Toolbox struct {
	bus   *event.Bus
	exec  executor
	book  *phrase.Book
	words bool // may stand in events

	mu    sync.Mutex
	turns map[uint64]*notes // that go on
	last  map[string]told   // by the call of a guest; the empty name is the box itself
}

// told is what one speaker has told last.
type told struct {
	said    string
	foreign bool // words of said may be from outside the house
	cited   []llm.Source
}

// maxTold bounds the guests whose last answers are kept.
const maxTold = 16

// NewToolbox makes one that calls exec. book has the sentences about calls. With words, events show
// the arguments and results of calls.
func NewToolbox(bus *event.Bus, exec executor, book *phrase.Book, words bool) *Toolbox {
	return &Toolbox{bus: bus, exec: exec, book: book, words: words, turns: make(map[uint64]*notes),
		last: make(map[string]told)}
}

// Run runs call and publishes that it started and finished, in pairs. If a person has to agree to
// the call, they are asked at the end of the turn; outside of turns nobody can be asked.
func (b *Toolbox) Run(ctx context.Context, call tools.Call) tools.Outcome {
	n := b.turn(call.For.Turn)
	var h event.Header
	if n != nil {
		h = n.header
		n.count(1)
		defer n.count(-1)
	}
	b.bus.Publish(&event.ToolStarted{
		Header: h, Call: call.ID, Tool: call.Name, Arguments: b.shown(string(call.Arguments)),
	})
	begun := time.Now()
	out := b.exec.Run(ctx, call)
	took := time.Since(begun)
	use := event.ToolUse{Tool: call.Name, Outcome: string(out.Class), TookMS: took.Milliseconds()}
	b.bus.Publish(&event.ToolFinished{
		Header: h, Call: call.ID, Tool: use.Tool, Outcome: use.Outcome, TookMS: use.TookMS, Text: b.shown(out.Text),
	})
	if n != nil {
		n.add(use, took)
		b.cite(n, out.Sources)
		if out.Foreign {
			n.markForeign()
		}
		if out.Kept {
			n.kept.Store(true)
		}
	}
	n.asks(call.ToolCall, &out, b.book)
	return out
}

// turn is what is noted of a turn that is going on; nil: it is not.
func (b *Toolbox) turn(id uint64) *notes {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.turns[id]
}

// begin makes the calls of a turn be noted in n until end.
func (b *Toolbox) begin(n *notes) (end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turns[n.header.Turn] = n
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.turns, n.header.Turn)
	}
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

// cite notes the sources of a turn's answer.
func (b *Toolbox) cite(n *notes, sources []llm.Source) {
	if len(sources) == 0 {
		return
	}
	cited := n.cite(sources)
	b.tell(n.guest, func(t *told) { t.cited = cited })
}

// tell notes what a speaker has told.
func (b *Toolbox) tell(guest string, note func(*told)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, known := b.last[guest]
	if !known && len(b.last) > maxTold { // most of them have left
		maps.DeleteFunc(b.last, func(guest string, _ told) bool { return guest != "" })
	}
	note(&t)
	b.last[guest] = t
}

// Forget drops the words and the sources of the last turns.
func (b *Toolbox) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.last)
}

// say notes what a speaker said last, and whether words from outside the house may be in it.
func (b *Toolbox) say(guest, text string, foreign bool) {
	if text != "" {
		b.tell(guest, func(t *told) { t.said, t.foreign = text, foreign })
	}
}

// Said is the whole of what a speaker said last, the box where guest is empty, also where it was cut, and whether words
// from outside the house may be in it; empty when nothing was said.
func (b *Toolbox) Said(guest string) (text string, foreign bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.last[guest]
	return t.said, t.foreign
}

// Cited are the sources of a speaker's last turn that had any.
func (b *Toolbox) Cited(guest string) []llm.Source {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last[guest].cited
}

// maxSources bounds the sources of one turn.
const maxSources = 20

// notes collects the tool calls of one turn, which may run in parallel.
type notes struct {
	header event.Header
	person string
	guest  string
	aloud  bool                   // the request was spoken
	said   atomic.Pointer[string] // what the person said, as far as it is known
	moved  func(event.State)

	mu      sync.Mutex
	running int
	uses    []event.ToolUse
	took    time.Duration
	sources []llm.Source
	asked   []asked     // calls that wait for a yes, and requests that wait for an answer
	foreign atomic.Bool // the conversation holds words from outside the house
	fresh   atomic.Bool // this turn has brought some
	kept    atomic.Bool // the answer tells of something that the memory keeps
}

// markForeign notes that a result of this turn contains words from outside the house.
func (n *notes) markForeign() {
	n.foreign.Store(true)
	n.fresh.Store(true)
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

// cite adds sources, and returns all of the turn.
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

// Sayable is the sentence about an outcome outside of turns, where nobody can be asked.
func (b *Toolbox) Sayable(out tools.Outcome) string {
	if out.Class == tools.Asked {
		return b.book.Say("dialogue.nobody_to_ask")
	}
	return out.Spoken(b.book)
}
