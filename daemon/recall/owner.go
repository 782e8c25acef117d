package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/memory"
	"hearthd/tools/phrase"
	"hearthd/tools/remember"
)

// Owner is the memory as the tools see it.
type Owner struct {
	r      *Recollection
	book   *phrase.Book
	forget func() // drops what the process holds
}

// NewOwner makes one. What is known is said with the sentences of book. forget drops what the
// process holds, before anything is erased, and may be nil.
func NewOwner(r *Recollection, book *phrase.Book, forget func()) Owner { return Owner{r, book, forget} }

func (o Owner) Known(ctx context.Context, who, topic string) ([]string, error) {
	p, err := o.r.opt.Store.Person(ctx, who)
	if err != nil {
		return nil, err
	}
	var known []string
	add := func(s string) {
		if topic == "" || strings.Contains(strings.ToLower(s), strings.ToLower(topic)) {
			known = append(known, s)
		}
	}
	if called := cmp.Or(p.Profile.Called, phrase.Sentence(who)); called != "" {
		add(o.book.Part("remember.you_called", phrase.Args{"name": called}))
	}
	if p.Profile.Place != "" {
		add(o.book.Part("remember.you_live", phrase.Args{"place": p.Profile.Place}))
	}
	if len(p.Topics) > 0 {
		add(o.book.Part("remember.topics", phrase.Args{"topics": p.Topics}))
	}
	if p.Summary != "" {
		add(o.book.Part("remember.summary", phrase.Args{"text": p.Summary}))
	}
	facts, err := o.r.opt.Store.Facts(ctx, who, freshFacts)
	if err != nil {
		return nil, err
	}
	for _, f := range facts {
		add(o.book.Part("remember.fact", phrase.Args{"name": f.Name, "text": f.Text}))
	}
	notes, err := o.notes(ctx, who, topic)
	for _, n := range notes {
		known = append(known, n.Text)
	}
	return known, err
}

func (o Owner) notes(ctx context.Context, who, topic string) ([]memory.Note, error) {
	if topic == "" {
		return o.r.opt.Store.NewestNotes(ctx, who, freshFacts)
	}
	hits, err := o.r.look(ctx, memory.Query{Text: topic, Person: who})
	notes := make([]memory.Note, len(hits))
	for i, h := range hits {
		notes[i] = h.Note
	}
	return notes, err
}

func (o Owner) Note(ctx context.Context, person, text string) error {
	return o.r.add(ctx, memory.Note{Person: person, Text: text, Source: "person"})
}

func (o Owner) Name(ctx context.Context, person, name string) error {
	return o.r.setName(ctx, person, name, called)
}

func (o Owner) Fact(ctx context.Context, person, category, name, text string) error {
	err := o.r.opt.Store.SetFact(ctx, memory.Fact{
		Person: person, Category: memory.Category(category), Name: name, Text: text, Mutable: true,
	})
	if errors.Is(err, memory.ErrImmutable) {
		return fmt.Errorf("%w: %w", remember.ErrFixed, err)
	}
	return err
}

// naming is how somebody has asked to be called, or where they live, and what was so before.
type naming struct {
	person, name, before string
	field                func(*memory.Profile) *string
	at                   time.Time
}

func called(p *memory.Profile) *string { return &p.Called }
func place(p *memory.Profile) *string  { return &p.Place }

func (r *Recollection) setName(ctx context.Context, person, name string,
	field func(*memory.Profile) *string) error {
	n := naming{person: person, name: name, field: field, at: time.Now()}
	err := r.opt.Store.ChangePerson(ctx, person, func(p *memory.Person) {
		n.before, *field(&p.Profile) = *field(&p.Profile), name
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.named = n
	return nil
}

// unname takes back a name or a place that was said in the last turn; turns has the newest first. If the words
// of turns are not kept, their times decide.
func (r *Recollection) unname(ctx context.Context, turns []memory.Turn) (bool, error) {
	r.mu.Lock()
	n := r.named
	r.mu.Unlock()
	last := turns[0]
	short, _, _ := strings.Cut(n.name, ",") // of a place, without its country
	said := strings.Contains(strings.ToLower(last.Transcript), strings.ToLower(short)) ||
		last.Transcript == "" && !n.at.Truncate(time.Millisecond).After(last.Time)
	before := slices.IndexFunc(turns[1:], func(t memory.Turn) bool { return t.Session == last.Session })
	if n.name == "" || !said || len(turns) > 1 && n.at.Before(turns[1+max(before, 0)].Time) {
		return false, nil
	}
	taken := false
	err := r.opt.Store.ChangePerson(ctx, n.person, func(p *memory.Person) {
		if now := n.field(&p.Profile); *now == n.name {
			taken, *now = true, n.before
		}
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.named = naming{}
	return taken, err
}

// lastTurns is how many turns back ForgetLast looks for what a person said.
const lastTurns = 20

// lastSaid are the turns from the last one of a session on, without announcements after it. If
// the session has none, as that of a guest, it is the last turn of any session.
func lastSaid(turns []memory.Turn, session uint64) []memory.Turn {
	said := func(t memory.Turn) bool { return t.Route != "announcement" }
	last := slices.IndexFunc(turns, func(t memory.Turn) bool { return said(t) && t.Session == session })
	if last < 0 {
		last = slices.IndexFunc(turns, said)
	}
	if last < 0 {
		return nil
	}
	return turns[last:]
}

// ForgetLast forgets the last turn of a session, and what was learned from it.
func (o Owner) ForgetLast(ctx context.Context, session uint64) (said, learned int, err error) {
	turns, err := o.r.opt.Store.Turns(ctx, lastTurns)
	turns = lastSaid(turns, session)
	if err != nil || len(turns) == 0 {
		return 0, 0, err
	}
	unnamed, err := o.r.unname(ctx, turns)
	if err != nil {
		return 0, 0, err
	}
	f, err := o.erase(func() (memory.Forgotten, error) { return o.r.opt.Store.ForgetTurns(ctx, int64(turns[0].ID)) })
	if learned = f.Notes + f.Facts; unnamed {
		learned++
	}
	return f.Turns, learned, err
}

// ForgetName forgets how a person is called, in the files too.
func (o Owner) ForgetName(ctx context.Context, person string) (gone int, err error) {
	_, err = o.erase(func() (memory.Forgotten, error) {
		err := o.r.opt.Store.ChangePerson(ctx, person, func(p *memory.Person) {
			if p.Profile.Called != "" {
				gone, p.Profile.Called = 1, ""
			}
		})
		if err != nil {
			return memory.Forgotten{}, err
		}
		return o.r.opt.Store.ForgetNotes(ctx) // none: what was overwritten leaves the files
	})
	return gone, err
}

func (o Owner) ForgetAbout(ctx context.Context, topic string) (gone int, left []string, err error) {
	f, err := o.erase(func() (memory.Forgotten, error) { return o.r.opt.Store.ForgetAbout(ctx, topic) })
	if err != nil {
		return f.Total(), nil, err
	}
	kinds, lists, err := o.r.opt.Store.Standing(ctx, topic)
	for _, kind := range kinds {
		left = append(left, o.book.Part("remember.in", phrase.Args{"kind": kind}))
	}
	for _, list := range lists {
		left = append(left, o.book.Part("remember.in_list", phrase.Args{"list": list}))
	}
	return f.Total(), left, err
}

func (o Owner) ForgetEverything(ctx context.Context) (int, error) {
	f, err := o.erase(func() (memory.Forgotten, error) { return o.r.opt.Store.ForgetEverything(ctx) })
	return f.Total(), err
}

// erase forgets first in the process, which would otherwise write the words again, and then in the
// files. The backup is erased too, and the next one is made soon.
func (o Owner) erase(forget func() (memory.Forgotten, error)) (memory.Forgotten, error) {
	o.forget()
	f, err := forget()
	o.r.ring()
	return f, err
}
