package thinkers

import (
	"context"
	"log/slog"
	"time"

	"hearthd/llm"
	"hearthd/llm/thinker"
)

// nameLimit bounds the wait for the disk to take a name.
const nameLimit = time.Second

// people are those that the memory knows.
type people interface {
	Seen(person string, at time.Time)
	SetName(ctx context.Context, person, name string) error
}

// Remembering keeps what was said.
type Remembering struct {
	People   people
	Thinkers *Thinkers // nil: there are none
	Log      *slog.Logger
}

// Remember is what happens with each finished turn: an introduction is understood
// without a model, and the rest is reflected on later. A turn that has brought words from
// outside the house is not, and of one that comes after them only what the person said:
// else such words would come back as the box's own notes.
func (r Remembering) Remember(ask llm.Ask, answer string) {
	r.People.Seen(ask.Person, time.Now())
	if name, ok := thinker.Introduced(ask.Text); ok {
		ctx, cancel := context.WithTimeout(context.Background(), nameLimit)
		defer cancel()
		if err := r.People.SetName(ctx, ask.Person, name); err != nil {
			r.Log.Warn("remember name", "component", "memory", "error", err)
		}
	}
	if r.Thinkers != nil && r.Thinkers.reflector != nil && !ask.Foreign {
		r.Thinkers.reflector.Add(thinker.Exchange{Person: ask.Person, User: ask.Text, Answer: answer})
	}
}
