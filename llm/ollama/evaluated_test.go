package ollama

import (
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

func TestEvaluatedIsWhatTheLastExchangeDoesNotBegin(t *testing.T) {
	_, c := serve(t, llmtest.OllamaText("Eight."), llmtest.OllamaDone(100, 2, 0))
	usage := func(req llm.Request) int {
		_, _, u, err := collect(t.Context(), c, req)
		if err != nil {
			t.Fatal(err)
		}
		return u.Evaluated
	}
	if got := usage(question); got != 100 {
		t.Errorf("of the first prompt %d tokens are evaluated", got)
	}
	if got := usage(question); got != 1 {
		t.Errorf("of the same prompt %d tokens are evaluated", got)
	}
	c.Forget()
	if got := usage(question); got != 100 || c.held.text == "" {
		t.Errorf("of a prompt that was forgotten %d tokens are evaluated", got)
	}
	if c.Forget(); c.held.text != "" {
		t.Errorf("what is held is %q", c.held.text)
	}
	usage(question)
	next := question
	next.Messages = append(next.Messages[:2:2], llm.Message{Role: llm.Assistant, Content: "Eight."},
		llm.Message{Role: llm.User, Content: "And soft ones?"})
	if got := usage(next); got < 10 || got > 60 {
		t.Errorf("of a prompt that goes on %d tokens are evaluated", got)
	}
	other := question
	other.Messages = append([]llm.Message{{Role: llm.System, Content: "It is noon. Be brief."}},
		question.Messages[1:]...)
	if got := usage(other); got < 80 {
		t.Errorf("of a prompt that begins otherwise %d tokens are evaluated", got)
	}
}

func TestModelThatWasLoadedEvaluatesEverything(t *testing.T) {
	_, c := serve(t, llmtest.OllamaText("Eight."), llmtest.OllamaDone(100, 2, time.Second))
	for range 2 {
		if _, _, u, err := collect(t.Context(), c, question); err != nil || u.Evaluated != 100 {
			t.Fatalf("%+v (%v)", u, err)
		}
	}
}

func TestWhatTheServerSaysIsTakenForEvaluated(t *testing.T) {
	_, c := serve(t, llmtest.OllamaText("Eight."), llmtest.OllamaRaw(
		`{"message":{"role":"assistant"},"done":true,"done_reason":"stop","prompt_eval_count":100,"prompt_eval_cached_count":64,"eval_count":2}`))
	if _, _, u, err := collect(t.Context(), c, question); err != nil || u.Evaluated != 36 {
		t.Fatalf("%+v (%v)", u, err)
	}
}
