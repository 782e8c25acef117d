package catalogue

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/speech/fetch"
	"hearthd/speech/model"
)

func load(t *testing.T) *Catalogue {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCatalogueHasWhatABoxNeeds(t *testing.T) {
	c := load(t)
	if c.Library.Release != model.Release {
		t.Errorf("the library is %s, and hearth-speech knows %s", c.Library.Release, model.Release)
	}
	for _, arch := range []string{"amd64", "arm64", "arm"} {
		if a, ok := c.Library.Archives[arch]; !ok || !strings.Contains(a.Path, c.Library.Release) {
			t.Errorf("the library for %s: %+v", arch, a)
		}
		for _, a := range c.Library.Packages[arch] {
			if strings.Contains(a.Path, "/") || !strings.Contains(a.Path, c.Library.Release) {
				t.Errorf("package for %s: %+v", arch, a)
			}
		}
	}
	archives := map[string]string{}
	for _, m := range c.Models {
		if err := fetch.CheckURL(c.URL(m.Archive)); err != nil {
			t.Error(err)
		}
		if other := archives[m.Archive.SHA256]; other != "" {
			t.Errorf("%s has the SHA-256 of %s", m.Name, other)
		}
		archives[m.Archive.SHA256] = m.Name
	}
	for _, name := range []string{"moonshine-tiny-en", "moonshine-base-en", "whisper-tiny", "whisper-base",
		"whisper-small", "zipformer-en", "piper-en", "piper-de", "kokoro-en", "kitten-en", "keyword-en", "speaker-en"} {
		if c.Find(name) == nil {
			t.Errorf("%s is not offered", name)
		}
	}
}

// On every board something is proposed in both languages, and nothing that does not fit it.
func TestEachBoardIsOfferedWhatSuitsIt(t *testing.T) {
	c := load(t)
	for _, tc := range []struct {
		board              Board
		task               model.Task
		language           string
		first, never, lack string
	}{
		{Board{Class: "pc", MemoryMB: 16000}, model.Hear, "en", "moonshine-base-en", "whisper-small", ""},
		{Board{Class: "pi5", MemoryMB: 8000}, model.Hear, "en", "moonshine-tiny-en", "moonshine-base-en", ""},
		{Board{Class: "pi4", MemoryMB: 2000}, model.Hear, "en", "zipformer-en", "whisper-tiny", ""},
		{Board{Class: "pi3", MemoryMB: 950}, model.Hear, "en", "zipformer-20m-en", "zipformer-en", ""},
		{Board{Class: "pc", MemoryMB: 16000}, model.Hear, "de-AT", "zipformer-de", "zipformer-en", ""},
		{Board{Class: "pc", MemoryMB: 16000}, model.Hear, "fr", "whisper-base", "zipformer-en", ""},
		{Board{Class: "pi4", MemoryMB: 2000}, model.Speak, "en", "piper-en", "kokoro-en", ""},
		{Board{Class: "pi3", MemoryMB: 950}, model.Speak, "de", "piper-de-kerstin", "piper-de", ""},
		{Board{Class: "pc", MemoryMB: 440}, model.Hear, "en", "", "", "all"},
	} {
		list := c.Propose(tc.task, tc.language, &tc.board)
		if tc.lack != "" {
			if len(list) != 0 {
				t.Errorf("%+v is offered %s", tc.board, list[0].Name)
			}
			continue
		}
		if len(list) == 0 || list[0].Name != tc.first {
			t.Errorf("%+v %s: %v", tc.board, tc.language, list)
			continue
		}
		for _, m := range list {
			if m.Name == tc.never {
				t.Errorf("%+v is offered %s", tc.board, m.Name)
			}
		}
	}
}

func TestBoardTellsItself(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\x00",
		"proc/meminfo":           "MemTotal:        3884360 kB\nMemFree: 1 kB\nMemAvailable:    2000000 kB\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := Here(root)
	if b.Class != "pi4" || b.Name != "Raspberry Pi 4 Model B Rev 1.4" || b.MemoryMB != 3977 || b.FreeMB != 2048 {
		t.Errorf("%+v", b)
	}
	if b := Here(t.TempDir()); b.Class != "pc" || b.MemoryMB != 0 {
		t.Errorf("%+v", b)
	}
	if why := b.Refuse(&Model{NetworksMB: 4000}); !strings.Contains(why, "10050 MB") {
		t.Error(why)
	}
}

func TestUncheckedEntriesAreRefused(t *testing.T) {
	library := "library: {release: 1.0, files: [a.so]}\nmodels:\n"
	good := "  - {name: a, kind: speaker, rate: 16000, files: {model: m}, licence: MIT, networks_mb: 1, " +
		"archive: {path: a.tar.bz2, size: 1, sha256: " + strings.Repeat("a", 64) + "}}\n"
	if _, err := Parse([]byte(library + good)); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"two models a":         library + good + good,
		"no SHA-256":           library + strings.Replace(good, strings.Repeat("a", 64), "unknown", 1),
		"no size":              library + strings.Replace(good, "size: 1", "size: 0", 1),
		"no licence":           library + strings.Replace(good, "licence: MIT", "licence: ''", 1),
		"no kind of board":     library + strings.Replace(good, "rate:", "boards: [pi9], rate:", 1),
		"name of a model":      library + strings.Replace(good, "name: a", "name: ../a", 1),
		"not within":           library + strings.Replace(good, "model: m", "model: ../m", 1),
		"no release":           "models:\n" + good,
		"not name its encoder": library + strings.Replace(good, "kind: speaker", "kind: whisper", 1),
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
