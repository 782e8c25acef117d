package intent

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write en.json anew")

// TestJSONIsWhatTheFilesComeTo reads the files themselves, so that a mistake in one
// is told with its place.
func TestJSONIsWhatTheFilesComeTo(t *testing.T) {
	for _, language := range Languages() {
		if _, err := New(Options{Language: "of a folder", Extra: os.DirFS(language)}); err != nil {
			t.Fatal(err)
		}
		d, err := source{base: os.DirFS(language)}.load(true)
		if err != nil {
			t.Fatal(err)
		}
		d.SampleNames = nil
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(d); err != nil {
			t.Fatal(err)
		}
		text := bytes.ReplaceAll(want.Bytes(), []byte(`{"Name":`), []byte("\n{\"Name\":")) // an intent a line, for diffs
		name := language + ".json"
		if *update {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is old: go test ./tools/intent -run JSON -update (%v)", name, err)
		}
	}
}

func TestEveryExampleIsUnderstoodAsItSays(t *testing.T) {
	for _, err := range newMatcher(t).CheckExamples() {
		t.Error(err)
	}
}

func TestLanguageIsAFolderOfData(t *testing.T) {
	m, err := New(Options{Language: "de", Extra: os.DirFS("testdata/de")})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range m.CheckExamples() {
		t.Error(err)
	}
	if _, ok := m.Match("set a timer for ten minutes"); ok {
		t.Error("English is understood")
	}
	if rest, ok := m.Wake("Hallo Herd, stell einen Timer"); !ok || rest != "stell einen Timer" {
		t.Errorf("%q, %v", rest, ok)
	}
	if g := m.Grammar(); !strings.Contains(g.JSGF, "<wake> = hallo herd;") || !strings.Contains(strings.Join(g.Words, " "), "stelle") {
		t.Error(g.JSGF)
	}
	if _, err := New(Options{Language: "fr"}); err == nil {
		t.Error("a language that there is not")
	}
}
