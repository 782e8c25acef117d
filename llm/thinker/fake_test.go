package thinker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// model answers the n-th request as it says.
type model struct {
	answer func(ctx context.Context, n int, yield func(llm.Delta, error) bool)

	mu       sync.Mutex
	requests []llm.Request
}

func (m *model) Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m.mu.Lock()
		m.requests = append(m.requests, req)
		n := len(m.requests)
		m.mu.Unlock()
		m.answer(ctx, n, yield)
	}
}

// asked is how often it was asked so far.
func (m *model) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.requests)
}

// request is the i-th one.
func (m *model) request(i int) llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests[i]
}

// answers is a model that gives one answer after the other, and the last one
// again and again.
func answers(as ...[]llm.Delta) *model {
	return &model{answer: func(_ context.Context, n int, yield func(llm.Delta, error) bool) {
		for _, d := range as[min(n, len(as))-1] {
			if !yield(d, nil) {
				return
			}
		}
	}}
}

func text(tokens ...string) []llm.Delta {
	var ds []llm.Delta
	for _, t := range tokens {
		ds = append(ds, llm.Delta{Text: t})
	}
	return append(ds, llm.Delta{Usage: &llm.Usage{PromptTokens: 10, OutputTokens: len(tokens)}})
}

func calls(args ...string) []llm.Delta {
	var ds []llm.Delta
	for i, a := range args {
		ds = append(ds, llm.Delta{Call: &llm.ToolCall{ID: fmt.Sprint("id", i, a), Name: "timer",
			Arguments: json.RawMessage(a)}})
	}
	return append(ds, llm.Delta{Usage: &llm.Usage{PromptTokens: 10, OutputTokens: 5}})
}

// box runs every call with run, and counts.
type box struct {
	run   func(ctx context.Context, c llm.ToolCall) string
	reads []string // tools beside timer, which acts
	acts  []string

	mu  sync.Mutex
	ran []string
}

func (b *box) Specs() []llm.ToolSpec {
	specs := []llm.ToolSpec{{Name: "timer", Description: "sets a timer",
		Parameters: json.RawMessage(`{"type":"object"}`)}}
	for _, name := range slices.Concat(b.reads, b.acts) {
		specs = append(specs, llm.ToolSpec{Name: name, Parameters: specs[0].Parameters,
			ReadOnly: slices.Contains(b.reads, name)})
	}
	return specs
}

func (b *box) Run(ctx context.Context, c tools.Call) tools.Outcome {
	b.mu.Lock()
	b.ran = append(b.ran, string(c.Arguments))
	b.mu.Unlock()
	r := tools.Outcome{Class: tools.OK, Result: tools.Result{Text: "The timer is set."}}
	if b.run != nil {
		r.Text = b.run(ctx, c.ToolCall)
	} else if string(c.Arguments) != "{}" {
		r.Text += " " + string(c.Arguments)
	}
	if strings.HasPrefix(r.Text, "error") {
		r.Class = tools.Failed
	}
	return r
}

func newThinker(t testing.TB, m *model, b *box) *Thinker {
	t.Helper()
	th, err := New(Options{Book: phrase.English(), Chat: m, Tools: b, Location: time.UTC, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// think ranges to the end. Calls stand in angle brackets.
func think(ctx context.Context, th *Thinker, question string) (said []string, usage *llm.Usage, err error) {
	for d, e := range th.Think(ctx, llm.Ask{Text: question, Mode: llm.Voice}) {
		switch {
		case e != nil:
			err = e
		case d.Call != nil:
			said = append(said, "<"+string(d.Call.Arguments)+">")
		case d.Usage != nil:
			// Times differ from run to run.
			usage = &llm.Usage{PromptTokens: d.Usage.PromptTokens, OutputTokens: d.Usage.OutputTokens,
				Calls: d.Usage.Calls}
		default:
			said = append(said, d.Text)
		}
	}
	return said, usage, err
}

// history is the conversation in short.
func history(th *Thinker) []string {
	th.mu.Lock()
	defer th.mu.Unlock()
	var out []string
	for _, m := range th.conv.messages() {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s%s", m.Role, m.Content,
			strings.Repeat(" +call", len(m.Calls)))))
	}
	return out
}

func equal(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func stopOf(t *testing.T, err error) Stop {
	t.Helper()
	var stop *StopError
	if !errors.As(err, &stop) {
		t.Fatalf("error %v is no StopError", err)
	}
	return stop.Stop
}
