package thinker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/llm"
)

const (
	// summaryEvery is how many turns go into a summary at a time.
	summaryEvery = 10
	// maxPending bounds the turns that wait to be reflected on: of more, the oldest
	// are not remembered.
	maxPending = 50
	// reflectLimit bounds one question of the reflection.
	reflectLimit = 2 * time.Minute
	// quiet is the silence after a turn before a model is asked about it: whoever
	// goes on talking has the model for themselves.
	quiet = 20 * time.Second
	// maxNotes, maxNoteText and so on bound what one reflection may note.
	maxNotes     = 5
	maxNoteText  = 300
	maxTopics    = 3
	maxTopicText = 40
	maxSummary   = 2000 // bytes
)

// notesSchema is what the answer of a reflection must look like.
const notesSchema = `{"type":"object","properties":{"notes":{"type":"array","maxItems":5,"items":{"type":"string"}},` +
	`"topics":{"type":"array","maxItems":3,"items":{"type":"string"}}},"required":["notes"]}`

// journal is where the reflection writes.
type journal interface {
	AddNotes(ctx context.Context, person string, notes []string) error
	AddTopics(ctx context.Context, person string, topics []string) error
	Summary(ctx context.Context, person string) (string, error)
	SetSummary(ctx context.Context, person, summary string) error
}

// ReflectorOptions are what a Reflector works with.
type ReflectorOptions struct {
	Chat    chat
	Journal journal
	Prompts Prompts
	Busy    func() bool // the box has something better to do
	Log     *slog.Logger
}

// Reflector asks a model, when the box has nothing else to do, what of the last
// turns is worth remembering, and keeps the summaries. Its Run is the one goroutine.
type Reflector struct {
	opt  ReflectorOptions
	bell chan struct{} // cap 1; rung when there is more to reflect on

	prompts atomic.Pointer[Prompts]

	mu       sync.Mutex
	fresh    []Exchange            // not reflected on
	unmerged map[string][]Exchange // not in the summary, by person
	ended    bool                  // the conversation: all of them go into summaries
	age      int                   // how often all was forgotten
}

// Exchange is a turn as it is reflected on.
type Exchange struct {
	Person       string
	User, Answer string
}

// NewReflector checks o.
func NewReflector(o ReflectorOptions) (*Reflector, error) {
	if o.Chat == nil || o.Journal == nil || o.Busy == nil || o.Log == nil {
		return nil, errors.New("new reflector: a part is missing")
	}
	r := &Reflector{opt: o, bell: make(chan struct{}, 1), unmerged: make(map[string][]Exchange)}
	r.Teach(o.Prompts)
	return r, nil
}

// Teach replaces the prompts.
func (r *Reflector) Teach(p Prompts) {
	p = p.filled()
	r.prompts.Store(&p)
}

// Add takes a finished turn. It never waits for a model; what the user asked not to
// remember is not taken.
func (r *Reflector) Add(e Exchange) {
	if e.User == "" || Private(e.User) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fresh = newest(append(r.fresh, e))
	r.unmerged[e.Person] = newest(append(r.unmerged[e.Person], e))
	r.ring()
}

func newest(turns []Exchange) []Exchange { return turns[max(0, len(turns)-maxPending):] }

// End says that the conversation has ended, so that its summary is due.
func (r *Reflector) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.ring()
}

// Forget drops the turns that wait. When it returns nothing will be written of them,
// and neither of what a model is being asked.
func (r *Reflector) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fresh, r.ended = nil, false
	clear(r.unmerged)
	r.age++
}

func (r *Reflector) ring() {
	select {
	case r.bell <- struct{}{}:
	default:
	}
}

// Run reflects until ctx ends. It returns nil.
func (r *Reflector) Run(ctx context.Context) error {
	pause := time.NewTimer(quiet)
	pause.Stop()
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.bell:
			pause.Reset(quiet)
		case <-pause.C:
			if r.opt.Busy() {
				pause.Reset(quiet)
				continue
			}
			r.reflect(ctx)
		}
	}
}

// reflect asks for notes and summaries, for each person apart.
func (r *Reflector) reflect(ctx context.Context) {
	r.mu.Lock()
	age, people, due := r.age, make(map[string][]Exchange), make(map[string][]Exchange)
	for _, e := range r.fresh {
		people[e.Person] = append(people[e.Person], e)
	}
	for person, turns := range r.unmerged {
		if r.ended || len(turns) >= summaryEvery {
			due[person] = turns
			delete(r.unmerged, person)
		}
	}
	r.fresh, r.ended = nil, false
	r.mu.Unlock()
	for person, turns := range people {
		if err := r.note(ctx, age, person, turns); err != nil && ctx.Err() == nil {
			r.opt.Log.Info("nothing noted of the last turns", "component", "memory", "error", err)
		}
	}
	for person, turns := range due {
		if err := r.summarise(ctx, age, person, turns); err != nil && ctx.Err() == nil {
			r.opt.Log.Info("summary is not brought up to date", "component", "memory", "error", err)
		}
	}
}

// write changes the memory; the error is errForgotten when what was read before is
// forgotten meanwhile.
func (r *Reflector) write(age int, change func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.age != age {
		return errForgotten
	}
	return change()
}

func (r *Reflector) note(ctx context.Context, age int, person string, turns []Exchange) error {
	text, err := r.ask(ctx, age, llm.Request{
		Messages: []llm.Message{{Role: llm.System, Content: r.prompts.Load().Reflect}, {Role: llm.User, Content: transcript(turns)}},
		Schema:   json.RawMessage(notesSchema),
	})
	if err != nil {
		return err
	}
	notes, topics, err := parseNotes(text)
	if err != nil {
		return err
	}
	return r.write(age, func() error {
		var errs [2]error
		if len(notes) > 0 {
			errs[0] = r.opt.Journal.AddNotes(ctx, person, notes)
		}
		if len(topics) > 0 {
			errs[1] = r.opt.Journal.AddTopics(ctx, person, topics)
		}
		return errors.Join(errs[:]...)
	})
}

// parseNotes reads the answer of a reflection. Servers may ignore the schema, so
// nothing about it is taken for granted.
func parseNotes(text string) (notes, topics []string, err error) {
	var answer struct {
		Notes  []string `json:"notes"`
		Topics []string `json:"topics"`
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(text)), &answer); err != nil {
		return nil, nil, fmt.Errorf("parse notes of the model: %w", err)
	}
	return lines(answer.Notes, maxNotes, maxNoteText), lines(answer.Topics, maxTopics, maxTopicText), nil
}

// lines are the texts that say something, at most n, each of at most limit bytes.
func lines(texts []string, n, limit int) []string {
	var out []string
	for _, s := range texts {
		s = strings.Join(strings.Fields(s), " ")
		if s != "" && len(s) <= limit && !nothing(s) && len(out) < n {
			out = append(out, s)
		}
	}
	return out
}

// nothing reports whether a note only says that there is none.
func nothing(note string) bool {
	words := strings.Join(fold(note), " ")
	for _, start := range []string{"nothing to note", "nothing", "none", "no notes", "no durable", "n a", "there is nothing", "empty"} {
		if words == start || strings.HasPrefix(words, start+" ") && len(start) > len("nothing") {
			return true
		}
	}
	return false
}

// summarise merges turns into the summary of a person.
func (r *Reflector) summarise(ctx context.Context, age int, person string, turns []Exchange) error {
	before, err := r.opt.Journal.Summary(ctx, person)
	if err != nil {
		return err
	}
	text, err := r.ask(ctx, age, llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: r.prompts.Load().Summary},
		{Role: llm.User, Content: "Summary so far: " + before + "\n\nNew:\n" + transcript(turns)},
	}})
	if err != nil {
		return err
	}
	if text = strings.TrimSpace(text); text == "" {
		return errors.New("the model gave no summary")
	}
	return r.write(age, func() error { return r.opt.Journal.SetSummary(ctx, person, cutText(text, maxSummary)) })
}

// ask gives the whole answer of the model.
func (r *Reflector) ask(ctx context.Context, age int, req llm.Request) (string, error) {
	if err := r.write(age, func() error { return nil }); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, reflectLimit)
	defer cancel()
	var b strings.Builder
	for d, err := range r.opt.Chat.Chat(ctx, req) {
		if err != nil {
			return "", err
		}
		b.WriteString(d.Text)
	}
	return b.String(), nil
}

func transcript(turns []Exchange) string {
	var b strings.Builder
	for _, e := range turns {
		fmt.Fprintf(&b, "User: %s\nAssistant: %s\n", e.User, e.Answer)
	}
	return b.String()
}

// Private reports whether a request asks not to be remembered.
func Private(request string) bool {
	words := " " + strings.Join(fold(request), " ") + " "
	// "Don't forget the milk" asks for the opposite.
	words = strings.NewReplacer(" don't forget ", " ", " do not forget ", " ", " never forget ", " ").Replace(words)
	for _, phrase := range []string{"don't remember", "do not remember", "don't save", "do not save", "off the record", "forget",
		"keep this private", "keep that private", "between us"} {
		if strings.Contains(words, " "+phrase+" ") {
			return true
		}
	}
	return false
}
