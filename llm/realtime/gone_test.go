package realtime

import (
	"errors"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/llm/gone"
	"hearthd/rigs/llmtest"
)

func TestModelThatIsGoneIsToldWithItsSuccessorAndNotAskedAgain(t *testing.T) {
	for how, successor := range map[llmtest.RealtimeGone]string{
		llmtest.RealtimeGoneStatus: "talk-10", llmtest.RealtimeGoneEvent: "talk-10", llmtest.RealtimeGoneClose: "",
	} {
		r := &rig{T: t, server: llmtest.NewRealtime(t, says("yes"))}
		r.server.Gone(how, "The model has been shut down: the model `gpt-realtime` is no longer available, use "+
			"`talk-10`.")
		r.run()
		_, err := r.client.Open(t.Context())
		var g *gone.Error
		if !errors.As(err, &g) || g.Model != "gpt-realtime" || g.Successor != successor {
			t.Errorf("%d: %v", how, err)
		}
		if r.client.Available() {
			t.Errorf("%d: the next turn would go there", how)
		}
		r.mu.Lock()
		if len(r.changes) != 1 || !errors.Is(r.changes[0], llm.ErrModel) {
			t.Errorf("%d: told %v", how, r.changes)
		}
		r.mu.Unlock()
	}
}

func TestModelThatGoesWithinASessionIsToldAtOnce(t *testing.T) {
	for name, a := range map[string]llmtest.RealtimeAnswer{
		"instead of a response": {Refuse: "model_not_found"}, "as its end": {Fail: "model_deprecated"},
	} {
		r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer { return a })
		turn := r.open()
		r.speak(turn, time.Second)
		if h := r.hear(turn); !errors.Is(h.err, llm.ErrModel) {
			t.Errorf("%s: %+v", name, h)
		}
		r.settle()
		if r.client.Available() {
			t.Errorf("%s: the next turn would go there", name)
		}
	}
}

func TestTranscriberThatIsGoneIsToldAndTheAnswerComes(t *testing.T) {
	r := newRig(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: "yes", Unheard: "model_not_found"}
	})
	turn := r.open()
	r.speak(turn, time.Second)
	if h := r.hear(turn); h.err != nil || h.text != "yes" || !r.client.Available() {
		t.Errorf("%+v", h)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var g *gone.Error
	if n := len(r.changes); !errors.As(r.changes[n-1], &g) || g.Model != "whisper-1" {
		t.Errorf("told %v", r.changes)
	}
}
