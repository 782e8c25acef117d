package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// library is an executor whose tools say where they looked.
type library map[string][]llm.Source

func (l library) Run(_ context.Context, call tools.Call) tools.Outcome {
	return tools.Outcome{Class: tools.OK, Result: tools.Result{Text: "found", Sources: l[call.Name]}}
}

func TestSourcesOfATurnAreKeptOnceAndCitedLater(t *testing.T) {
	bread, oven := llm.Source{Title: "Bread", URL: "https://example.org/bread"}, llm.Source{Title: "Oven"}
	b := NewToolbox(event.NewBus(), library{"search": {bread, oven, bread}, "more": {oven}}, phrase.English(), false)
	turn := func(names ...string) []llm.Source {
		n := &notes{header: event.Header{Turn: 1}, moved: func(event.State) {}}
		defer b.begin(n)()
		for _, name := range names {
			b.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: name}, For: llm.Ask{Turn: 1}})
		}
		return n.cited()
	}
	if diff := cmp.Diff([]llm.Source{bread, oven}, turn("search", "more")); diff != "" {
		t.Error(diff)
	}
	if got := turn("timer"); got != nil {
		t.Errorf("a turn that looked nothing up cites %v", got)
	}
	if diff := cmp.Diff([]llm.Source{bread, oven}, b.Cited("")); diff != "" {
		t.Error(diff)
	}
	if b.Forget(); b.Cited("") != nil {
		t.Errorf("after forgetting: %v", b.Cited(""))
	}
}

func TestWhatIsShownAndCitedOfATurnIsBounded(t *testing.T) {
	b := NewToolbox(nil, nil, phrase.English(), true)
	if text := b.shown("a" + strings.Repeat("ä", event.MaxWords)); len(text) != event.MaxWords-1 ||
		!utf8.ValidString(text) {
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
