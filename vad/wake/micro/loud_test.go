package micro

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"hearthd/audio"
	"hearthd/vad/wake/micro/tflite/tflitetest"
)

const loudManifest = `{"type": "micro", "wake_word": "loud", "model": "loud.tflite", "version": 2,
  "micro": {"probability_cutoff": 0.5, "sliding_window_size": 2, "feature_step_size": 10}}`

// A model that needs no training: it shows that what is heard opens the same way
// without the models of others.
func TestModelOfLoudSoundsHearsThemAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "loud.json")
	for name, data := range map[string][]byte{path: []byte(loudManifest), filepath.Join(dir, "loud.tflite"): tflitetest.Loud()} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	pcm := make([]int16, 10*audio.Rate)
	for i := range pcm {
		pcm[i] = int16(rng.IntN(91) - 45)
	}
	const begin = 6 * audio.Rate
	for i := range audio.Rate / 2 {
		pcm[begin+i] += int16(9000 * math.Sin(float64(i)*0.2) * math.Sin(float64(i)*0.0131))
		pcm[begin+i] += int16(rng.IntN(6001) - 3000)
	}
	found := listen(s, pcm)
	if len(found) != 1 || found[0].Name != "loud" || found[0].Position < begin-audio.Rate/10 || found[0].Position > begin+audio.Rate/2 {
		t.Errorf("found %+v, want one at %d", found, begin)
	}
}
