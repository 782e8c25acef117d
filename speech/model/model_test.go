package model

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// put writes a model and its files below state.
func put(t *testing.T, state, name string, m *Manifest) {
	t.Helper()
	folder := filepath.Join(state, ModelsFolder, name)
	for what, file := range m.Files {
		path := filepath.Join(folder, file)
		if what == "data" {
			path = filepath.Join(path, "x")
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Write(folder); err != nil {
		t.Fatal(err)
	}
}

func whisper(languages ...string) *Manifest {
	return &Manifest{Kind: Whisper, Rate: 16000, Languages: languages, Licence: "MIT", MemoryMB: 200,
		Files: map[string]string{"encoder": "e.onnx", "decoder": "d.onnx", "tokens": "tokens.txt"}}
}

func piper(languages ...string) *Manifest {
	return &Manifest{Kind: Piper, Rate: 22050, Languages: languages, Speakers: map[string]int{"amy": 3},
		Files: map[string]string{"model": "m.onnx", "tokens": "tokens.txt", "data": "espeak-ng-data"}}
}

func TestManifestIsReadAsItWasWritten(t *testing.T) {
	state := t.TempDir()
	want := piper("en", "de")
	put(t, state, "piper-amy", want)
	models, err := List(state)
	if err != nil || len(models) != 1 {
		t.Fatal(models, err)
	}
	rest := cmpopts.IgnoreFields(Manifest{}, "Name", "folder")
	if d := cmp.Diff(want, models[0], rest); d != "" {
		t.Error(d)
	}
	if got := models[0].Path("data"); got != filepath.Join(state, "models/piper-amy/espeak-ng-data") {
		t.Error(got)
	}
	if got := models[0].Path("lexicon"); got != "" {
		t.Errorf("lexicon %q", got)
	}
}

func TestWhatCannotBeLoadedIsListedAsAMistake(t *testing.T) {
	state := t.TempDir()
	put(t, state, "good", whisper())
	put(t, state, "torn", whisper())
	if err := os.Remove(filepath.Join(state, "models/torn/d.onnx")); err != nil {
		t.Fatal(err)
	}
	for folder, text := range map[string]string{
		"kind":    "kind: parrot\nfiles: {}\nrate: 16000\n",
		"lacks":   "kind: whisper\nfiles: {encoder: e}\nrate: 16000\n",
		"climbs":  "kind: speaker\nfiles: {model: ../e}\nrate: 16000\n",
		"surplus": "kind: speaker\nfiles: {model: e, voices: v}\nrate: 16000\n",
		"rate":    "kind: speaker\nfiles: {model: e}\nrate: 22050\n",
		"sure":    "kind: speaker\nfiles: {model: e}\nrate: 16000\nthreshold: 1\n",
		"key":     "kind: speaker\nfiles: {model: e}\nrate: 16000\nspeed: 1\n",
		".part":   "an installer is at work on this",
	} {
		folder = filepath.Join(state, ModelsFolder, folder)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, ManifestFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	models, err := List(state)
	if len(models) != 1 || models[0].Name != "good" {
		t.Errorf("models %v", models)
	}
	for _, want := range []string{"torn: its decoder", `kind "parrot"`, "name its decoder", `"../e"`, `"voices"`, "22050", "threshold of 1",
		"model key"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing says %s: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "part") {
		t.Error("the folder of an installer is told as a mistake")
	}
}

func TestModelIsChosenByUseThenByLanguage(t *testing.T) {
	state := t.TempDir()
	put(t, state, "a-en", whisper("en"))
	put(t, state, "b-all", whisper())
	put(t, state, "piper", piper("en"))
	models, err := List(state)
	if err != nil {
		t.Fatal(err)
	}
	use := Use{Hear: map[string]string{"": "a-en", "de": "gone"}, Speak: map[string]string{"en": "piper/amy"}}
	if err := use.Write(state); err != nil {
		t.Fatal(err)
	}
	if use, err = ReadUse(state); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		task                    Task
		language, name, speaker string
	}{
		{Hear, "en-GB", "a-en", ""}, {Hear, "", "a-en", ""}, {Hear, "de", "b-all", ""},
		{Speak, "en", "piper", "amy"}, {Speak, "de", "", ""}, {Wake, "", "", ""},
	} {
		m, speaker := use.Choose(models, tc.task, tc.language)
		if m == nil {
			m = &Manifest{}
		}
		if m.Name != tc.name || speaker != tc.speaker {
			t.Errorf("%s in %q: %s/%s", tc.task, tc.language, m.Name, speaker)
		}
	}
	if use, err := ReadUse(t.TempDir()); err != nil || use.Hear != nil {
		t.Error(use, err)
	}
}
