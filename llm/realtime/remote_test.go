package realtime

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

// It is told of no tools elsewhere, so that this is no matter of the house. The answer goes on without.
func TestToolsElsewhereAreRefusedOnceAndTheAnswerGoesOn(t *testing.T) {
	onCable(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N == 1 {
			return llmtest.RealtimeAnswer{Text: "one moment", Remote: true}
		}
		return llmtest.RealtimeAnswer{Text: "no"}
	}, func(r *rig, _ *llmtest.Cable) {
		turn := r.open()
		r.speak(turn, time.Second)
		if h := r.hear(turn); h.err != nil || h.text != "one moment no" || len(h.calls) != 0 {
			t.Errorf("%+v", h)
		}
		var refused []map[string]any
		for _, e := range r.sent("conversation.item.create") {
			if it := e["item"].(map[string]any); it["type"] == typeRefusal {
				refused = append(refused, it)
			}
		}
		if len(refused) != 1 || refused[0]["approve"] != false || len(r.server.Owed()) != 0 {
			t.Errorf("%v, owed %q", refused, r.server.Owed())
		}
		r.client.End()
		r.closed()
		if log := r.log.String(); strings.Contains(log, "not known") || !strings.Contains(log, "tool=buy") {
			t.Errorf("log: %s", log)
		}
	})
}

func TestModelThatReasonsCallsAtTheSameTimeAndGetsEachOutputOnce(t *testing.T) {
	server := llmtest.NewRealtime(t, looks("a", "b", "c"))
	r := (&rig{T: t, server: server, reasons: "low"}).run()
	var running = make(chan struct{}, 3)
	all := make(chan struct{})
	r.call = func(llm.ToolCall) string {
		if running <- struct{}{}; len(running) == 3 {
			close(all)
		}
		<-all // none is waited for by the others
		return "seen"
	}
	turn := r.open()
	r.speak(turn, time.Second)
	if h := r.hear(turn); h.err != nil || len(h.calls) != 3 {
		t.Errorf("%+v", h)
	}
	if got := r.outputs(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("outputs %q", got)
	}
	s := r.sent("session.update")[0]["session"].(map[string]any)
	if s["parallel_tool_calls"] != true || s["reasoning"].(map[string]any)["effort"] != "low" {
		t.Errorf("%v", s)
	}
}
