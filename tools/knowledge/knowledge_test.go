package knowledge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/memory"
	"hearthd/rigs/memorytest"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// meanings knows two: whatever is about coffee, and the rest.
type meanings struct{ asked int }

func (m *meanings) Embed(_ context.Context, texts []string) ([][]float32, error) {
	m.asked++
	var all [][]float32
	for _, t := range texts {
		v := make([]float32, 8)
		v[0] = 1
		if t = strings.ToLower(t); strings.Contains(t, "espresso") || strings.Contains(t, "caffeine") {
			v[0], v[1] = 0, 1
		}
		all = append(all, v)
	}
	return all, nil
}

type rig struct {
	*Knowledge
	t      *testing.T
	dir    string
	status Status
	log    bytes.Buffer
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	var err error
	r.Knowledge, err = New(Options{
		Book: phrase.English(),
		Dir:  r.dir, Store: memorytest.Open(t), Model: "m", NoRoom: memory.ErrNoRoom, Idle: func() bool { return true },
		Changed: func(s Status, _ tools.Tool) { r.status = s }, PDF: "pdftotext",
		Log: slog.New(slog.NewTextHandler(&r.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// write makes a file of a minute ago.
func (r *rig) write(path, text string) {
	r.t.Helper()
	path = filepath.Join(r.dir, path)
	then := time.Now().Add(-time.Minute)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, []byte(text), 0o600),
		os.Chtimes(path, then, then)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) look() {
	r.t.Helper()
	if err := r.scan(r.t.Context(), false); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) ask(query string, n int) tools.Result {
	r.t.Helper()
	res, err := r.Tool().Call(r.t.Context(),
		tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(fmt.Sprintf(`{"query":%q,"passages":%d}`,
			query, n))}})
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

const manual = "---\ntitle: x\n---\n# Coffee machine\n\nFill the *tank* with [water](http://x).\n\n## Care\n\n### " +
	"Descaling\n\n" +
	"1. Pour the descaler into the tank.\n2. Press the button for **three** seconds.\n\n```\nCODE " +
	"17\n```\n\nWarranty\n--------\n\nTwo years.\n"

func TestAnAnswerNamesTheFileAndTheSection(t *testing.T) {
	r := newRig(t)
	r.write("manuals/coffee-machine.md", manual)
	r.write("bread.txt", "Sourdough\n\nFeed the starter twice a day.\n\nBake at 230 degrees.\n")
	r.look()
	if r.status.Documents != 2 || r.status.Failed != 0 {
		t.Errorf("%+v", r.status)
	}
	for query, want := range map[string]string{
		"what does the manual say about descaling": "The document coffee machine, under Coffee machine, Care, " +
			"Descaling, says: Pour the descaler into the tank. Press the button for three seconds. CODE 17",
		"how long is the warranty": "The document coffee machine, under Coffee machine, Warranty, says: " +
			"Two years.",
		"coffee machine tank": "The document coffee machine, under Coffee machine, says: Fill the tank " +
			"with water.",
		"how often do I feed the sourdough": "The document bread, under Sourdough, says: Feed the starter twice a " +
			"day. Bake at 230 degrees.",
		"coffee machine helicopters": "I found nothing about coffee machine helicopters in the documents.",
		"how do helicopters fly":     "I found nothing about how do helicopters fly in the documents.",
	} {
		if got := r.ask(query, 1).Text; got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	res := r.ask("descaling", 1)
	if !res.Foreign || len(res.Sources) != 1 || res.Sources[0].Title != "manuals/coffee-machine.md, Coffee machine, "+
		"Care, Descaling" {
		t.Errorf("%+v", res)
	}
	if spec := r.Tool().Spec(); !spec.ReadOnly || spec.Name != "knowledge_search" {
		t.Errorf("%+v", spec)
	}
}

func TestTheIndexFollowsTheFolder(t *testing.T) {
	r := newRig(t)
	r.write("a.md", "Rhubarb cake.")
	r.look()
	r.write("a.md", "Elderberry syrup, changed.")
	r.write("b.md", "Bread.")
	r.look()
	if got := r.ask("rhubarb", 1); got.Foreign {
		t.Errorf("old words: %q", got.Text)
	}
	if got := r.ask("elderberry", 1); !strings.Contains(got.Text, "changed") {
		t.Errorf("new words: %q", got.Text)
	}
	if err := os.Remove(filepath.Join(r.dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	r.look()
	if got := r.ask("elderberry", 1); got.Foreign || r.status.Documents != 1 {
		t.Errorf("gone: %q %+v", got.Text, r.status)
	}
	// The whole folder.
	if err := os.RemoveAll(r.dir); err != nil {
		t.Fatal(err)
	}
	r.look()
	if r.status.Documents != 0 || !r.status.Missing {
		t.Errorf("%+v", r.status)
	}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.look()
	if r.status.Missing {
		t.Errorf("it is back: %+v", r.status)
	}
}

func TestAFileThatIsBeingCopiedWaits(t *testing.T) {
	r := newRig(t)
	if err := os.WriteFile(filepath.Join(r.dir, "half.md"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.look()
	if r.status.Documents != 0 {
		t.Errorf("%+v", r.status)
	}
}

func TestAFileThatIsCopiedAnewIsFoundMeanwhile(t *testing.T) {
	r := newRig(t)
	r.write("manual.md", manual)
	r.look()
	if err := os.WriteFile(filepath.Join(r.dir, "manual.md"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.look()
	if r.status.Documents != 1 || !strings.Contains(r.ask("descaling", 1).Text, "Pour the descaler") {
		t.Errorf("%+v %s", r.status, r.ask("descaling", 1).Text)
	}
}

func TestAPathThatIsTooLongDoesNotStopTheRest(t *testing.T) {
	r := newRig(t)
	r.write(strings.Repeat(strings.Repeat("a", 240)+"/", 5)+"deep.md", "deep")
	r.write("manual.md", manual)
	r.look()
	if r.status.Documents != 1 || r.status.Skipped != 1 {
		t.Errorf("%+v", r.status)
	}
}

func TestWhatCannotBeReadIsNamedAndTheRestIsFound(t *testing.T) {
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("needs the Debian package poppler-utils")
	}
	r := newRig(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("The secret of the safe."), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(outside, filepath.Join(r.dir, "link.md")),
		os.Symlink(filepath.Dir(outside), filepath.Join(r.dir, "folder"))); err != nil {
		t.Fatal(err)
	}
	r.write("good.md", "The good one.")
	r.write(".hidden.md", "The secret of the safe.")
	r.write("picture.jpg", "The secret of the safe.")
	r.write("not.pdf", "<html>The secret of the safe.")
	r.write("broken.pdf", "%PDF-1.4\n1 0 obj\n<< /Length 99999999 >> stream\nxx")
	r.write("binary.txt", "abc\x00def")
	r.write("big.md", strings.Repeat("word ", maxText/5+1))
	r.write("empty.md", "")
	r.write("latin.txt", "Gr\xfc\xdfe vom Ofen.")
	r.look()
	if got := r.ask("secret of the safe", 3); got.Foreign {
		t.Errorf("found %q", got.Text)
	}
	if got := r.ask("good", 1); !strings.Contains(got.Text, "The good one.") {
		t.Errorf("good: %q", got.Text)
	}
	if got := r.ask("grüße ofen", 1); !strings.Contains(got.Text, "Grüße vom Ofen.") {
		t.Errorf("latin: %q", got.Text)
	}
	named := strings.Join(r.status.Problems, "\n")
	for _, want := range []string{"not.pdf: it is no PDF", "broken.pdf: ", "binary.txt: it is no text",
		"big.md: it has more than 4 MB of text"} {
		if !strings.Contains(named, want) {
			t.Errorf("problems\n%s\nwant %s", named, want)
		}
	}
	if r.status.Failed != 4 || r.status.Documents != 3 {
		t.Errorf("%+v", r.status)
	}
	// It is not tried again until the file changes.
	logged := r.log.Len()
	r.look()
	if r.log.Len() != logged || r.status.Failed != 4 {
		t.Errorf("again: %s", r.log.String()[logged:])
	}
}

func TestMeaningFindsWhatWordsDoNot(t *testing.T) {
	r := newRig(t)
	r.write("a.md", "Caffeine keeps you awake.")
	r.write("b.md", "Bread needs salt.")
	r.look()
	if got := r.ask("espresso", 1); got.Foreign {
		t.Errorf("by words alone: %q", got.Text)
	}
	m := new(meanings)
	r.o.Meaning = m
	r.o.Idle = func() bool { return false }
	if err := r.embed(t.Context()); err != nil || m.asked != 0 {
		t.Errorf("while somebody talks: asked %d, %v", m.asked, err)
	}
	r.o.Idle = func() bool { return true }
	if err := r.embed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.ask("espresso", 1); !strings.Contains(got.Text, "Caffeine keeps you awake.") {
		t.Errorf("by meaning: %q", got.Text)
	}
}

func TestALongPassageIsReadWhereTheWordsAre(t *testing.T) {
	long := strings.Repeat("The lamp is green. ", 40) + "The filter costs 9.50 euros. " +
		strings.Repeat("The lamp is red. ", 40)
	got := excerpt(long, terms("price of the filter costs"), spoken)
	if len([]rune(got)) > spoken+2 || !strings.Contains(got, "The filter costs 9.50 euros.") ||
		!strings.HasPrefix(got, "The ") {
		t.Errorf("%q", got)
	}
}

func FuzzCut(f *testing.F) {
	f.Add(manual)
	f.Add("A\n=\n\nB\n-\n- x\n> y\n\fpage\n\nHEAD\n\ntext")
	f.Add("[a](b)![c](d)***e***```\n~~~")
	f.Fuzz(func(t *testing.T, text string) {
		for _, list := range [][]llm.Passage{cutMarkdown("n", text), cutText("n", text)} {
			size := 0
			for _, p := range list {
				if len(p.Text) > passageSize+2 || len([]rune(p.Section)) > maxSection+2 || p.Text == "" {
					t.Fatalf("passage of %d bytes in a section of %d", len(p.Text), len(p.Section))
				}
				size += len(p.Text)
			}
			if size > 3*len(text)+len(list) {
				t.Fatalf("%d bytes became %d", len(text), size)
			}
		}
	})
}
