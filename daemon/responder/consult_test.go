package responder

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/config"
	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/rigs/thinkertest"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// Thinkers that are right one by one are right together.
func TestManyThinkersFitTheRespondersTool(t *testing.T) {
	dir := t.TempDir()
	for i := range 4 {
		text := fmt.Sprintf("domain: own%d\ndescription: %s\nprompt: You know it.\nwords: [own%d]\n", i,
			strings.Repeat("What I know. ", 12), i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("own%d.yaml", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	domains, wrong := thinker.LoadDomains(dir)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	g := thinkertest.New(t, domains)
	if err := tools.NewRegistry(phrase.English()).Register(asking(g.Thinker).consultation()); err != nil {
		t.Error(err)
	}
}

// TestAnUnknownThinkerIsKnowledgeAndIsCounted has a model make up a thinker.
func TestAnUnknownThinkerIsKnowledgeAndIsCounted(t *testing.T) {
	domains := []thinker.Domain{
		{Name: thinker.Fallback, Prompt: "You know.", Steps: 2, Time: time.Minute},
		{Name: "garden", Prompt: "You know plants.", Steps: 2, Time: time.Minute},
	}
	m := thinkertest.New(t, domains)
	r := tools.NewRegistry(phrase.English())
	if err := r.Register(asking(m.Thinker).consultation()); err != nil {
		t.Fatal(err)
	}
	exec, err := tools.NewExecutor(tools.ExecutorOptions{Registry: r, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for _, ask := range []struct {
		domain, knows string
		unknown       uint64
	}{{"garden", "You know plants.", 0}, {"astronomy", "You know.", 1}, {"Garden", "You know plants.", 1},
		{thinker.Fallback, "You know.", 1}} {
		out := exec.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{ID: "1", Name: ConsultTool,
			Arguments: fmt.Appendf(nil, `{"domain":%q,"query":"what is it"}`, ask.domain)}})
		if out.Class != tools.OK || !strings.Contains(out.Result.Text, ask.knows) || m.Unknown() != ask.unknown {
			t.Errorf("%s: %+v, %d unknown", ask.domain, out, m.Unknown())
		}
	}
	if listed := r.Specs(); len(listed) > 0 || len(r.List()) > 0 {
		t.Errorf("others are told of it: %v", listed)
	}
	if spec := r.Unlisted()[0]; !strings.Contains(string(spec.Parameters), "knowledge, garden") &&
		!strings.Contains(string(spec.Parameters), "garden, knowledge") {
		t.Errorf("the thinkers are not named: %s", spec.Parameters)
	}
}

// asking is a responder beside thinkers, which keeps nothing at home.
func asking(m *thinker.Thinker) *Responder {
	cfg := config.Default()
	cfg.Route = config.Route{}
	return &Responder{opt: Options{Config: &cfg, Now: func() *config.Config { return &cfg }, Thinker: m,
		Log: slog.New(slog.DiscardHandler)}}
}
