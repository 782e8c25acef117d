package devices

import (
	"log/slog"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// Words that were not heard clearly open nothing and are not for the whole house without a yes.
func TestNoOrderThatDoesHarmRunsOnAWeakMargin(t *testing.T) {
	s := newSaying(t, "flat", "Study")
	registry := tools.NewRegistry(phrase.English())
	for _, tool := range s.tools {
		if err := registry.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	exec, err := tools.NewExecutor(tools.ExecutorOptions{Registry: registry, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for sentence, asks := range map[string]bool{
		"unlock the front door": true, "unlock everything": true, "open the garage door": true,
		"open the blinds": true, "open the front door": true,
		"everything off": true, "turn everything off": true, "switch the house off": true,
		"turn off everything in the house": true, "all lights off": true, "turn everything on": true,
		"lock the front door": false, "turn off the lights in the study": false,
	} {
		m, ok := s.matcher.Match(sentence)
		if !ok {
			t.Errorf("%q is not understood", sentence)
			continue
		}
		s.house.sent = nil
		out := exec.Run(t.Context(), tools.Call{ToolCall: m.Call, For: llm.Ask{Said: sentence, Faint: true}})
		if asked := out.Class == tools.Asked; asked != asks || asked && s.house.sent != nil {
			t.Errorf("%q: %s %s: %s, %q %q, sent %v", sentence, m.Call.Name, m.Call.Arguments, out.Class, out.Question, out.Result.Text, s.house.sent)
		}
	}
}
