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
