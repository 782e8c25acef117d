package thinker

import (
	"strings"
	"testing"

	"hearthd/llm"
)

func TestConsultAnswersBesideTheConversation(t *testing.T) {
	m := answers(text("Sunny. ", "Warm."))
	th := staffed(t, m, house{"weather_forecast"}, nil)
	got, err := th.Consult(t.Context(), "weather", llm.Ask{Text: "what is it like in Oslo", Mode: llm.Voice})
	if err != nil || got.Text != "Sunny. Warm." {
		t.Errorf("%+v, %v", got, err)
	}
	if h := th.History(); len(h) != 0 {
		t.Errorf("the conversation has %v", h)
	}
	if !strings.Contains(m.request(0).Messages[0].Content, th.domain("weather").Prompt[:20]) {
		t.Error("another thinker was asked")
	}
	if _, err := th.Consult(t.Context(), "nonsense", llm.Ask{Text: "why", Mode: llm.Voice}); err != nil {
		t.Errorf("an unknown domain: %v", err)
	}
	promise, err := th.Consult(t.Context(), "research", llm.Ask{Text: "heat pumps", Mode: llm.Voice})
	if err != nil || !strings.Contains(promise.Text, "look into") || len(th.jobs) != 1 {
		t.Errorf("research: %+v, %v, %d jobs", promise, err, len(th.jobs))
	}
}
