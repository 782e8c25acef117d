package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
	"hearthd/memory"
)

// exportPage is how many notes are read at a time.
const exportPage = 500

// Archive is the memory for the control API.
type Archive struct{ Owner }

// NewArchive makes it.
func NewArchive(o Owner) Archive { return Archive{o} }

// Remembered lists what a search finds, or, without one, people, facts and the newest notes.
func (a Archive) Remembered(ctx context.Context, search string, limit int) ([]api.Memory, error) {
	if search != "" {
		hits, err := a.r.look(ctx, memory.Query{Text: search, All: true, Limit: limit})
		list := make([]api.Memory, len(hits))
		for i, h := range hits {
			list[i] = shownNote(h.Note)
		}
		return list, err
	}
	list, err := a.known(ctx)
	if err != nil {
		return nil, err
	}
	list = list[:min(len(list), limit)]
	notes, err := a.r.opt.Store.NewestOfAll(ctx, limit-len(list))
	for _, n := range notes {
		list = append(list, shownNote(n))
	}
	return list, err
}

// known are all people, and then all facts.
func (a Archive) known(ctx context.Context) ([]api.Memory, error) {
	people, err1 := a.r.opt.Store.People(ctx)
	facts, err2 := a.r.opt.Store.AllFacts(ctx)
	var list []api.Memory
	for _, p := range people {
		list = append(list, shownPerson(p))
	}
	for _, f := range facts {
		list = append(list, shownFact(f))
	}
	return list, errors.Join(err1, err2)
}

func shownPerson(p memory.Person) api.Memory {
	return api.Memory{
		Kind: "person", Person: p.Name, Text: p.Summary, Time: p.LastActive, Called: p.Profile.Called,
		Place: p.Profile.Place,
		Units: p.Profile.Units, Tickers: p.Profile.Tickers, Topics: p.Topics, Sessions: p.Sessions,
	}
}

func shownNote(n memory.Note) api.Memory {
	return api.Memory{Kind: "note", ID: n.ID, Person: n.Person, Text: n.Text, Source: n.Source, Time: n.Created}
}

func shownFact(f memory.Fact) api.Memory {
	return api.Memory{
		Kind: "fact", Person: f.Person, Name: f.Name, Category: string(f.Category), Fixed: !f.Mutable, Text: f.Text,
		Time: f.Updated,
	}
}

// Export yields people, facts, and then notes, the oldest first.
func (a Archive) Export(ctx context.Context) iter.Seq2[api.Memory, error] {
	return func(yield func(api.Memory, error) bool) {
		list, err := a.known(ctx)
		if err != nil {
			yield(api.Memory{}, err)
			return
		}
		for _, m := range list {
			if !yield(m, nil) {
				return
			}
		}
		for after := int64(0); ; {
			notes, err := a.r.opt.Store.Notes(ctx, after, exportPage)
			if err != nil {
				yield(api.Memory{}, err)
				return
			}
			for _, n := range notes {
				after = n.ID
				if !yield(shownNote(n), nil) {
					return
				}
			}
			if len(notes) < exportPage {
				return
			}
		}
	}
}

// Import adds facts and notes.
func (a Archive) Import(ctx context.Context, entries []api.Memory) (int, error) {
	var notes []memory.Note
	n := 0
	for i, e := range entries {
		switch e.Kind {
		case "note":
			notes = append(notes, memory.Note{Person: e.Person, Text: e.Text, Source: "import", Created: e.Time})
		case "fact":
			err := a.r.opt.Store.SetFact(ctx, memory.Fact{
				Person: e.Person, Category: memory.Category(e.Category), Name: e.Name, Text: e.Text,
				Mutable: !e.Fixed, Updated: e.Time,
			})
			if err != nil {
				return n, refusal.Error(fmt.Sprintf("entry %d: %v", i, err))
			}
			n++
		case "person":
			if err := a.importPerson(ctx, e); err != nil {
				return n, refusal.Error(fmt.Sprintf("entry %d: %v", i, err))
			}
			n++
		default:
			return n, refusal.Error(fmt.Sprintf("entry %d: unknown kind %.40q", i, e.Kind))
		}
	}
	err := a.r.add(ctx, notes...)
	if errors.Is(err, memory.ErrTooLong) {
		err = refusal.Error(err.Error())
	}
	return n + len(notes), err
}

// importPerson changes what an entry says about a person, and nothing else.
func (a Archive) importPerson(ctx context.Context, e api.Memory) error {
	return a.r.opt.Store.ChangePerson(ctx, e.Person, func(p *memory.Person) {
		f := &p.Profile
		f.Called, f.Place, f.Units = cmp.Or(e.Called, f.Called), cmp.Or(e.Place, f.Place), cmp.Or(e.Units, f.Units)
		if len(e.Tickers) > 0 {
			f.Tickers = e.Tickers
		}
		p.Summary, p.Topics = cmp.Or(e.Text, p.Summary), newestTopics(e.Topics, p.Topics)
		p.Sessions = max(p.Sessions, e.Sessions)
		if e.Time.After(p.LastActive) {
			p.LastActive = e.Time
		}
	})
}

// Forget erases, also in the present conversation.
func (a Archive) Forget(ctx context.Context, what api.Forget) (api.Counted, error) {
	f, err := a.erase(func() (memory.Forgotten, error) {
		switch {
		case what.Everything:
			return a.r.opt.Store.ForgetEverything(ctx)
		case len(what.Notes) > 0:
			return a.r.opt.Store.ForgetNotes(ctx, what.Notes...)
		case what.Fact != nil:
			return a.r.opt.Store.ForgetFact(ctx, what.Fact.Person, what.Fact.Name)
		}
		return a.r.opt.Store.ForgetAbout(ctx, what.About)
	})
	if errors.Is(err, memory.ErrTooLong) {
		err = refusal.Error(err.Error())
	}
	return api.Counted{Entries: f.Total(), Upgrade: f.Upgrade}, err
}
