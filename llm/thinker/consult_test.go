package thinker

import (
	"context"
	"strings"
	"testing"

	"hearthd/llm"
)

func TestConsultAnswersBesideTheConversation(t *testing.T) {
	m := answers(text("Sunny. ", "Warm."))
	th := staffed(t, m, house{"weather_forecast"}, nil)
	got, foreign, err := th.Consult(t.Context(), "weather", llm.Ask{Text: "what is it like in Oslo", Mode: llm.Voice})
	if err != nil || got.Text != "Sunny. Warm." || foreign {
		t.Errorf("%+v, foreign %t, %v", got, foreign, err)
	}
	if h := th.History(); len(h) != 0 {
		t.Errorf("the conversation has %v", h)
	}
	if !strings.HasPrefix(m.request(0).Messages[1].Content, th.domain("weather").Prompt[:20]) {
		t.Error("another thinker was asked")
	}
	if _, _, err := th.Consult(t.Context(), "nonsense", llm.Ask{Text: "why", Mode: llm.Voice}); err != nil {
		t.Errorf("an unknown domain: %v", err)
	}
	promise, _, err := th.Consult(t.Context(), "research", llm.Ask{Text: "heat pumps", Mode: llm.Voice})
	if err != nil || !strings.Contains(promise.Text, "look into") || len(th.jobs) != 1 {
		t.Errorf("research: %+v, %v, %d jobs", promise, err, len(th.jobs))
	}
}

func TestConsultTellsWhatIsFromOutside(t *testing.T) {
	b := &rooms{foreign: "Some page."}
	th := everything(t, answers(call("web_search"), text("It says so.")), b)
	answer, foreign, err := th.Consult(t.Context(), Fallback, llm.Ask{Text: "what is new", Mode: llm.Voice})
	if err != nil || answer.Text != "It says so." || !foreign {
		t.Errorf("%+v, foreign %t, %v", answer, foreign, err)
	}
}

// What was asked is forgotten while a responder still waits for its answer.
func TestAnswerOfAConsultationThatIsForgottenIsNotKept(t *testing.T) {
	var s shelf
	var th *Thinker
	m := &model{answer: func(_ context.Context, n int, yield func(llm.Delta, error) bool) {
		if n == 2 {
			th.Forget()
		}
		yield(llm.Delta{Text: "Sunny."}, nil)
	}}
	th = staffed(t, m, house{"weather_forecast"}, func(o *Options) { o.Answers = &s })
	for i, place := range []string{"Oslo", "Bergen"} {
		if _, _, err := th.Consult(t.Context(), "weather",
			llm.Ask{Text: "what is it like in " + place, Mode: llm.Voice}); err != nil {
			t.Errorf("%s: %v", place, err)
		}
		if len(s.kept) != 1 {
			t.Errorf("%d answers are kept after %d questions, of which the second was forgotten", len(s.kept), i+1)
		}
	}
}
