package main

import (
	"hearthd/rigs/ctltest"

	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/daemon/api"
)

func TestIntentsAreTriedWithoutADaemon(t *testing.T) {
	got := ctltest.Run(t, "--json", "intents", "try", "hey hearth, set a pasta timer for ten minutes")
	for _, want := range []string{`"intent": "timer_set"`, `"duration_s": 600`, `"words": "ten minutes"`,
		`"where": "timer.yaml, line `, `"tree": [`} {
		if !strings.Contains(got.Stdout, want) || got.Code != 0 {
			t.Errorf("lacks %s: %+v", want, got)
		}
	}
	if got := ctltest.Run(t, "intents", "try", "set the timer to purple"); got.Code != 1 ||
		!strings.Contains(got.Stdout, "near") || !strings.Contains(got.Stderr, "not understood") {
		t.Errorf("%+v", got)
	}
	if got := ctltest.Run(t, "intents", "check"); got.Code != 0 ||
		!strings.HasSuffix(got.Stdout, " intents are right\n") {
		t.Errorf("%+v", got)
	}
	if got := ctltest.Run(t, "--json", "intents", "check"); got.Code != 0 ||
		!strings.Contains(got.Stdout, `"mistakes": []`) {
		t.Errorf("%+v", got)
	}
	if got := ctltest.Run(t, "intents", "try", "what", "time", "is", "it"); got.Code != 0 ||
		!strings.Contains(got.Stdout, "time_now") {
		t.Errorf("%+v", got)
	}
	got = ctltest.Run(t, "--json", "intents", "try", "turn off the radio and set a timer for ten minutes")
	if got.Code != 0 || !strings.Contains(got.Stdout, `"tool": "media_control"`) ||
		!strings.Contains(got.Stdout, `"then": {`) || !strings.Contains(got.Stdout, `"tool": "timer_set"`) {
		t.Errorf("%+v", got)
	}
	if got := ctltest.Run(t, "intents", "list"); got.Code != 0 ||
		!strings.Contains(got.Stdout, "time_now (time_now, clock.yaml): ") {
		t.Errorf("%.300s %s", got.Stdout, got.Stderr)
	}
}

func TestSentencesOfTheHouseholdAreCheckedWithTheirLine(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, "en"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "en", "ours.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("intents:\n  - name: dinner_call\n    tool: announce\n    args: {text: Dinner is ready}\n    type: " +
		"[(supper|dinner) time]\n    examples: {dinner time: {text: Dinner is ready}}\n")
	if got := ctltest.Run(t, "intents", "--dir", dir, "try", "Dinner time!"); got.Code != 0 ||
		!strings.Contains(got.Stdout, `announce {"text":"Dinner is ready"}`) {
		t.Errorf("%+v", got)
	}
	write("intents:\n  - name: dinner_call\n    type: [(supper]\n")
	if got := ctltest.Run(t, "intents", "--dir", dir, "check"); got.Code != 1 ||
		!strings.Contains(got.Stdout, "ours.yaml: line 3") {
		t.Errorf("%+v", got)
	}
}

func TestCoverageNamesToolsThatNoSentenceStarts(t *testing.T) {
	cov := coverage([]string{"confirm", "timer_set", "weather_tell"},
		[]api.Tool{{Name: "timer_set"}, {Name: "pubmed_read"}, {Name: "lights", Triggers: []string{"lights out"}}})
	if strings.Join(cov.With, " ") != "timer_set lights" || strings.Join(cov.Without, " ") != "pubmed_read" ||
		strings.Join(cov.Absent, " ") != "weather_tell" {
		t.Errorf("%+v", cov)
	}
}
