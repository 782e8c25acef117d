package daemon

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/config"
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
	if list := d.conditions.List(); len(list) != 1 || list[0].Code != "intents" || !strings.Contains(list[0].Text, "ours.yaml: line 3") {
		t.Errorf("%+v", list)
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
	l := &learning{matcher: newMatching(m), log: slog.New(slog.DiscardHandler), dir: t.TempDir()}
	if err := l.learn(m.Grammar()); err != nil {
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
	r := &reloader{d: bare(), house: &house{hears: l}}
	s := &staged{config: config.Default()}
	s.config.Tools.Intents.Dir = t.TempDir()
	triggers := []intent.Trigger{{Sentence: "ring the xyzzyq", Tool: "bell"}}
	if err := s.sentences(r, triggers); err != nil {
		t.Fatal(err)
	}
	if got, ok := s.matcher.Match("ring the xyzzyq"); !ok || got.Call.Name != "bell" {
		t.Errorf("a sentence that can be typed: %+v, %v", got, ok)
	}
	if err := l.try(s.matcher.Grammar()); err != nil {
		t.Errorf("the recogniser cannot learn what was taken: %v", err)
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
	if err := os.Mkdir(filepath.Join(c.Tools.Intents.Dir, "en"), 0o755); err != nil {
		t.Fatal(err)
	}
	ours := "intents:\n  - name: plugh\n    tool: kettle\n    say: [plugh the xyzzyq]\n"
	if err := os.WriteFile(filepath.Join(c.Tools.Intents.Dir, "en", "ours.yaml"), []byte(ours), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &house{registry: tools.NewRegistry()}
	if err := d.buildUnderstanding(h); err != nil {
		t.Fatal(err)
	}
	if _, ok := h.hears.(*learning); !ok {
		t.Errorf("the recogniser is %T", h.hears)
	}
	if _, ok := h.matcher.Match("what time is it"); !ok {
		t.Error("nothing is understood")
	}
	if list := d.conditions.List(); len(list) != 1 || list[0].Code != "intents" || !strings.Contains(list[0].Text, "xyzzyq") {
		t.Errorf("%+v", list)
	}
}
