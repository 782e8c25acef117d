package intent

import (
	"strings"
	"testing"
)

func TestPartsInAnyOrder(t *testing.T) {
	m := ours(t, map[string]string{"a.yaml": `
lexicon:
  colour_of_paint: [mauve, teal]
  vessel: [pot, pan]
intents:
  - name: paint
    type: ["[would] [please] & (paint|glaze) & the {what:vessel} & [in {colour:colour_of_paint}]"]
`})
	if len(m.Mistakes()) > 0 {
		t.Fatal(m.Mistakes())
	}
	for text, want := range map[string]string{
		"paint the pot":                `{"what":"pot"}`,
		"the pot glaze in teal":        `{"colour":"teal","what":"pot"}`,
		"in mauve the pan would paint": `{"colour":"mauve","what":"pan"}`,
		"glaze in teal the pot":        `{"colour":"teal","what":"pot"}`,
	} {
		if got, ok := m.Match(text); !ok || string(got.Call.Arguments) != want {
			t.Errorf("%q: %v %s, not %s", text, ok, got.Call.Arguments, want)
		}
	}
	for _, text := range []string{"paint", "the pot in teal", "paint the pot the pan", "paint glaze the pot", "in teal in mauve paint the pot"} {
		if got, ok := m.Match(text); ok && got.Intent == "paint" {
			t.Errorf("%q: %s", text, got.Call.Arguments)
		}
	}
	for text, complete := range map[string]Completeness{"paint": Unfinished, "glaze the": Unfinished, "paint the pan in": Unfinished} {
		if got := m.Completeness(text); got != complete {
			t.Errorf("%q: %v, not %v", text, got, complete)
		}
	}
}

func TestPartsInAnyOrderCanOnlyBeTyped(t *testing.T) {
	for pattern, why := range map[string]string{
		"glaze & the pot": "can only be typed",
		"a & b & c & d & e & f & g & h & i & j & k": "more than 10",
		"glaze & {what=pot}":                        "no word beside it",
		"glaze & ":                                  "empty",
	} {
		m := ours(t, map[string]string{"a.yaml": "intents:\n  - name: paint\n    say: [\"" + pattern + "\"]\n"})
		if ms := m.Mistakes(); len(ms) != 1 || !strings.Contains(ms[0].Error(), why) {
			t.Errorf("%q: %v", pattern, ms)
		}
	}
}
