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
	"hearthd/daemon/sentences"
	"hearthd/tools"
	"hearthd/tools/intent"
)

func TestReloadTakesNoWordThatTheRecogniserLacks(t *testing.T) {
	if _, err := exec.LookPath("pocketsphinx_batch"); err != nil {
		t.Skip("Debian package pocketsphinx: ", err)
	}
	dir := t.TempDir()
	l := sentences.NewLearner(nil, dir, slog.New(slog.DiscardHandler))
	r := &reloader{base: bare().base, assistant: &assistant{hears: l}}
	s := &staged{config: config.Default()}
	s.config.Tools.Intents.Dir = t.TempDir()
	r.cfg = &s.config
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
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
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
	h := &assistant{registry: tools.NewRegistry(), matcher: sentences.NewMatcher(nil, nil)}
	if err := d.buildUnderstanding(h); err != nil {
		t.Fatal(err)
	}
	if _, ok := h.hears.(*sentences.Learner); !ok {
		t.Fatalf("the recogniser is %T", h.hears)
	}
	learned := string(files(t, filepath.Join(d.opt.RuntimeDir, "pocketsphinx", "0")))
	if !strings.Contains(learned, "fill the kettle") || !strings.Contains(learned, "fill my <both>") {
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
	mistakes := fmt.Sprint(sentences.Check(t.Context(), &c))
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
	h := &assistant{registry: tools.NewRegistry(), matcher: sentences.NewMatcher(nil, nil)}
	if err := d.buildUnderstanding(h); err != nil {
		t.Fatal(err)
	}
	if _, ok := h.hears.(engines.Broken); !ok {
		t.Errorf("a phrase that it cannot hear: %T", h.hears)
	}
	if _, _, ok := h.matcher.Match("fill the kettle"); !ok {
		t.Error("what the phrase is to blame for costs the household's sentences")
	}
}
