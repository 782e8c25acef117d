package thinker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
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
	// maxNotes and maxNoteText bound what one reflection may note.
	maxNotes    = 5
	maxNoteText = 300
	maxSummary  = 2000 // bytes
)

// notesSchema is what the answer of a reflection must look like.
const notesSchema = `{"type":"object","properties":{"notes":{"type":"array","maxItems":5,"items":{"type":"string"}}},"required":["notes"]}`

// journal is where the reflection writes.
type journal interface {
	AddNotes(ctx context.Context, person string, notes []string) error
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
	opt   ReflectorOptions
	turns chan Exchange
}

// Exchange is a turn as it is reflected on.
type Exchange struct {
	Person       string
	User, Answer string
	Ends         bool // it was the last one of its conversation; User may be empty then
}

// NewReflector checks o.
func NewReflector(o ReflectorOptions) (*Reflector, error) {
	if o.Chat == nil || o.Journal == nil || o.Busy == nil || o.Log == nil {
		return nil, errors.New("new reflector: a part is missing")
	}
	o.Prompts = o.Prompts.filled()
	return &Reflector{opt: o, turns: make(chan Exchange, maxPending)}, nil
}

// Add takes a finished turn. It never blocks; what the user asked not to remember
// is not taken.
func (r *Reflector) Add(e Exchange) {
	if Private(e.User) {
		return
	}
	select {
	case r.turns <- e:
	default:
		r.opt.Log.Debug("too much to reflect on, a turn is not remembered", "component", "memory")
	}
}

// Run reflects until ctx ends. It returns nil.
func (r *Reflector) Run(ctx context.Context) error {
	var fresh []Exchange                    // not reflected on
	unmerged := make(map[string][]Exchange) // not in the summary, by person
	pause := time.NewTimer(quiet)
	pause.Stop()
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-r.turns:
			if e.User != "" {
				fresh = append(fresh, e)
				unmerged[e.Person] = append(unmerged[e.Person], e)
			}
			if e.Ends || len(unmerged[e.Person]) >= summaryEvery {
				r.later(ctx, pause)
				r.summarise(ctx, e.Person, unmerged[e.Person])
				delete(unmerged, e.Person)
			}
			fresh = fresh[max(0, len(fresh)-maxPending):]
			pause.Reset(quiet)
		case <-pause.C:
			if r.opt.Busy() {
				pause.Reset(quiet)
				continue
			}
			r.reflect(ctx, fresh)
			fresh = nil
		}
	}
}

// later waits until the box is not busy.
func (r *Reflector) later(ctx context.Context, t *time.Timer) {
	for r.opt.Busy() && ctx.Err() == nil {
		t.Reset(quiet)
		select {
		case <-ctx.Done():
		case <-t.C:
		}
	}
}

// reflect asks for notes on turns, for each person apart.
func (r *Reflector) reflect(ctx context.Context, turns []Exchange) {
	people := make(map[string][]Exchange)
	for _, e := range turns {
		people[e.Person] = append(people[e.Person], e)
	}
	for person, turns := range people {
		if err := r.note(ctx, person, turns); err != nil && ctx.Err() == nil {
			r.opt.Log.Info("nothing noted of the last turns", "component", "memory", "error", err)
		}
	}
}

func (r *Reflector) note(ctx context.Context, person string, turns []Exchange) error {
	text, err := r.ask(ctx, llm.Request{
		Messages: []llm.Message{{Role: llm.System, Content: r.opt.Prompts.Reflect}, {Role: llm.User, Content: transcript(turns)}},
		Schema:   json.RawMessage(notesSchema),
	})
	if err != nil {
		return err
	}
	notes, err := parseNotes(text)
	if err != nil || len(notes) == 0 {
		return err
	}
	return r.opt.Journal.AddNotes(ctx, person, notes)
}

// parseNotes reads the answer of a reflection. Servers may ignore the schema, so
// nothing about it is taken for granted.
func parseNotes(text string) ([]string, error) {
	var answer struct {
		Notes []string `json:"notes"`
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(text)), &answer); err != nil {
		return nil, fmt.Errorf("parse notes of the model: %w", err)
	}
	var notes []string
	for _, n := range answer.Notes {
		n = strings.Join(strings.Fields(n), " ")
		if n == "" || len(n) > maxNoteText || nothing(n) || len(notes) == maxNotes {
			continue
		}
		notes = append(notes, n)
	}
	return notes, nil
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
func (r *Reflector) summarise(ctx context.Context, person string, turns []Exchange) {
	if len(turns) == 0 || ctx.Err() != nil {
		return
	}
	err := func() error {
		before, err := r.opt.Journal.Summary(ctx, person)
		if err != nil {
			return err
		}
		text, err := r.ask(ctx, llm.Request{Messages: []llm.Message{
			{Role: llm.System, Content: r.opt.Prompts.Summary},
			{Role: llm.User, Content: "Summary so far: " + before + "\n\nNew:\n" + transcript(turns)},
		}})
		if err != nil {
			return err
		}
		if text = strings.TrimSpace(text); text == "" {
			return errors.New("the model gave no summary")
		}
		return r.opt.Journal.SetSummary(ctx, person, cutText(text, maxSummary))
	}()
	if err != nil && ctx.Err() == nil {
		r.opt.Log.Info("summary is not brought up to date", "component", "memory", "error", err)
	}
}

// ask gives the whole answer of the model.
func (r *Reflector) ask(ctx context.Context, req llm.Request) (string, error) {
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
