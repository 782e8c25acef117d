package real_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// box runs no tool and says that it did.
type box struct {
	specs []llm.ToolSpec

	mu  sync.Mutex
	ran []string
}

func (b *box) Specs() []llm.ToolSpec { return b.specs }

func (b *box) Run(_ context.Context, c tools.Call) tools.Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ran = append(b.ran, c.Name)
	return tools.Outcome{Class: tools.OK, Result: tools.Result{Text: "It is so. (" + c.Name + ")"}}
}

func newThinker(t testing.TB, c chat, b *box, set func(*thinker.Options)) *thinker.Thinker {
	t.Helper()
	o := thinker.Options{Book: phrase.English(), Chat: c, Tools: b, Log: slog.New(slog.DiscardHandler)}
	if set != nil {
		set(&o)
	}
	th, err := thinker.New(o)
	check(t, err)
	return th
}

func think(ctx context.Context, th *thinker.Thinker, text string) (said []string, u llm.Usage, err error) {
	for d, e := range th.Think(ctx, llm.Ask{Text: text, Mode: llm.Typed}) {
		switch {
		case e != nil:
			err = e
		case d.Text != "":
			said = append(said, d.Text)
		case d.Usage != nil:
			u = *d.Usage
		}
	}
	return said, u, err
}

func TestThinkerCallsToolsInParallelAndAnswers(t *testing.T) {
	b := &box{specs: []llm.ToolSpec{timerTool, weatherTool}}
	th := newThinker(t, client(t, server(t), kitchen, false), b, nil)
	said, u, err := think(t.Context(), th, "Everything in Rome in three minutes.")
	if err != nil || strings.Join(said, "|") != "One moment please.|Done.|It all worked: your request has been carried out." || len(b.ran) != 2 || u.Calls != 2 {
		t.Errorf("%q, ran %q, %+v (%v)", said, b.ran, u, err)
	}
	if u.Evaluated >= u.PromptTokens {
		t.Errorf("the second question begins like the first, and evaluated is %d of %d", u.Evaluated, u.PromptTokens)
	}
}

func TestThinkerStopsWithATypeOfItsOwnWhenNothingWasSaid(t *testing.T) {
	th := newThinker(t, client(t, server(t), kitchen, false), &box{specs: []llm.ToolSpec{timerTool}}, nil)
	said, _, err := think(t.Context(), th, "Open the garage.")
	var stop *thinker.StopError
	if len(said) != 0 || !errors.As(err, &stop) || stop.Stop != thinker.Empty {
		t.Errorf("%q (%v)", said, err)
	}
	if len(th.History()) != 0 {
		t.Errorf("the turn left %v", th.History())
	}
	if said, _, err := think(t.Context(), th, "hello"); err != nil || len(said) == 0 {
		t.Errorf("the next turn: %q (%v)", said, err)
	}
}

func TestThinkerIsFreeAfterACancel(t *testing.T) {
	s := server(t)
	th := newThinker(t, client(t, s, kitchen, false), &box{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var said int
	var last error
	for d, err := range th.Think(ctx, llm.Ask{Text: "Tell me a story."}) {
		if last = err; d.Text != "" {
			said++
			cancel()
		}
	}
	var stop *thinker.StopError
	if said != 1 || !errors.As(last, &stop) || stop.Stop != thinker.Cancelled {
		t.Errorf("%d sentences, then %v", said, last)
	}
	if said, _, err := think(t.Context(), th, "hello"); err != nil || len(said) == 0 {
		t.Errorf("the next turn: %q (%v)", said, err)
	}
}

// notebook takes what a reflection writes.
type notebook struct{ notes chan []string }

func (n notebook) AddNotes(_ context.Context, _ string, notes []string) error {
	n.notes <- notes
	return nil
}
func (notebook) AddTopics(context.Context, string, []string) error       { return nil }
func (notebook) Keep(context.Context, []llm.Exchange) error              { return nil }
func (notebook) Unmerged(context.Context) ([]llm.Exchange, error)        { return nil, nil }
func (notebook) Summary(context.Context, string) (string, error)         { return "", nil }
func (notebook) SetSummary(context.Context, string, string, int64) error { return nil }

func TestReflectionNotesWhatTheModelSays(t *testing.T) {
	n := notebook{make(chan []string, 1)}
	r, err := thinker.NewReflector(thinker.ReflectorOptions{
		Chat: client(t, server(t), kitchen, false), Journal: n, Busy: func() bool { return false }, Quiet: time.Millisecond, Log: slog.New(slog.DiscardHandler),
	})
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() {
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	r.Add(llm.Exchange{User: "Anna likes no sugar.", Answer: "I see."})
	if got := <-n.notes; strings.Join(got, " ") != "Anna takes her tea without sugar. The dog is called Rex." {
		t.Errorf("noted %q", got)
	}
}

// meanings are ones that run until the test ends.
func meanings(t testing.TB, model interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}, wait time.Duration) *thinker.Meanings {
	t.Helper()
	m, err := thinker.NewMeanings(model, wait)
	check(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- m.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return m
}

func TestEmbeddingsRouteWhatNoWordClaims(t *testing.T) {
	s := server(t)
	th := newThinker(t, client(t, s, kitchen, false), &box{specs: []llm.ToolSpec{timerTool}}, func(o *thinker.Options) {
		o.Meanings = meanings(t, client(t, s, concepts, false), limit)
		o.Domains = []thinker.Domain{
			{Name: thinker.Fallback, Prompt: "You know.", Steps: 4, Time: limit},
			{Name: "pets", Prompt: "You love animals.", Examples: []string{"Who takes the dog for a walk?"}, Steps: 4, Time: limit},
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() {
		if err := th.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	for ctx.Err() == nil { // until the examples are learnt
		_, u, err := think(t.Context(), th, "Does my pet like to stroll today?")
		check(t, err)
		if u.Thinker == "pets" {
			break
		}
	}
	if _, u, err := think(t.Context(), th, "Anna drinks chai with sweetener at noon."); err != nil || u.Thinker != thinker.Fallback {
		t.Errorf("a request for nobody: %+v (%v)", u, err)
	}
}
