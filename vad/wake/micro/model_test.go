package micro

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const goodManifest = `{
  "type": "micro", "wake_word": "Hey You", "author": "A. Person", "website": "https://example.org",
  "model": "hey_you.tflite", "trained_languages": ["en"], "version": 2,
  "micro": {"probability_cutoff": 0.97, "sliding_window_size": 5, "feature_step_size": 10,
            "tensor_arena_size": 22860, "minimum_esphome_version": "2024.7.0"}
}`

func TestManifestIsReadWhole(t *testing.T) {
	m, err := parseManifest([]byte(goodManifest))
	if err != nil {
		t.Fatal(err)
	}
	if m.WakeWord != "Hey You" || m.Author != "A. Person" || m.Model != "hey_you.tflite" || len(m.Languages) != 1 ||
		m.Micro.Cutoff != 0.97 || m.Micro.Window != 5 || m.Micro.Arena != 22860 {
		t.Errorf("%+v", m)
	}
}

func TestManifestsOutOfBoundsAreRefusedWithWhatWasExpected(t *testing.T) {
	cases := []struct{ old, new, want string }{
		{`"micro",`, `"vad",`, `want "micro" version 2`},
		{`"version": 2`, `"version": 1`, `want "micro" version 2`},
		{`Hey You`, ` `, "wake_word is missing"},
		{`Hey You`, strings.Repeat("a", 200), "want at most 128"},
		{`hey_you.tflite`, `../hey_you.tflite`, "beside the manifest"},
		{`hey_you.tflite`, `/etc/x.tflite`, "beside the manifest"},
		{`hey_you.tflite`, `a\\b.tflite`, "beside the manifest"},
		{`hey_you.tflite`, `http://example.org/x.tflite`, "beside the manifest"},
		{`hey_you.tflite`, ``, "beside the manifest"},
		{`hey_you.tflite`, `hey_you.onnx`, "beside the manifest"},
		{`0.97`, `0`, "probability_cutoff 0"},
		{`0.97`, `1.5`, "probability_cutoff 1.5"},
		{`0.97`, `-1`, "probability_cutoff -1"},
		{`_size": 5`, `_size": 0`, "sliding_window_size 0"},
		{`_size": 5`, `_size": 1000`, "sliding_window_size 1000"},
		{`_size": 10`, `_size": 20`, "feature_step_size 20"},
		{`22860`, `-1`, "tensor_arena_size -1"},
		{`0.97`, `"x"`, "want the JSON of a microWakeWord model"},
		{`{`, ``, "want the JSON of a microWakeWord model"},
	}
	for _, c := range cases {
		_, err := parseManifest([]byte(strings.Replace(goodManifest, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

func TestLoadNamesTheFileThatIsWrong(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "hey_you.json")
	network := filepath.Join(dir, "hey_you.tflite")
	steps := []struct {
		file string
		text []byte
		want string
	}{
		{"", nil, "hey_you.json"},
		{path, make([]byte, maxManifest+1), "more than"},
		{path, []byte(goodManifest), "hey_you.tflite"},
		{network, []byte("no network"), `want "TFL3"`},
		{network, make([]byte, maxNetwork+1), "more than"},
	}
	for _, s := range steps {
		if s.file != "" {
			if err := os.WriteFile(s.file, s.text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), s.want) {
			t.Errorf("%v, want %q", err, s.want)
		}
	}
	pipe := filepath.Join(dir, "pipe.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, pipe} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "and not a file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestASpotterNeedsModelsWithinBounds(t *testing.T) {
	if _, err := New(); err == nil {
		t.Error("a spotter of nothing was made")
	}
	for _, m := range []*Model{{Name: "a", Cutoff: 0, Window: 5}, {Name: "a", Cutoff: 0.5, Window: 0},
		{Name: "a", Cutoff: 0.5, Window: 5}} {
		if _, err := New(m); err == nil || !strings.Contains(err.Error(), `wake word "a"`) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

func TestModelsAreAsTheirManifestSays(t *testing.T) {
	m := models(t, "hey_jarvis")[0]
	if m.Name != "Hey Jarvis" || m.Cutoff != 0.97 || m.Window != 5 {
		t.Errorf("%q, cutoff %v over %d", m.Name, m.Cutoff, m.Window)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(goodManifest))
	f.Add([]byte(`{"type":"micro","version":2,"model":"..tflite"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text)
		if err != nil {
			return
		}
		dir := t.TempDir()
		if filepath.Dir(filepath.Join(dir, m.Model)) != dir {
			t.Fatalf("%q leads out of the folder", m.Model)
		}
	})
}
