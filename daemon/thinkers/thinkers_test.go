package thinkers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/engines"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/recall"
	"hearthd/daemon/secrets"
	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/rigs/llmtest"
	"hearthd/rigs/memorytest"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// mindOf are the thinkers of a configuration, without tools.
func mindOf(t *testing.T, c *config.Config, log *slog.Logger) (*health.Conditions, *Thinkers) {
	t.Helper()
	store := memorytest.Open(t)
	conditions := health.New(event.NewBus())
	usual, chats, err := engines.New(engines.Options{Config: c, Secrets: secrets.New(conditions, log),
		Conditions: conditions, Log: log}).Chats()
	if err != nil {
		t.Fatal(err)
	}
	quiet := func() bool { return true }
	m, err := New(Options{
		Config: c, Files: Load(c, conditions, log),
		Book:    phrase.English(),
		Thinker: thinker.Options{Chat: usual, Chats: chats, Tools: noTools{}, Location: time.UTC, Log: log},
		Reflector: thinker.ReflectorOptions{Journal: recall.New(recall.Options{Store: store, Quiet: quiet, Log: log}),
			Busy: quiet},
	})
	if err != nil {
		t.Fatal(err)
	}
	return conditions, m
}

type noTools struct{}

func (noTools) Specs() []llm.ToolSpec { return nil }
func (noTools) Run(context.Context, tools.Call) tools.Outcome {
	return tools.Outcome{Class: tools.Failed}
}

// TestMindIsMadeOfFilesAndServers has a thinker of the house's own on a server of its
// own, and files that say nothing.
func TestMindIsMadeOfFilesAndServers(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Cut them in March."}}]}`+"\n\n"+
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer other.Close()
	ollama := llmtest.NewOllama(t, "small",
		func(llmtest.OllamaRequest) []llmtest.OllamaChunk { return llmtest.OllamaSay("Yes.") })
	dir := t.TempDir()
	for name, text := range map[string]string{
		"garden.yaml":  "domain: garden\ndescription: Plants.\nwords: [roses]\nprompt: You know plants.\nprovider: lab\ncache: 0s\n",
		"weather.yaml": "", "system.txt": "Be brief.", "reflect.txt": " ",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config.Default()
	c := &cfg.Thinker
	c.URL, c.Model, c.Dir, c.Prompts, c.NumCtx, c.MaxTokens = ollama.URL, "small", dir, dir, 2048, 6000
	c.Providers = []config.Provider{{Name: "lab", URL: other.URL + "/v1", Model: "big"}}
	var log strings.Builder
	conditions, m := mindOf(t, &cfg, slog.New(slog.NewTextHandler(&log, nil)))

	for question, want := range map[string]string{"When are roses cut?": "Cut them in March.",
		"Tell me whether bread is good for the ducks.": "Yes."} {
		var said []string
		for delta, err := range m.Think(t.Context(), llm.Ask{Text: question}) {
			if err != nil {
				t.Fatal(err)
			}
			if delta.Text != "" {
				said = append(said, delta.Text)
			}
		}
		if got := strings.Join(said, " "); got != want {
			t.Errorf("%s %q, want %q", question, got, want)
		}
	}
	requests := ollama.Requests()
	if len(requests) != 1 || !strings.HasPrefix(requests[0].Messages[0].Content, "Be brief.") {
		t.Fatalf("Ollama was asked %+v", requests)
	}
	if got := fmt.Sprint(requests[0].Options["num_ctx"]); got != fmt.Sprint(c.MaxTokens+1024) {
		t.Errorf("a context of %s tokens for a prompt of %d", got, c.MaxTokens)
	}
	shown := m.List()
	if i := slices.IndexFunc(shown, func(s api.Thinker) bool { return s.Name == "garden" }); i < 0 ||
		shown[i].Model != "lab/big" || shown[i].Origin != filepath.Join(dir, "garden.yaml") {
		t.Errorf("thinkers %+v", shown)
	}
	if i := slices.IndexFunc(shown, func(s api.Thinker) bool { return s.Name == "weather" }); i < 0 ||
		shown[i].Origin != "built in" {
		t.Errorf("the file that says nothing replaced a thinker: %+v", shown)
	}
	for _, name := range []string{"weather.yaml", "reflect.txt"} {
		if n := strings.Count(log.String(), name+": ") + strings.Count(log.String(), name+`\": `); n != 1 {
			t.Errorf("%s is named %d times:\n%s", name, n, log.String())
		}
	}
	if !strings.Contains(log.String(), `built_in="reflect.txt summary.txt responder.txt"`) {
		t.Errorf("the log does not say what is built in:\n%s", log.String())
	}
	if list := conditions.List(); len(list) != 1 || !strings.Contains(list[0].Text, "Mistakes in thinkers: 2") {
		t.Errorf("conditions %+v", list)
	}
}

func TestWhatIsKeptAtHomeMustBeAThinker(t *testing.T) {
	cfg := config.Default()
	cfg.Thinker.Dir, cfg.Thinker.Prompts = "", ""
	cfg.Route.AtHome = []string{"home", "hoem"}
	cfg.Route.ThinkerHours = []config.ThinkerHours{{Thinker: "research", Hours: "08:00-20:00"},
		{Thinker: "reserch", Hours: "08:00-20:00"}}
	conditions := health.New(event.NewBus())
	Load(&cfg, conditions, slog.New(slog.DiscardHandler))
	list := conditions.List()
	if len(list) != 1 ||
		!strings.Contains(list[0].Text,
			`Mistakes in thinkers: 2; the first: route.at_home: there is no thinker "hoem"`) {
		t.Errorf("conditions %+v", list)
	}
}

// TestTheFirstProviderAnswersWithoutOllama has no Ollama, and a provider that is asked
// too often from the second question on.
func TestTheFirstProviderAnswersWithoutOllama(t *testing.T) {
	asked := 0
	lab := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked > 1 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"It is."}}]}`+"\n\n"+
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer lab.Close()
	cfg := config.Default()
	cfg.Thinker.URL, cfg.Thinker.Dir, cfg.Thinker.Prompts = "", "", ""
	cfg.Thinker.Providers = []config.Provider{{Name: "lab", URL: lab.URL + "/v1", Model: "big"},
		{Name: "other", URL: "http://127.0.0.1:1/v1", Model: "m"}}
	conditions, m := mindOf(t, &cfg, slog.New(slog.DiscardHandler))
	if m.reflector == nil {
		t.Fatal("nobody reflects")
	}
	ask := func(question string) (said string, err error) {
		for delta, e := range m.Think(t.Context(), llm.Ask{Text: question}) {
			said, err = said+delta.Text, e
		}
		return said, err
	}
	if said, err := ask("is the sky blue, tell me"); err != nil || said != "It is." {
		t.Errorf("%q (%v)", said, err)
	}
	_, err := ask("is grass green, tell me")
	if !errors.Is(err, llm.ErrRate) || m.Apology(err) != phrase.English().Say("dialogue.thinker_rate") ||
		!strings.Contains(err.Error(), "provider lab") {
		t.Errorf("%v, of which %q is said", err, m.Apology(err))
	}
	if list := conditions.List(); len(list) != 1 ||
		list[0].Text != "The thinker limits how often it is asked (lab/big)." {
		t.Errorf("conditions %+v", list)
	}
	for _, s := range m.List() {
		if s.Model != "lab/big" {
			t.Errorf("%s is said to be Model by %s", s.Name, s.Model)
		}
	}
}
