package intent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnExampleThatIsUnderstoodOtherwiseIsTold(t *testing.T) {
	m := ours(t, map[string]string{"a.yaml": `
intents:
  - name: polish
    say: ["polish {n:whole} boots"]
    type: ["polish the {what:text}"]
    examples:
      "polish the boots": {what: boots}
      "polish two boots": {n: 3}
      "polish it all": {}
      "what time is it": {}
`})
	var told []string
	for _, err := range m.CheckExamples() {
		told = append(told, err.Error())
	}
	want := []string{
		`a.yaml: polish: example "polish it all": it is not understood`,
		`a.yaml: polish: example "polish two boots": its arguments are {"n":2}, and should be {"n":3}`,
		`a.yaml: polish: example "what time is it": it is understood as time_now`,
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
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
