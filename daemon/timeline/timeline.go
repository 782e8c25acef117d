// Package timeline keeps what happened in the last turns, and when, for people who want to
// know why an answer was slow, was cut, or took another route. It only observes: Run, on
// its caller's goroutine, follows the event bus. What it keeps is bounded in turns and in
// bytes, and stays in memory. Of hearthd it imports only daemon/event, audio and config/letters.
package timeline

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/config/letters"
	"hearthd/daemon/event"
)

const (
	// kept is how many finished turns are kept, and maxBytes bounds their texts: 500 turns of
	// a household have about 200 kB.
	kept     = 500
	maxBytes = 1 << 20

	maxOpen  = 16   // turns that have not ended
	maxMarks = 64   // in a turn
	maxCalls = 32   // in a turn
	maxWords = 2000 // bytes of an answer or a transcript

	// before is how long before the beginning of a turn its wake word and speech may be.
	before = 30 * time.Second

	queue = 256 // events
)

// The kinds of marks, in the order in which they come.
const (
	Wake       = "wake"       // a wake word was heard; Text names it
	Speech     = "speech"     // somebody began to speak
	SpeechEnd  = "speech_end" // the end of their speech was detected; Text says how
	Begun      = "begun"      // the turn began; Text says what opened it
	Routed     = "routed"     // Text is the route, and the intent
	FirstAudio = "first_audio"
	BargeIn    = "barge_in" // speech cut the answer
	Hushed     = "hushed"   // a stop word did
)

// Mark is one moment of a turn.
type Mark struct {
	Kind string `json:"kind"`
	At   int64  `json:"at_ms"` // after the beginning of the turn; negative: before it
	Text string `json:"text,omitempty"`
}

// Call is one tool call of a turn. Arguments and Result are empty if transcripts are
// switched off.
type Call struct {
	ID        string `json:"call"`
	Tool      string `json:"tool"`
	At        int64  `json:"at_ms"`
	TookMS    int64  `json:"took_ms"`
	Outcome   string `json:"outcome,omitempty"` // empty: it has not ended
	Arguments string `json:"arguments,omitempty"`
	Result    string `json:"result,omitempty"`
}

// Turn is one turn with its marks.
type Turn struct {
	event.Turn
	Begun time.Time `json:"begun"`
	Marks []Mark    `json:"marks"`
	Calls []Call    `json:"calls"`
	// Sound: the recording of the request is kept.
	Sound bool `json:"sound,omitempty"`
}

// Recorder keeps the turns. It is safe for use by several goroutines.
type Recorder struct {
	Sounds Sounds

	sub   *event.Subscription
	ended func(*Turn)

	mu    sync.Mutex
	done  []Turn // the oldest first
	bytes int    // of their words

	// Run's only:
	open   map[uint64]*Turn
	wake   moment
	speech [2]moment // its beginning and its end
}

// moment is something that may belong to the next turn.
type moment struct {
	at   time.Time
	text string
}

// New subscribes at once, so that no event before Run is missed. ended is called with each
// finished turn, on Run's goroutine, and may be nil.
func New(bus *event.Bus, ended func(*Turn)) *Recorder {
	return &Recorder{sub: bus.Subscribe("timeline", queue), ended: ended, open: make(map[uint64]*Turn)}
}

// Run follows the events until ctx ends.
func (r *Recorder) Run(ctx context.Context) error {
	old := time.NewTicker(sweep)
	defer old.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-r.sub.C():
			r.take(e)
		case <-old.C:
			r.Sounds.turns()
		}
	}
}

// take notes one event.
func (r *Recorder) take(e event.Event) {
	h := event.Head(e)
	switch e := e.(type) {
	case *event.Woken:
		if h.Turn == 0 {
			r.wake = moment{h.Time, e.By}
			return
		}
		r.begin(h, e.By)
	case *event.SpeechStarted:
		r.speech = [2]moment{{at: h.Time}}
	case *event.SpeechEnded:
		r.speech[1] = moment{h.Time, e.Reason}
	case *event.Routed:
		r.mark(h, Routed, strings.TrimSpace(e.Route+" "+e.Intent))
	case *event.StateChanged:
		if e.To == event.Speaking {
			r.mark(h, FirstAudio, "")
		}
	case *event.BargeIn:
		r.mark(h, BargeIn, "")
	case *event.Hushed:
		r.mark(h, Hushed, e.By)
	case *event.ToolStarted:
		r.started(h, e)
	case *event.ToolFinished:
		r.finished(h, e)
	case *event.Turn:
		r.end(h, e)
	}
}

// begin opens a turn. If it is spoken, what was heard shortly before belongs to it.
func (r *Recorder) begin(h event.Header, by string) *Turn {
	if len(r.open) >= maxOpen {
		clear(r.open) // their ends were lost
	}
	t := &Turn{Turn: event.Turn{Header: h}, Begun: h.Time, Marks: []Mark{}, Calls: []Call{}}
	r.open[h.Turn] = t
	if by == "" {
		return t
	}
	if by != "text" {
		for i, m := range []moment{r.wake, r.speech[0], r.speech[1]} {
			if !m.at.IsZero() && h.Time.Sub(m.at) < before {
				t.add([]string{Wake, Speech, SpeechEnd}[i], m.at, m.text)
			}
		}
		r.wake, r.speech = moment{}, [2]moment{}
	}
	t.add(Begun, h.Time, by)
	return t
}

// of is the turn that h belongs to; nil: none. Nothing opens an announcement: the first event of it begins its turn.
func (r *Recorder) of(h event.Header) *Turn {
	if h.Turn == 0 {
		return nil
	}
	if t := r.open[h.Turn]; t != nil {
		return t
	}
	return r.begin(h, "")
}

func (r *Recorder) mark(h event.Header, kind, text string) {
	t := r.of(h)
	if t == nil {
		return
	}
	if kind == FirstAudio && slices.ContainsFunc(t.Marks, func(m Mark) bool { return m.Kind == kind }) {
		return
	}
	t.add(kind, h.Time, text)
}

func (t *Turn) add(kind string, at time.Time, text string) {
	if len(t.Marks) < maxMarks {
		t.Marks = append(t.Marks, Mark{kind, at.Sub(t.Begun).Milliseconds(), text})
	}
}

func (r *Recorder) started(h event.Header, e *event.ToolStarted) {
	if t := r.of(h); t != nil && len(t.Calls) < maxCalls {
		at := h.Time.Sub(t.Begun).Milliseconds()
		t.Calls = append(t.Calls, Call{ID: e.Call, Tool: e.Tool, At: at, Arguments: e.Arguments})
	}
}

func (r *Recorder) finished(h event.Header, e *event.ToolFinished) {
	t := r.of(h)
	if t == nil {
		return
	}
	if i := slices.IndexFunc(t.Calls, func(c Call) bool { return c.ID == e.Call && c.Outcome == "" }); i >= 0 {
		c := &t.Calls[i]
		c.Outcome, c.TookMS, c.Result = e.Outcome, e.TookMS, e.Text
	}
}

// end keeps a finished turn.
func (r *Recorder) end(h event.Header, e *event.Turn) {
	t := r.of(h)
	if t == nil {
		return
	}
	delete(r.open, h.Turn)
	t.Turn = *e
	t.Transcript, t.Answer = letters.Cut(e.Transcript, maxWords), letters.Cut(e.Answer, maxWords)
	if e.Forgets() {
		t.forget()
		r.Sounds.Erase(h.Turn)
	}
	if r.ended != nil {
		r.ended(t)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = append(r.done, *t)
	r.bytes += t.words()
	n := max(0, len(r.done)-kept)
	for i := 0; i < n || r.bytes > maxBytes && i < len(r.done)-1; i++ {
		r.bytes -= r.done[i].words()
		n = i + 1
	}
	r.done = slices.Delete(r.done, 0, n)
}

// words is the number of bytes of text in t.
func (t *Turn) words() int {
	n := len(t.Transcript) + len(t.Answer)
	for _, c := range t.Calls {
		n += len(c.Arguments) + len(c.Result)
	}
	for _, s := range t.Sources {
		n += len(s.Title) + len(s.URL)
	}
	return n
}

// forget drops the words of t. It copies Calls, which others may be reading.
func (t *Turn) forget() {
	t.Transcript, t.Answer, t.Sources = "", "", nil
	t.Calls = slices.Clone(t.Calls)
	for i := range t.Calls {
		t.Calls[i].Arguments, t.Calls[i].Result = "", ""
	}
}

// Forget drops all words and sounds, but not what happened when.
func (r *Recorder) Forget() {
	r.Sounds.Erase(0)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.done {
		r.done[i].forget()
	}
	r.bytes = 0
}

// Query selects some of the kept turns.
type Query struct {
	Limit   int    // how many at most
	Before  uint64 // only those with a smaller id; 0: all
	Slowest bool   // the slowest first, by the time to the first sound, else the newest
}

// Turns returns those that q selects. Their slices are shared and must not be changed.
func (r *Recorder) Turns(q Query) []Turn {
	list := r.choose(q)
	have := r.Sounds.turns()
	for i := range list {
		list[i].Sound = have[list[i].Header.Turn]
	}
	return list
}

func (r *Recorder) choose(q Query) []Turn {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Turn, 0, min(q.Limit, len(r.done)))
	if q.Slowest {
		list = slices.Clone(r.done)
		slices.SortStableFunc(list, func(a, b Turn) int { return int(slowness(&b) - slowness(&a)) })
		return list[:min(q.Limit, len(list))]
	}
	for i := len(r.done) - 1; i >= 0 && len(list) < q.Limit; i-- {
		if q.Before == 0 || r.done[i].Header.Turn < q.Before {
			list = append(list, r.done[i])
		}
	}
	return list
}

// slowness is how long a person waited for an answer, in ms. Nobody waits for an announcement.
func slowness(t *Turn) int64 {
	switch {
	case t.Source == "announcement":
		return 0
	case t.Stages.FirstSound > 0:
		return t.Stages.FirstSound
	}
	return t.Stages.Total
}
