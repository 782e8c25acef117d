package intent

import (
	"strings"
	"testing"
)

func TestEveryExampleIsUnderstoodAsItSays(t *testing.T) {
	for _, err := range newMatcher(t).CheckExamples() {
		t.Error(err)
	}
}

func TestLanguageIsAFolderOfData(t *testing.T) {
	m, err := New(Options{Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Match("set a timer for ten minutes"); ok {
		t.Error("English is understood")
	}
	if rest, ok := m.Wake("Hallo Herd, stell einen Timer"); !ok || rest != "stell einen Timer" {
		t.Errorf("%q, %v", rest, ok)
	}
	if g := m.Grammar(); !strings.Contains(g.JSGF, "<wake> = hallo herd;") || !strings.Contains(strings.Join(g.Words, " "), "stell") {
		t.Error(g.JSGF)
	}
	if _, err := New(Options{Language: "fr"}); err == nil {
		t.Error("a language that there is not")
	}
}
