package daemon

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/daemon/engines"
	"hearthd/tools"
	"hearthd/tools/intent"
)

func TestSentencesOfTheHouseholdAreAddedAndMistakesAreTold(t *testing.T) {
	d := bare()
	c := config.Default()
	d.cfg = &c
	d.cfg.Tools.Intents.Dir = t.TempDir()
	file := filepath.Join(d.cfg.Tools.Intents.Dir, "en", "ours.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("intents:\n  - name: tea\n    tool: kettle\n    type: [brew up]\n")
	m, err := d.sentences(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := m.Match("brew up"); !ok || got.Call.Name != "kettle" {
		t.Errorf("%+v, %v", got, ok)
	}
	write("intents:\n  - name: tea\n    type: [(brew]\n")
	if m, err = d.sentences(nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Match("what time is it"); !ok {
		t.Error("a mistake of the household's costs the built-in sentences")
	}
	if list := m.Mistakes(); len(list) != 1 || !strings.Contains(list[0].Error(), "ours.yaml: line 3") {
		t.Errorf("%v", list)
	}
}

func TestRecogniserLearnsTheNamesOfTheHouse(t *testing.T) {
	if _, err := exec.LookPath("pocketsphinx_batch"); err != nil {
		t.Skip("Debian package pocketsphinx: ", err)
	}
	m, err := intent.New(intent.Options{Language: "xx", Extra: os.DirFS("testdata/names")})
	if err != nil {
		t.Fatal(err)
	}
	l := &learning{matcher: newMatching(m, nil), log: slog.New(slog.DiscardHandler), dir: t.TempDir()}
	if _, err := l.learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.SetNames("device", []intent.Name{{Value: "Reading Lamp"}, {Value: "Zigbeefoo"}, {Value: "Lamp 7"}})
	s, err := l.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(l.grammar, "<name_device> = reading lamp;") {
		t.Error(l.grammar)
	}
}

func TestReloadTakesNoWordThatTheRecogniserLacks(t *testing.T) {
	if _, err := exec.LookPath("pocketsphinx_batch"); err != nil {
		t.Skip("Debian package pocketsphinx: ", err)
	}
	l := &learning{log: slog.New(slog.DiscardHandler), dir: t.TempDir()}
	r := &reloader{base: bare().base, house: &house{hears: l}}
	s := &staged{config: config.Default()}
	s.config.Tools.Intents.Dir = t.TempDir()
	triggers := []intent.Trigger{{Sentence: "ring the xyzzyq", Tool: "bell"}}
	if err := s.sentences(r, triggers); err != nil {
		t.Fatal(err)
	}
	if got, ok := s.matcher.Match("ring the xyzzyq"); !ok || got.Call.Name != "bell" {
		t.Errorf("a sentence that can be typed: %+v, %v", got, ok)
	}
	if len(s.left) != 1 || !strings.Contains(s.left[0].String(), "xyzzyq") {
		t.Errorf("told: %v", s.left)
	}
	s.config.Wake.Phrase = "hey plugh"
	if err := s.sentences(r, triggers); err == nil || !strings.Contains(err.Error(), ": plugh") {
		t.Errorf("a phrase that cannot be heard: %v", err)
	}
	if left, err := os.ReadDir(l.dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSentenceThatCannotBeHeardDoesNotMakeTheBoxDeaf(t *testing.T) {
	if _, err := exec.LookPath("pocketsphinx_batch"); err != nil {
		t.Skip("Debian package pocketsphinx: ", err)
	}
	d := bare()
	c := config.Default()
	c.Tools.Intents.Dir = t.TempDir()
	d.cfg, d.opt.RuntimeDir = &c, t.TempDir()
	d.equip()
	if err := os.Mkdir(filepath.Join(c.Tools.Intents.Dir, "en"), 0o755); err != nil {
		t.Fatal(err)
	}
	ours := "lexicon: {metal: [tin], vessel: [pot]}\ncompounds: {both: [metal, vessel]}\n" +
		"intents:\n  - name: plugh\n    tool: kettle\n    say: [plugh the xyzzyq, fill the kettle, \"fill my {what:both}\", \"fill {what:timed}\", fill {]\n"
	ours = strings.Replace(ours, "fill {]", "\"fill {\"]", 1)
	if err := os.WriteFile(filepath.Join(c.Tools.Intents.Dir, "en", "ours.yaml"), []byte(ours), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &house{registry: tools.NewRegistry(), matcher: newMatching(nil, nil)}
	if err := d.buildUnderstanding(h); err != nil {
		t.Fatal(err)
	}
	l, ok := h.hears.(*learning)
	if !ok {
		t.Fatalf("the recogniser is %T", h.hears)
	}
	if !strings.Contains(l.grammar, "fill the kettle") || !strings.Contains(l.grammar, "fill my <both>") {
		t.Error("the rest cannot be said")
	}
	for _, text := range []string{"what time is it", "plugh the xyzzyq", "fill the kettle", "fill my tin pot"} {
		if _, _, ok := h.matcher.Match(text); !ok {
			t.Errorf("%q is not understood", text)
		}
	}
	told := []string{`ours.yaml, line 6 column 11: "plugh the xyzzyq"`, `"fill {what:timed}"`, `no rule <timed>`, `ours.yaml: line 6 column`, `"fill {"`}
	for _, want := range told {
		if list := d.conditions.List(); len(list) != 1 || list[0].Code != "intents" || !strings.Contains(list[0].Text, want) {
			t.Errorf("%s is not in %+v", want, list)
		}
	}
	mistakes := fmt.Sprint(CheckSentences(t.Context(), &c))
	for _, want := range told {
		if !strings.Contains(mistakes, want) {
			t.Errorf("%s is not in %s", want, mistakes)
		}
	}
}

func TestAPhraseThatCannotBeHeardCostsNoSentences(t *testing.T) {
	if _, err := exec.LookPath("pocketsphinx_batch"); err != nil {
		t.Skip("Debian package pocketsphinx: ", err)
	}
	d := bare()
	c := config.Default()
	c.Tools.Intents.Dir, c.Wake.Phrase = t.TempDir(), "hey plugh"
	d.cfg, d.opt.RuntimeDir = &c, t.TempDir()
	d.equip()
	if err := os.Mkdir(filepath.Join(c.Tools.Intents.Dir, "en"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Tools.Intents.Dir, "en", "ours.yaml"), []byte("intents: [{name: fill, say: [fill the kettle]}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &house{registry: tools.NewRegistry(), matcher: newMatching(nil, nil)}
	if err := d.buildUnderstanding(h); err != nil {
		t.Fatal(err)
	}
	if _, ok := h.hears.(engines.Deaf); !ok {
		t.Errorf("a phrase that it cannot hear: %T", h.hears)
	}
	if _, _, ok := h.matcher.Match("fill the kettle"); !ok {
		t.Error("what the phrase is to blame for costs the household's sentences")
	}
}
