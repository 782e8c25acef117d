package daemon

import (
	"context"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/llm"
	"hearthd/llm/thinker"
)

// echo is a model that says what it is told of itself.
type echo struct{}

func (echo) Chat(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		own, _, _ := strings.Cut(req.Messages[len(req.Messages)-1].Content, "[")
		yield(llm.Delta{Text: req.Messages[0].Content + own}, nil)
	}
}

func TestGuestsThinkByWhatAReloadFound(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	domains := []thinker.Domain{{Name: thinker.Fallback, Steps: 2, Time: time.Minute}}
	own, err := thinker.New(thinker.Options{
		Chat: echo{}, Tools: noTools{}, Domains: domains, Prompts: thinker.Prompts{System: "Be long."}, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	b, all := &base{log: log, conditions: health.New(event.NewBus())}, &guests{}
	box := &mind{Thinker: own}
	there := &guest{mind: &mind{Thinker: box.Beside(nil)}}
	defer all.join(there)()
	r := &reloader{base: b, guests: all, house: &house{thinker: box}}
	if err := r.teach(&staged{domains: domains, prompts: thinker.Prompts{System: "Be brief."}}); err != nil {
		t.Fatal(err)
	}
	late := &mind{Thinker: box.Beside(nil)}
	for who, m := range map[string]*mind{"the box": box, "who is there": there.mind, "who comes later": late} {
		var said strings.Builder
		for delta, err := range m.Think(t.Context(), llm.Ask{Text: "Who are you?"}) {
			if err != nil {
				t.Fatal(err)
			}
			said.WriteString(delta.Text)
		}
		if !strings.HasPrefix(said.String(), "Be brief.") {
			t.Errorf("%s goes by %q", who, said.String())
		}
	}
}
