package thinkers

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"hearthd/llm"
	"hearthd/tools/home"
	"hearthd/tools/home/hass"
)

// assistant answers as the conversation API of Home Assistant does: it knows one
// sentence.
func assistant(t *testing.T) *hass.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Text, Language string }
		if r.URL.Path != "/api/conversation/process" || r.Header.Get("Authorization") != "Bearer secret" || json.NewDecoder(r.Body).Decode(&in) != nil || in.Language != "en" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		kind, text := "error", "Sorry, I couldn't understand that"
		if in.Text == "is it bin day" {
			kind, text = "query_answer", "Yes, paper."
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"response": map[string]any{"response_type": kind, "speech": map[string]any{"plain": map[string]any{"speech": text}}}})
	}))
	t.Cleanup(server.Close)
	c, err := hass.New(hass.Options{URL: server.URL, Token: "secret", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// brain says its words and then fails, if it has an error.
type brain struct {
	words []string
	err   error
}

func (m brain) Think(context.Context, llm.Ask) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for _, w := range m.words {
			if !yield(llm.Delta{Text: w}, nil) {
				return
			}
		}
		if m.err != nil {
			yield(llm.Delta{}, m.err)
		}
	}
}

func (brain) Heard(string)         {}
func (brain) Note(llm.Ask, string) {}
func (brain) Apology(error) string { return "Sorry." }

func TestHomeAssistantIsAskedWhereTheThinkerGivesUp(t *testing.T) {
	down := errors.New("no model")
	agent := assistant(t)
	for _, w := range []struct {
		name    string
		thinker thinking
		ask     string
		want    string
		err     bool
	}{
		{"without a thinker it answers", nil, "is it bin day", "Yes, paper.", false},
		{"without a thinker its excuse is an answer too", nil, "tell me a story", "Sorry, I couldn't understand that", false},
		{"a thinker that works is not disturbed", brain{words: []string{"Well."}}, "is it bin day", "Well.", false},
		{"a thinker that is down is stood in for", brain{err: down}, "is it bin day", "Yes, paper.", false},
		{"it opens nothing, for it would not ask", nil, "unlock all doors", sayOpensNothing, false},
		{"nor in another language", nil, "bitte die Haustür aufmachen", sayOpensNothing, false},
		{"what neither knows stays the thinker's failure", brain{err: down}, "tell me a story", "", true},
		{"an answer that has begun is not begun anew", brain{words: []string{"We"}, err: down}, "is it bin day", "We", true},
	} {
		var said string
		var failed error
		for delta, err := range WithAgent(w.thinker, agent, (*home.Home)(nil), "en").Think(t.Context(), llm.Ask{Text: w.ask}) {
			said += delta.Text
			failed = err
			if delta.Usage != nil && !delta.Usage.Foreign { // there may be a model of a stranger's behind it
				t.Errorf("%s: the agent's answer is the house's own", w.name)
			}
		}
		if said != w.want || (failed != nil) != w.err || w.err && !errors.Is(failed, down) {
			t.Errorf("%s: %q, %v", w.name, said, failed)
		}
	}
	if text := WithAgent(nil, agent, (*home.Home)(nil), "en").Apology(down); text != "Sorry, Home Assistant does not answer." {
		t.Error(text)
	}
}
