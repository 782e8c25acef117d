// Package remember holds the tools through which people control what is remembered: memory_tell,
// memory_note, memory_fact, memory_name, memory_forget_last, memory_forget and
// memory_forget_everything. It runs no goroutine and imports llm, tools and tools/phrase only; the
// memory is the daemon's.
package remember

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"hearthd/language"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// maxTold bounds what is read out at once.
const maxTold = 8

// ErrFixed is matched by the error of a store for a fact that may not be changed.
var ErrFixed = errors.New("fact may not be changed")

// store is what is remembered of persons; "" is the household.
type store interface {
	// Known gives what is known, or what is known about something, as sentences,
	// the newest first.
	Known(ctx context.Context, person, about string) ([]string, error)
	Note(ctx context.Context, person, text string) error
	Name(ctx context.Context, person, name string) error
	Fact(ctx context.Context, person, category, name, text string) error
	// ForgetLast erases what was said last in a session, and what was learned from it; it returns
	// the numbers of both.
	ForgetLast(ctx context.Context, session uint64) (said, learned int, err error)
	// ForgetName erases how a person is called; it returns 1 if that was known.
	ForgetName(ctx context.Context, person string) (int, error)
	// The others return the number of entries that are gone, and ForgetAbout where the words still
	// occur, such as "a reminder".
	ForgetAbout(ctx context.Context, about string) (gone int, left []string, err error)
	ForgetEverything(ctx context.Context) (int, error)
}

type memory struct {
	store store
	book  *phrase.Book
}

type about struct {
	About string `json:"about" need:"yes" min:"2" max:"100"`
}

// New makes the tools, which speak with book.
func New(s store, book *phrase.Book) ([]tools.Tool, error) {
	if s == nil || book == nil {
		return nil, errors.New("make memory tools: a store and a book are needed")
	}
	m := memory{s, book}
	return []tools.Tool{
		action("memory_tell", "Tells what is remembered, about something if it is named.", m.tell),
		action("memory_note", "Remembers a sentence that the person asked to remember.", m.note),
		action("memory_fact", "Remembers a fact that stays so until the person says otherwise, such as a birthday.",
			m.fact),
		action("memory_name", "Remembers how to call the person.", m.name),
		tools.WithLimits(action("memory_forget_last", "Forgets what was said last, and what was learned from it.",
			m.forgetLast), tools.Limits{Grave: tools.Always}),
		tools.WithLimits(action("memory_forget", "Forgets everything that is remembered about something.",
			m.forget), tools.Limits{Grave: tools.Always}),
		tools.WithLimits(tools.Action("memory_forget_everything",
			"Forgets everything that was ever said or learned, after asking.", m.forgetEverything),
			tools.Limits{ConfirmFunc: func(json.RawMessage) string {
				return book.Say("remember.really")
			}}),
	}, nil
}

// action is tools.Action for tools that depend on the person.
func action[A any](name, description string, call func(context.Context, tools.Call, A) (tools.Result,
	error)) tools.Tool {
	return tools.CallFunc(llm.ToolSpec{Name: name, Description: description}, call)
}

func (m memory) tell(ctx context.Context, c tools.Call, a struct {
	About string `json:"about" max:"100"`
}) (tools.Result, error) {
	known, err := m.store.Known(ctx, c.For.Person, a.About)
	if err != nil {
		return m.fail(err)
	}
	if len(known) == 0 {
		return tools.Result{Text: m.book.Say("remember.nothing", phrase.Args{"about": a.About}), Data: known}, nil
	}
	told := make([]string, min(len(known), maxTold))
	for i := range told {
		told[i] = sentence(known[i])
	}
	text := m.book.Say("remember.told", phrase.Args{"text": strings.Join(told, " "), "more": len(known) - len(told)})
	return tools.Result{Text: text, Data: known}, nil
}

// sentence is s with a capital letter and a full stop.
func sentence(s string) string {
	s = phrase.Sentence(strings.TrimSpace(s))
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "!") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}

func (m memory) note(ctx context.Context, c tools.Call, a struct {
	Text string `json:"text" need:"yes" min:"3" max:"300"`
}) (tools.Result, error) {
	if err := m.store.Note(ctx, c.For.Person, sentence(a.Text)); err != nil {
		return m.fail(err)
	}
	return tools.Result{Text: m.book.Say("remember.noted"), Kept: true}, nil
}

func (m memory) name(ctx context.Context, c tools.Call, a struct {
	Name string `json:"name" need:"yes" min:"1" max:"60"`
}) (tools.Result, error) {
	words := strings.Fields(a.Name)
	for i, w := range words {
		words[i] = phrase.Sentence(w)
	}
	a.Name = strings.Join(words, " ")
	if err := m.store.Name(ctx, c.For.Person, a.Name); err != nil {
		return m.fail(err)
	}
	return tools.Result{Text: m.book.Say("remember.met", phrase.Args{"name": a.Name}), Data: a, Kept: true}, nil
}

func (m memory) fact(ctx context.Context, c tools.Call, a struct {
	Name     string `json:"name" need:"yes" min:"2" max:"60" about:"what it is about"`
	Text     string `json:"text" need:"yes" min:"1" max:"300"`
	Category string `json:"category" enum:"personal,preference,knowledge,general"`
}) (tools.Result, error) {
	err := m.store.Fact(ctx, c.For.Person, cmp.Or(a.Category, "general"), a.Name, a.Text)
	if errors.Is(err, ErrFixed) {
		return tools.Result{}, &tools.Failure{Say: m.book.Say("remember.fixed"), Cause: err}
	}
	if err != nil {
		return m.fail(err)
	}
	return tools.Result{Text: m.book.Say("remember.noted"), Data: a, Kept: true}, nil
}

func (m memory) forgetLast(ctx context.Context, c tools.Call, _ struct{}) (tools.Result, error) {
	said, learned, err := m.store.ForgetLast(ctx, c.For.Session)
	if err == nil && said > 0 && learned == 0 {
		// By "that" the person may have meant something older, which is still known.
		return tools.Result{Text: m.book.Say("remember.forgot_last"), Data: map[string]int{"entries": said}}, nil
	}
	return m.forgotten(said+learned, "", err)
}

// pointing are words that only refer to something, and occur in many notes; names are the name of who says them.
var (
	pointing = language.Words("notes.txt")["pointing"]
	names    = language.Words("notes.txt")["names"]
)

func (m memory) forget(ctx context.Context, c tools.Call, a about) (tools.Result, error) {
	switch said := strings.ToLower(strings.TrimSpace(a.About)); {
	case slices.Contains(pointing, said):
		return tools.Result{Text: m.book.Say("remember.which"), Then: m.book.Lines("remember.which_then")}, nil
	case slices.Contains(names, said):
		n, err := m.store.ForgetName(ctx, c.For.Person)
		return m.forgotten(n, "", err)
	}
	n, left, err := m.store.ForgetAbout(ctx, a.About)
	said, err := m.forgotten(n, a.About, err)
	if len(left) > 0 {
		said.Text += " " + m.book.Say("remember.left", phrase.Args{"left": left})
	}
	return said, err
}

func (m memory) forgetEverything(ctx context.Context, _ struct{}) (tools.Result, error) {
	n, err := m.store.ForgetEverything(ctx)
	return m.forgotten(n, "", err)
}

func (m memory) forgotten(n int, about string, err error) (tools.Result, error) {
	switch {
	case err != nil:
		return m.fail(err)
	case n == 0:
		return tools.Result{Text: m.book.Say("remember.nothing_there", phrase.Args{"about": about})}, nil
	}
	return tools.Result{Text: m.book.Say("remember.forgotten"), Data: map[string]int{"entries": n}}, nil
}

// fail tells the person that the memory does not work.
func (m memory) fail(err error) (tools.Result, error) {
	return tools.Result{}, &tools.Failure{Say: m.book.Say("tools.forgetful"), Cause: err}
}
