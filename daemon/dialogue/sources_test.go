package dialogue

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/llm"
)

// library is an executor whose tools say where they looked.
type library map[string][]llm.Source

func (l library) Run(_ context.Context, call llm.ToolCall) Outcome {
	return Outcome{Text: "found", Class: "ok", Sources: l[call.Name]}
}

func (l library) Ask(ctx context.Context, call llm.ToolCall) Outcome { return l.Run(ctx, call) }

func (l library) RunConfirmed(ctx context.Context, call llm.ToolCall, _ string) Outcome {
	return l.Run(ctx, call)
}

func TestSourcesOfATurnAreKeptOnceAndCitedLater(t *testing.T) {
	bread, oven := llm.Source{Title: "Bread", URL: "https://example.org/bread"}, llm.Source{Title: "Oven"}
	b := NewToolbox(event.NewBus(), library{"search": {bread, oven, bread}, "more": {oven}}, false)
	turn := func(tools ...string) []llm.Source {
		n := &notes{moved: func(event.State) {}}
		ctx := context.WithValue(t.Context(), notesKey{}, n)
		for _, name := range tools {
			b.Run(ctx, llm.ToolCall{Name: name})
		}
		return n.cited()
	}
	if diff := cmp.Diff([]llm.Source{bread, oven}, turn("search", "more")); diff != "" {
		t.Error(diff)
	}
	if got := turn("timer"); got != nil {
		t.Errorf("a turn that looked nothing up cites %v", got)
	}
	if diff := cmp.Diff([]llm.Source{bread, oven}, b.Cited()); diff != "" {
		t.Error(diff)
	}
	if b.Forget(); b.Cited() != nil {
		t.Errorf("after forgetting: %v", b.Cited())
	}
}

func TestAnnouncementsHaveTheirSources(t *testing.T) {
	with(t, nil, func(t *testing.T, r *rig) {
		study := llm.Source{Title: "A study", URL: "https://example.org/study"}
		if err := r.d.SayFrom(t.Context(), "word", []llm.Source{study}); err != nil {
			t.Fatal(err)
		}
		if turn := r.turn(); len(turn.Sources) != 1 || turn.Sources[0] != event.Source(study) {
			t.Errorf("turn %+v", turn)
		}
		if diff := cmp.Diff([]llm.Source{study}, r.opt.Tools.Cited()); diff != "" {
			t.Error(diff)
		}
	})
}

// reader is a mind that answers with what it kept.
type reader struct {
	*mind
	usage llm.Usage
}

func (r reader) Think(context.Context, llm.Ask) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if yield(llm.Delta{Text: "Sourdough."}, nil) {
			yield(llm.Delta{Usage: &r.usage}, nil)
		}
	}
}

func TestKeptAnswersHaveTheirSources(t *testing.T) {
	book := llm.Source{Title: "A book"}
	with(t, func(r *rig) {
		r.opt.Thinker = reader{r.mind, llm.Usage{Cached: true, Recalled: 2, Sources: []llm.Source{book}}}
	}, func(t *testing.T, r *rig) {
		go r.d.Ask(t.Context(), "what bread is best")
		turn := r.turn()
		if !turn.Cached || turn.Recalled != 2 || len(turn.Sources) != 1 || turn.Sources[0] != event.Source(book) || r.opt.Tools.Cited()[0] != book {
			t.Errorf("turn %+v", turn)
		}
	})
}

func TestWhatIsShownAndCitedOfATurnIsBounded(t *testing.T) {
	b := NewToolbox(nil, nil, true)
	if text := b.shown("a" + strings.Repeat("ä", event.MaxWords)); len(text) != event.MaxWords-1 || !utf8.ValidString(text) {
		t.Errorf("%d bytes are shown", len(text))
	}
	var many []llm.Source
	for i := range 2 * maxSources {
		many = append(many, llm.Source{Title: fmt.Sprint("page ", i)})
	}
	if got := new(notes).cite(many); !slices.Equal(got, many[:maxSources]) {
		t.Errorf("%d sources", len(got))
	}
}
