package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"hearthd/daemon/control"
	"hearthd/llm/thinker"
	"hearthd/memory"
)

// exportPage is how many notes are read at a time.
const exportPage = 500

// archive is the memory as the control API sees it.
type archive struct {
	owner
}

// refused is the error of an entry that makes no sense.
type refused string

func (r refused) Error() string { return string(r) }

// Refused marks r as an answer to the client, and not as trouble of hearthd's.
func (refused) Refused() {}

func (a archive) Remembered(ctx context.Context, search string, limit int) ([]control.Memory, error) {
	if search != "" {
		hits, err := a.r.look(ctx, memory.Query{Text: search, All: true, Limit: limit})
		list := make([]control.Memory, len(hits))
		for i, h := range hits {
			list[i] = shownNote(h.Note)
		}
		return list, err
	}
	people, err1 := a.r.store.People(ctx)
	facts, err2 := a.r.store.AllFacts(ctx)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	var list []control.Memory
	for _, p := range people {
		list = append(list, shownPerson(p))
	}
	for _, f := range facts {
		list = append(list, shownFact(f))
	}
	list = list[:min(len(list), limit)]
	notes, err := a.r.store.NewestOfAll(ctx, limit-len(list))
	for _, n := range notes {
		list = append(list, shownNote(n))
	}
	return list, err
}

func shownPerson(p memory.Person) control.Memory {
	return control.Memory{
		Kind: "person", Person: p.Name, Text: p.Summary, Time: p.LastActive, Called: p.Profile.Called, Place: p.Profile.Place,
		Units: p.Profile.Units, Tickers: p.Profile.Tickers, Topics: p.Topics, Sessions: p.Sessions,
	}
}

func shownNote(n memory.Note) control.Memory {
	return control.Memory{Kind: "note", ID: n.ID, Person: n.Person, Text: n.Text, Source: n.Source, Time: n.Created}
}

func shownFact(f memory.Fact) control.Memory {
	return control.Memory{
		Kind: "fact", Person: f.Person, Name: f.Name, Category: string(f.Category), Fixed: !f.Mutable, Text: f.Text, Time: f.Updated,
	}
}

// Export gives people, facts, then notes, the oldest first.
func (a archive) Export(ctx context.Context) iter.Seq2[control.Memory, error] {
	return func(yield func(control.Memory, error) bool) {
		people, err1 := a.r.store.People(ctx)
		facts, err2 := a.r.store.AllFacts(ctx)
		if err := errors.Join(err1, err2); err != nil {
			yield(control.Memory{}, err)
			return
		}
		for _, p := range people {
			if !yield(shownPerson(p), nil) {
				return
			}
		}
		for _, f := range facts {
			if !yield(shownFact(f), nil) {
				return
			}
		}
		for after := int64(0); ; {
			notes, err := a.r.store.Notes(ctx, after, exportPage)
			if err != nil {
				yield(control.Memory{}, err)
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
func (a archive) Import(ctx context.Context, entries []control.Memory) (int, error) {
	var notes []memory.Note
	n := 0
	for i, e := range entries {
		switch e.Kind {
		case "note":
			notes = append(notes, memory.Note{Person: e.Person, Text: e.Text, Source: "import", Created: e.Time})
		case "fact":
			err := a.r.store.SetFact(ctx, memory.Fact{
				Person: e.Person, Category: memory.Category(e.Category), Name: e.Name, Text: e.Text, Mutable: !e.Fixed, Updated: e.Time,
			})
			if err != nil {
				return n, refused(fmt.Sprintf("entry %d: %v", i, err))
			}
			n++
		case "person":
			if err := a.importPerson(ctx, e); err != nil {
				return n, refused(fmt.Sprintf("entry %d: %v", i, err))
			}
			n++
		default:
			return n, refused(fmt.Sprintf("entry %d: unknown kind %.40q", i, e.Kind))
		}
	}
	err := a.r.add(ctx, notes...)
	if errors.Is(err, memory.ErrTooLong) {
		err = refused(err.Error())
	}
	return n + len(notes), err
}

// importPerson takes what an entry says of a person; the rest stays.
func (a archive) importPerson(ctx context.Context, e control.Memory) error {
	return a.r.store.ChangePerson(ctx, e.Person, func(p *memory.Person) {
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

// Forget erases, the conversation that goes on included.
func (a archive) Forget(ctx context.Context, what control.Forget) (int, error) {
	f, err := a.erase(func() (memory.Forgotten, error) {
		switch {
		case what.Everything:
			return a.r.store.ForgetEverything(ctx)
		case len(what.Notes) > 0:
			return a.r.store.ForgetNotes(ctx, what.Notes...)
		case what.Fact != nil:
			return a.r.store.ForgetFact(ctx, what.Fact.Person, what.Fact.Name)
		}
		return a.r.store.ForgetAbout(ctx, what.About)
	})
	if errors.Is(err, memory.ErrTooLong) {
		err = refused(err.Error())
	}
	return f.Total(), err
}

// thinkers are the thinkers as the control API shows them.
func (d *Daemon) thinkers() []control.Thinker {
	if d.mind == nil {
		return nil
	}
	var list []control.Thinker
	for _, s := range d.mind.Domains() {
		tools := s.Tools
		if tools == nil {
			tools = []string{}
		}
		list = append(list, control.Thinker{
			Name: s.Name, Description: s.Description, Origin: s.Origin, Model: d.modelOf(&s.Domain), Tools: tools,
			CacheS: s.Cache.Seconds(), Background: s.Background, Live: s.Live,
		})
	}
	return list
}

// modelOf names the model that serves a domain.
func (d *Daemon) modelOf(t *thinker.Domain) string {
	c := &d.cfg.Thinker
	for i, p := range c.Providers {
		if p.Name == t.Provider || c.URL == "" && t.Provider == "" && i == 0 {
			if t.Tier == thinker.Smart && p.SmartModel != "" {
				return strings.Join([]string{p.Name, p.SmartModel}, "/")
			}
			return strings.Join([]string{p.Name, p.Model}, "/")
		}
	}
	if t.Tier == thinker.Smart && c.SmartModel != "" {
		return c.SmartModel
	}
	return c.Model
}
