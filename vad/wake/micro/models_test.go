package micro

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/audio"
	"hearthd/vad/wake"
)

// models returns the models of those names under HEARTHD_TEST_MODELS, a folder
// with wake/NAME.json, wake/NAME.tflite and wake/clips/*.wav, or skips.
func models(t testing.TB, names ...string) []*Model {
	t.Helper()
	var out []*Model
	for _, n := range names {
		m, err := Load(filepath.Join(folder(t), n+".json"))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func folder(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("HEARTHD_TEST_MODELS")
	if dir == "" {
		t.Skip("HEARTHD_TEST_MODELS names no folder with wake word models")
	}
	return filepath.Join(dir, "wake")
}

// clips returns the recordings of wake words by file name, which begins with that
// of the model.
func clips(t testing.TB) map[string][]int16 {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder(t), "clips", "*.wav"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no clips in %s: %v", folder(t), err)
	}
	out := make(map[string][]int16)
	for _, p := range paths {
		c, err := audio.ReadWAV(p, audio.WAVOptions{})
		if err != nil || c.Rate != audio.Rate {
			t.Fatalf("%s at %d Hz: %v", p, c.Rate, err)
		}
		out[strings.TrimSuffix(filepath.Base(p), ".wav")] = c.Samples
	}
	return out
}

func listen(s *Spotter, pcm []int16) []wake.Detection {
	var found []wake.Detection
	var f audio.Frame
	for at := 0; at+len(f) <= len(pcm); at += len(f) {
		copy(f[:], pcm[at:])
		found = append(found, s.Push(&f, audio.Position(at))...)
	}
	return found
}
