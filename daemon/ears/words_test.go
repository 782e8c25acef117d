package ears

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hearthd/audio"
	"hearthd/rigs/tflitetest"
	"hearthd/vad/wake"
	"hearthd/vad/wake/enrolled"
)

// loudWords installs n words that any loud sound is, and an enrolled one.
func loudWords(t *testing.T, k *WordKeeper, n int) (list []Word) {
	t.Helper()
	for i := range n {
		name := fmt.Sprintf("loud_%d", i)
		if _, err := k.Install(t.Context(), name, []byte(tflitetest.LoudManifest), tflitetest.Loud()); err != nil {
			t.Fatal(err)
		}
		list = append(list, Word{Model: name, Name: name})
	}
	return list
}

func TestOneWakeWordTooManyIsNamedAndTheOthersAreHeard(t *testing.T) {
	k := newKeeper(t)
	k.words = loudWords(t, k, wake.MaxWords+1)
	spotters, mistakes := openWords(k.words, k.state)
	if len(spotters) != 1 || len(spotters[0].(scored).Names()) != wake.MaxWords {
		t.Errorf("%d spotters", len(spotters))
	}
	last := k.words[wake.MaxWords].Name
	if len(mistakes) != 1 || !strings.Contains(mistakes[0].Error(), last) {
		t.Errorf("%v, want one that names %q", mistakes, last)
	}
	list, err := k.List(t.Context())
	if err != nil || len(list) != len(k.words) {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, w := range list {
		if (w.Error != "") != (i == wake.MaxWords) {
			t.Errorf("listed: %+v", w)
		}
	}
}

// A word that was recorded by two people under one name is two words of the
// configuration, which may open different routes.
func TestEnrolledWordsOfOneNameAreToldApart(t *testing.T) {
	k := newKeeper(t)
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	word := said(t, "hey hearth", 1)
	template, _, err := enrolled.Learn("hey hearth", [][]int16{word, said(t, "hey hearth", 1.08)})
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"anna", "ben"} {
		if err := template.Save(filepath.Join(k.dir, model+enrolledExt)); err != nil {
			t.Fatal(err)
		}
	}
	spotters, mistakes := openWords([]Word{{Model: "anna", Name: "anna", Route: "local"},
		{Model: "ben", Name: "ben", Route: "cloud"}}, k.state)
	if len(spotters) != 1 || len(mistakes) != 0 {
		t.Fatalf("%d spotters, %v", len(spotters), mistakes)
	}
	var f audio.Frame
	var heard []string
	for at := audio.Position(0); int(at) < len(word); at += audio.FrameSamples {
		clear(f[copy(f[:], word[at:]):])
		for _, d := range spotters[0].Push(&f, at) {
			heard = append(heard, d.Name)
		}
	}
	if want := []string{"anna", "ben"}; !slices.Equal(heard, want) {
		t.Errorf("%q were heard, want %q", heard, want)
	}
}
