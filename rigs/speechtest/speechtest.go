// Package speechtest finds the speech library and models that fetch.sh has put into a folder, for tests
// with the real ones. They are no part of the repository.
package speechtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The models that models.py writes, and what the first hears.
const (
	Hearer   = "hearer"   // hears Loud or Soft, by loudness
	Streamer = "streamer" // hears a word for each of the tones
	Spotter  = "spotter"  // waits for words that are tones
	Hum      = "hum"      // speaks, in a way
	Prints   = "prints"   // makes prints of voices

	// Real ones.
	Whisper   = "whisper-tiny.en"
	Moonshine = "moonshine-tiny"
	Joe       = "piper-joe" // speaks

	Loud = "turn on the kitchen light"
	Soft = "what is the capital of france"
)

// Tones are the words of Streamer and Spotter, by the tone in Hz that is one.
func Tones() map[string]float64 {
	return map[string]float64{"LIGHTS": 600, "ON": 1200, "OFF": 2400, "KITCHEN": 4200}
}

// Sentence is what somebody says in a file.
type Sentence struct{ Path, Text string }

// People are sentences of recorded people that a household has declared. The test is skipped where people.sh has not
// made them, in the folder "people" of that of the models.
func People(tb testing.TB) (list []Sentence) {
	tb.Helper()
	dir := filepath.Join(Folder(tb), "people")
	data, err := os.ReadFile(filepath.Join(dir, "list.tsv"))
	if err != nil {
		tb.Skipf("there are no recorded people (rigs/speechtest/people.sh): %v", err)
	}
	for line := range strings.Lines(string(data)) {
		if p := strings.Split(strings.TrimSpace(line), "\t"); len(p) == 4 && p[2] == "own" {
			list = append(list, Sentence{filepath.Join(dir, p[0]), p[3]})
		}
	}
	return list
}

// variable names the folder that fetch.sh has filled.
const variable = "HEARTH_SPEECH_TEST"

// Folder is the state folder of hearth-speech with the library and the models. The test is skipped where
// one is missing.
func Folder(tb testing.TB, models ...string) string {
	tb.Helper()
	state := os.Getenv(variable)
	if state == "" {
		tb.Skipf("%s is not set: rigs/speechtest/fetch.sh DIR fetches the library and makes models there", variable)
	}
	for _, m := range models {
		if _, err := os.Stat(filepath.Join(state, "models", m, "model.yaml")); errors.Is(err, fs.ErrNotExist) {
			tb.Skipf("%s has no model %s", state, m)
		}
	}
	return state
}
