package real_test

import (
	"errors"
	"testing"

	"hearthd/llm"
	"hearthd/llm/openai"
	"hearthd/rigs/llmtest/real"
)

// compatible is a client of the OpenAI-compatible endpoint of the same server.
func compatible(t testing.TB, s *real.Server, model string) *openai.Client {
	t.Helper()
	c, err := openai.New(openai.Options{BaseURL: s.URL + "/v1", Model: model, FirstTimeout: limit, IdleTimeout: limit})
	check(t, err)
	return c
}

func TestOpenAIStreamsCallsAndKeepsToSchemas(t *testing.T) {
	sameAnswers(t, compatible(t, server(t), kitchen))
}

func TestOpenAIDoesNotSayThoughts(t *testing.T) {
	if a := must(t, compatible(t, server(t), ponderer), ask("ponder this")); a.text != "The answer is four." {
		t.Errorf("%+v", a)
	}
}

func TestOpenAICancelEndsTheRequestAtTheServer(t *testing.T) {
	s := own(t)
	cancels(t, compatible(t, s, kitchen), s.Mark, s.Await)
}

func TestOpenAIKnowsWhatIsWrong(t *testing.T) {
	if _, err := collect(t.Context(), compatible(t, server(t), "hearthd-test-nobody"), ask("hello")); !errors.Is(err, llm.ErrModel) {
		t.Errorf("unknown model: %v", err)
	}
	s := own(t)
	c := compatible(t, s, kitchen)
	n, last := 0, error(nil)
	for _, err := range c.Chat(t.Context(), ask("Tell me a story.")) {
		if last = err; err == nil {
			if n++; n == 5 {
				check(t, s.KillRunners())
			}
		}
	}
	if !errors.Is(last, llm.ErrBroken) {
		t.Errorf("runner killed after %d deltas: %v", n, last)
	}
}
