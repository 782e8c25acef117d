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
	"hearthd/llm"
	"hearthd/llm/stt"
	"hearthd/rigs/llmtest"
	"hearthd/tools"
	"hearthd/tools/intent"
	"hearthd/tools/phrase"
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
	if wrong := s.sentences(r, triggers); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	if got, ok := s.matcher.Match("ring the xyzzyq"); !ok || got.Call.Name != "bell" {
		t.Errorf("a sentence that can be typed: %+v, %v", got, ok)
	}
	if len(s.left) != 1 || !strings.Contains(s.left[0].String(), "xyzzyq") {
		t.Errorf("told: %v", s.left)
	}
	s.config.Wake.Phrase = "hey plugh"
	if wrong := s.sentences(r, triggers); len(wrong) != 1 || !strings.Contains(wrong[0].Error(), ": plugh") {
		t.Errorf("a phrase that cannot be heard: %v", wrong)
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
	h := &assistant{registry: tools.NewRegistry(phrase.English()), matcher: sentences.NewMatcher(nil, nil)}
	if err := d.buildUnderstanding(h); err != nil {
		t.Fatal(err)
	}
	if _, ok := h.hears.(*sentences.Learner); !ok {
		t.Fatalf("the recogniser is %T", h.hears)
	}
	learned := string(files(t, filepath.Join(d.opt.RuntimeDir, "pocketsphinx", "0")))
	for _, word := range []string{"kettle", "tin", "pot"} {
		if !strings.Contains(learned, " 1 "+word+"\n") { // at the end of a transition
			t.Errorf("%q, which is of the rest, cannot be said", word)
		}
	}
	for _, text := range []string{"what time is it", "plugh the xyzzyq", "fill the kettle", "fill my tin pot"} {
		if _, _, ok := h.matcher.Match(text, ""); !ok {
			t.Errorf("%q is not understood", text)
		}
	}
	told := []string{`ours.yaml, line 6 column 11: "plugh the xyzzyq"`, `"fill {what:timed}"`, `no rule <timed>`,
		`ours.yaml: line 6 column`, `"fill {"`}
	for _, want := range told {
		if list := d.conditions.List(); len(list) != 1 || list[0].Code != "intents" ||
			!strings.Contains(list[0].Text, want) {
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
	if err := os.WriteFile(filepath.Join(c.Tools.Intents.Dir, "en", "ours.yaml"),
		[]byte("intents: [{name: fill, say: [fill the kettle]}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &assistant{registry: tools.NewRegistry(phrase.English()), matcher: sentences.NewMatcher(nil, nil)}
	if err := d.buildUnderstanding(h); err != nil {
		t.Fatal(err)
	}
	if _, ok := h.hears.(engines.Broken); !ok {
		t.Errorf("a phrase that it cannot hear: %T", h.hears)
	}
	if _, _, ok := h.matcher.Match("fill the kettle", ""); !ok {
		t.Error("what the phrase is to blame for costs the household's sentences")
	}
}

// German is typed, and heard by a server: the model that Debian has is of English.
func TestGermanIsTypedAndHeardByAServer(t *testing.T) {
	d := bare()
	c := config.Default()
	c.Tools.Intents.Dir, c.Tools.Intents.Language = t.TempDir(), "de"
	d.cfg, d.opt.RuntimeDir = &c, t.TempDir()
	d.equip()
	h := &assistant{registry: tools.NewRegistry(phrase.English()), matcher: sentences.NewMatcher(nil, nil)}
	if err := d.buildUnderstanding(h); err != nil {
		t.Fatal(err)
	}
	const reason = `pocketsphinx has a model of English only, and the language is "de": sudo hearthctl speech install gets one`
	if _, ok := h.hears.(engines.Broken); !ok {
		t.Errorf("the recogniser is %T", h.hears)
	}
	if list := d.conditions.List(); len(list) != 1 || list[0].Code != "recogniser" ||
		!strings.Contains(list[0].Text, reason) {
		t.Errorf("conditions %+v", list)
	}
	d.conditions.Clear("recogniser")
	c.Wake.Engine = "off"
	if err := d.buildUnderstanding(h); err != nil || len(d.conditions.List()) > 0 {
		t.Errorf("where nobody is listened to: %v, conditions %+v", err, d.conditions.List())
	}
	if mistakes := fmt.Sprint(sentences.Check(t.Context(), &c)); !strings.Contains(mistakes, reason) {
		t.Errorf("check: %s", mistakes)
	}
	if got, _, ok := h.matcher.Match("Stell einen Timer auf zehn Minuten", ""); !ok || got.Name != "timer_set" {
		t.Errorf("typed: %+v, %v", got, ok)
	}
	c.STT.Engine, c.STT.Language, c.STT.Wyoming.Address = "wyoming", "de", "127.0.0.1:1"
	d.conditions.Clear("recogniser")
	if err := d.buildUnderstanding(h); err != nil {
		t.Fatal(err)
	}
	if _, ok := h.hears.(*stt.Wyoming); !ok || len(d.conditions.List()) > 0 {
		t.Errorf("the recogniser is %T, conditions %+v", h.hears, d.conditions.List())
	}
}

// What is typed in German does it: a timer runs, and something is on the list.
func TestGermanIsDone(t *testing.T) {
	h := fullHouse(t, func(c *config.Config) { c.Tools.Intents.Language = "de" })
	for _, c := range []struct{ text, then, want string }{
		{"Stell bitte einen Timer für die Nudeln auf zehn Minuten", "timer_left", "nudel-timer"},
		{"Setz Milch und Eier auf die Einkaufsliste", "list_show", "milch"},
		{"Stell den Wecker auf halb sieben", "alarm_list", "uhr 30"},
	} {
		call, _, ok := h.matcher.Match(c.text, "")
		if !ok {
			t.Errorf("%q is not understood", c.text)
			continue
		}
		if out := h.exec.Run(t.Context(), tools.Call{ToolCall: call}); out.Class != tools.OK {
			t.Errorf("%q: %+v", c.text, out)
		}
		out := h.exec.Run(t.Context(), tools.Call{ToolCall: llm.ToolCall{Name: c.then, Arguments: []byte("{}")}})
		if !strings.Contains(strings.ToLower(out.Result.Text), c.want) {
			t.Errorf("%q: %s tells %q", c.text, c.then, out.Result.Text)
		}
	}
}

// The search for the wake phrase beside a server hears the one that a reload has brought.
func TestWakePhraseOfAReloadIsHeardBesideAServer(t *testing.T) {
	p := newParlour(t, llmtest.NewRealtime(t, nil), llmtest.NewOllama(t, "small", steps()),
		func(c *config.Config) { c.Route.Policy, c.Wake.Engine = "local", "phrase" })
	list := filepath.Join(p.d.opt.RuntimeDir, "pocketsphinx", "phrase", "phrase.list")
	if _, err := os.Stat(list); err != nil {
		t.Skip("Debian packages pocketsphinx and pocketsphinx-en-us: ", err)
	}
	now := *p.d.now()
	now.Wake.Phrase = "hello kitchen"
	p.d.live.Store(&now)
	s, err := p.d.assistant.hears.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(list); err != nil || !strings.HasPrefix(string(text), "hello_kitchen ") {
		t.Errorf("it listens for %q, %v", text, err)
	}
}
