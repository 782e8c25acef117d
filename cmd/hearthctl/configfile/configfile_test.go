package configfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newFile is a configuration with a conf.d that one more file stands in.
func newFile(t *testing.T, later string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hearthd.yaml")
	if err := os.WriteFile(file, []byte("audio: {volume: 30}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if later != "" {
		dir := filepath.Join(filepath.Dir(file), "conf.d")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "99-later.yaml"), []byte(later), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

func TestKeyIsSetAndHolds(t *testing.T) {
	file := newFile(t, "")
	path, err := Set(file, nil, "audio.volume", "45")
	if err != nil {
		t.Fatal(err)
	}
	list, problems, err := Read(file)
	if err != nil || problems != nil {
		t.Fatal(problems, err)
	}
	for _, s := range list {
		if s.Key == "audio.volume" && (s.Value != "45" || s.Origin != path+":3") {
			t.Errorf("%+v", s)
		}
	}
}

func TestNothingIsWrittenThatWouldBeRefusedOrNotHold(t *testing.T) {
	for _, c := range []struct{ later, key, value, want string }{
		{"", "audio.volume", "400", "must be between 0 and 100"},
		{"", "audio.volum", "40", "no key"},
		{"", "tools.intents.language", "german", "there are no sentences for it: built in are de, en"},
		{"audio: {volume: 20}\n", "audio.volume", "45", "99-later.yaml:1, which comes later and wins"},
		{"audio: {volume: loud}\n", "node", "kitchen", "must be a whole number"},
	} {
		file := newFile(t, c.later)
		if path, err := Set(file, nil, c.key, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %s, %v", c.key, c.value, path, err)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "conf.d", SetFile)); !os.IsNotExist(err) {
			t.Errorf("%s %s was written: %v", c.key, c.value, err)
		}
	}
}

func TestMistakesAreFitForATerminal(t *testing.T) {
	if err := MistakesError(nil); err != nil {
		t.Error(err)
	}
	err := MistakesError([]string{"a.yaml:1: bad\x1b[2J", "two\nlines"})
	if want := "nothing was changed; mistakes: 2\na.yaml:1: bad [2J\ntwo\nlines"; err == nil || err.Error() != want {
		t.Errorf("%q", err)
	}
}
