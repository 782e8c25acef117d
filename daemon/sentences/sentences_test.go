package sentences

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/llm/stt"
	"hearthd/tools/intent"
)

func TestSentencesOfTheHouseholdAreAddedAndMistakesAreTold(t *testing.T) {
	c := config.Default()
	d := New(Options{Config: &c, Conditions: health.New(event.NewBus()), Log: slog.New(slog.DiscardHandler)})
	c.Tools.Intents.Dir = t.TempDir()
	file := filepath.Join(c.Tools.Intents.Dir, "en", "ours.yaml")
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
	m, err := d.read(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := m.Match("brew up"); !ok || got.Call.Name != "kettle" {
		t.Errorf("%+v, %v", got, ok)
	}
	write("intents:\n  - name: tea\n    type: [(brew]\n")
	if m, err = d.read(nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Match("what time is it"); !ok {
		t.Error("a mistake of the household's costs the built-in sentences")
	}
	if list := Mistakes(&c, m); len(list) != 1 || !strings.HasPrefix(list[0].Error(), file+": line 3") {
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
	l := NewLearner(m, t.TempDir(), slog.New(slog.DiscardHandler))
	if _, err := l.Learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.SetNames("device", []intent.Name{{Value: "Reading Lamp"}, {Value: "Zigbeefoo"}, {Value: "Lamp 7"}})
	ended, end := context.WithCancel(t.Context()) // as a window that is closed at once
	end()
	if _, err := l.Open(ended); err == nil {
		t.Error("an utterance that has ended is begun")
	}
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

// As in an installation, which may start hearthd before what it needs is set up.
func TestRecogniserIsSetUpWhenItsProgramComes(t *testing.T) {
	if _, err := exec.LookPath("pocketsphinx_batch"); err != nil {
		t.Skip("Debian package pocketsphinx: ", err)
	}
	m, err := intent.New(intent.Options{Language: "xx", Extra: os.DirFS("testdata/names")})
	if err != nil {
		t.Fatal(err)
	}
	l, path := NewLearner(m, t.TempDir(), slog.New(slog.DiscardHandler)), os.Getenv("PATH")
	t.Setenv("PATH", "/nowhere")
	if _, err := l.Learn(t.Context()); !errors.Is(err, stt.ErrNotInstalled) {
		t.Fatal(err)
	}
	if _, err := l.Open(t.Context()); !errors.Is(err, stt.ErrNotInstalled) {
		t.Fatal(err)
	}
	t.Setenv("PATH", path)
	s, err := l.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestRecogniserIsToldTheNamesOfTheHouse(t *testing.T) {
	x := NewMatcher(nil, nil)
	x.SetNames("list", []intent.Name{{Value: "shopping"}})
	x.SetNames("device", []intent.Name{{Value: "light.1", Forms: []string{"kitchen light", "lamp"}}})
	if got := strings.Join(x.HotWords(), ","); got != "kitchen light,lamp,shopping" {
		t.Errorf("told %q", got)
	}
	x.SetNames("person", make([]intent.Name, 2*maxHotWords))
	if n := len(x.HotWords()); n != maxHotWords {
		t.Errorf("told %d names", n)
	}
}

// What a reload tells of names those that somebody has written.
func TestIntentsOfDeclaredToolsHaveNoNamesOfTheirOwn(t *testing.T) {
	m, err := intent.New(intent.Options{Language: "en", Triggers: []intent.Trigger{{Sentence: "feed the cat", Tool: "cat"}}})
	if err != nil {
		t.Fatal(err)
	}
	names := NewMatcher(m, nil).Intents()
	if len(names) == 0 {
		t.Error("no intents at all")
	}
	for _, name := range names {
		if strings.HasPrefix(name, "declared") {
			t.Errorf("there is an intent %q", name)
		}
	}
}
