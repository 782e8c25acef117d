package intent

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTriggersStartToolsAndStandInTheGrammar(t *testing.T) {
	m, err := New(Options{Triggers: []Trigger{
		{Sentence: "Beam me up!", Tool: "lights"},
		{Sentence: "good night everybody", Tool: "lights"},
		{Sentence: "run zigbeefoo", Tool: "radio"},
		{Sentence: "channel twenty five, please, one moment", Tool: "lights"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for text, tool := range map[string]string{
		"beam me up": "lights", "please, beam me up.": "lights", "Good night, everybody": "lights", "run zigbeefoo": "radio",
		"channel twenty five, please, one moment": "lights", "Channel 25, please, 1 moment.": "lights",
	} {
		got, ok := m.Match(text)
		if !ok || got.Call.Name != tool || string(got.Call.Arguments) != "{}" || got.Intent != "declared_"+tool {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
	g := m.Grammar("zigbeefoo")
	if !strings.Contains(g.JSGF, "<intent-declared_lights> = beam me up\n\t| good night everybody\n\t| channel twenty five please one moment;") {
		t.Error("the grammar lacks the triggers")
	}
	if slices.Contains(g.Words, "zigbeefoo") || strings.Contains(g.JSGF, "declared_radio") {
		t.Error("the grammar has a word that the recogniser lacks")
	}
}

func TestTriggersComeBeforeTheIntentsButNotBeforeStop(t *testing.T) {
	m, err := New(Options{Triggers: []Trigger{{Sentence: "what time is it", Tool: "mine"}, {Sentence: "be quiet", Tool: "mine"}}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"what time is it": "mine", "what's the time": "time_now", "be quiet": "speaker_stop"} {
		got, _ := m.Match(text)
		if diff := cmp.Diff(want, got.Call.Name); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestTriggerWithoutWordsIsRefused(t *testing.T) {
	if _, err := New(Options{Triggers: []Trigger{{Sentence: "?!", Tool: "x"}}}); err == nil {
		t.Error("accepted")
	}
}
