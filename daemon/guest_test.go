package daemon

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/thinkers"
	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/rigs/thinkertest"
)

func TestGuestsThinkByWhatAReloadFound(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	domains := []thinker.Domain{{Name: thinker.Fallback, Steps: 2, Time: time.Minute}}
	box := thinkertest.New(t, domains)
	b, all := &base{log: log, conditions: health.New(event.NewBus())}, &guests{}
	there := &guest{thinkers: box.Beside(nil)}
	defer all.join(there)()
	r := &reloader{base: b, guests: all, assistant: &assistant{thinker: box}}
	if err := r.teach(&staged{thinkers: thinkers.Files{Domains: domains,
		Prompts: thinker.Prompts{System: "Be brief."}}}); err != nil {
		t.Fatal(err)
	}
	late := box.Beside(nil)
	for who, m := range map[string]*thinkers.Thinkers{"the box": box, "who is there": there.thinkers,
		"who comes later": late} {
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
