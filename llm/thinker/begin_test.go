package thinker

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// shop is a toolbox of any tools, whose results are of any length.
type shop struct {
	specs []llm.ToolSpec
	rnd   *rand.Rand
}

func (s shop) Specs() []llm.ToolSpec { return s.specs }

func (s shop) Run(_ context.Context, c tools.Call) tools.Outcome {
	return tools.Outcome{Class: tools.OK,
		Result: tools.Result{Text: c.ID + strings.Repeat(" fact", len(c.Arguments)*50%3000)}}
}

// biography knows much of everybody.
type biography struct {
	notebook
	known string
}

func (b biography) Known(context.Context, string) string { return b.known }

// TestAWholePromptStaysWithinItsTokens asks with prompts, tools, memories and histories
// of any length, of a model that may count every byte, and looks at what the model is
// sent.
func TestAWholePromptStaysWithinItsTokens(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		words := func(bytes int) string { return strings.Repeat("word ", rnd.IntN(bytes)/5+1) }
		var specs []llm.ToolSpec
		for i := range 1 + rnd.IntN(30) {
			schema := fmt.Sprintf(`{"type":"object","description":%q}`, words(10+rnd.IntN(16<<10)))
			specs = append(specs, llm.ToolSpec{Name: fmt.Sprint("tool", i), Description: words(1000),
				Parameters: json.RawMessage(schema)})
		}
		counts := 0.6 + 2.8*rnd.Float64()
		count := func(r llm.Request) int {
			n := specsSize(r.Tools)
			for _, m := range r.Messages {
				n += messageSize(m)
			}
			return int(float64(n) * counts)
		}
		m := &model{}
		m.answer = func(_ context.Context, n int, yield func(llm.Delta, error) bool) {
			r := m.request(n - 1)
			if len(r.Tools) > 0 && rnd.IntN(3) > 0 {
				for i := range 1 + rnd.IntN(3) {
					yield(llm.Delta{Call: &llm.ToolCall{ID: fmt.Sprint(n, i),
						Name:      r.Tools[rnd.IntN(len(r.Tools))].Name,
						Arguments: json.RawMessage(fmt.Sprintf(`{"x":%q}`, words(2000)))}}, nil)
				}
			} else {
				yield(llm.Delta{Text: words(3000) + "end."}, nil)
			}
			yield(llm.Delta{Usage: &llm.Usage{PromptTokens: count(r)}}, nil)
		}
		limit := minMaxTokens + rnd.IntN(defaultMaxTokens)
		th, err := New(Options{
			Book: phrase.English(),
			Chat: m, Tools: shop{specs, rnd}, Memory: biography{notebook(words(10 << 10)), words(4 << 10)},
			MaxTokens: limit, Log: slog.New(slog.DiscardHandler),
			Domains: []Domain{
				{Name: Fallback, Tools: []string{"*"}, Prompt: words(8 << 10), Steps: maxSteps, Time: maxThinking},
				{Name: "garden", Words: []string{"garden"}, Tools: []string{"*"}, Prompt: words(8 << 10),
					Steps: maxSteps, Time: maxThinking},
			},
			Prompts: Prompts{System: words(8 << 10)},
		})
		if err != nil {
			t.Fatal(err)
		}
		first := 0 // request of the turns of which the model's own figures are known
		for turn := range 8 {
			if turn == 1 {
				first = m.asked()
			}
			if _, _, err := think(t.Context(), th, words(20_000)+[]string{"", "garden"}[rnd.IntN(2)]); err != nil {
				t.Fatal(err)
			}
		}
		for i := range m.asked() {
			r := m.request(i)
			tokens := count(r)
			if i < first {
				tokens = int(float64(tokens) / max(1, counts)) // by the estimate
			}
			// One step more than counted: what is rounded.
			if tokens > limit+limit/50 {
				t.Fatalf("seed %d, request %d of %d: %d tokens of at most %d", seed, i, m.asked(), tokens, limit)
			}
			check(t, r.Messages[1:], int(float64(limit)/min(1, counts))) // by the estimate
		}
	}
}
