package trial

import (
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"hearthd/audio"
	"hearthd/rigs/speechtest"
)

func TestWordsAreCounted(t *testing.T) {
	for _, tc := range []struct {
		said, heard string
		want        float64
	}{
		{"Turn on the light.", "turn on the LIGHT", 1},
		{"turn on the light", "turn off the light", 0.75},
		{"turn on the light", "turn the light", 0.75},
		{"turn on the light", "and turn on the light", 0.75},
		{"one two", "three four five six", 0},
		{"Küche ein", "küche, ein", 1},
		{"a", "", 0}, {"", "a", 0},
	} {
		if got := Right(tc.said, tc.heard); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%q heard as %q: %.2f, want %.2f", tc.said, tc.heard, got, tc.want)
		}
	}
}

// open is a folder that everybody may read: root gives its rights away.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "trial-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// program builds hearth-speech.
func program(t *testing.T) string {
	t.Helper()
	path := open(t) + "/hearth-speech"
	if out, err := exec.Command("go", "build", "-o", path, "hearthd/cmd/hearth-speech").CombinedOutput(); err != nil {
		t.Skipf("hearth-speech cannot be built here: %v: %s", err, out)
	}
	return path
}

// The models are made by a script, so what they hear and how they sound is known.
func TestModelsOfTheRealLibraryAreTried(t *testing.T) {
	state := speechtest.Folder(t, speechtest.Hearer, speechtest.Hum)
	s, err := Start(t.Context(), program(t), state)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	loud := make([]int16, 2*audio.Rate)
	for i := range loud {
		loud[i] = int16(20_000 * math.Sin(float64(i)/5))
	}
	h, err := Hear(t.Context(), s.Address, speechtest.Hearer, "en", loud, false)
	if err != nil || Right(speechtest.Loud, h.Text) != 1 || h.Took < h.Answer || h.Length.Seconds() != 2 {
		t.Errorf("%+v, %v", h, err)
	}
	spoken, err := Speak(t.Context(), s.Address, speechtest.Hum, "hello there")
	if err != nil || spoken.First == 0 || spoken.First > spoken.Took {
		t.Errorf("%d samples, %v after %v: %v", len(spoken.Samples), spoken.First, spoken.Took, err)
	}
	if mb := s.PeakMB(); mb < 20 || mb > 1000 {
		t.Errorf("%d MB", mb)
	}
	if _, err := Hear(t.Context(), s.Address, "none", "en", loud, false); err == nil {
		t.Error("a model that is not there has heard something")
	}
}

func TestServerThatDoesNotStartSaysWhy(t *testing.T) {
	path := open(t) + "/hearth-speech"
	script := "#!/bin/sh\necho first >&2\necho no library here >&2\nexit 1\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), path, t.TempDir()); err == nil || !strings.Contains(err.Error(), "no library here") {
		t.Error(err)
	}
	if _, err := Start(t.Context(), "/nonexistent", t.TempDir()); err == nil {
		t.Error("a program that is not there was started")
	}
}
