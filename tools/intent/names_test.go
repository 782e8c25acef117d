package intent

import (
	"strings"
	"sync"
	"testing"
)

const lamps = `
wake: hey hearth
articles: [a, the]
joins: [and]
numbers: {words: {one: 1, two: 2}}
homophones: {hall: [haul]}
intents:
  - name: light
    say: ["(turn|switch) on [the] {name:name:device}"]
  - name: lights
    type: ["light up {names:names:device}"]
`

func house(t testing.TB) *Matcher {
	t.Helper()
	m, err := oneFile(lamps)
	if err != nil {
		t.Fatal(err)
	}
	var names []Name
	for _, n := range []string{"Kitchen Light", "Bathroom Light", "Lampshade", "Hall Lamp", "Lamp 1", "Lamp 2", "Left Blind", "Kallax Shelf"} {
		names = append(names, Name{Value: n})
	}
	m.SetNames("device", append(names, Name{Value: "Ceiling", Forms: []string{"big light", "main light"}}))
	return m
}

func TestNamesMatchWithTyposAndHomophones(t *testing.T) {
	m := house(t)
	for said, want := range map[string]string{
		"kitchen light": "Kitchen Light", "the kitchen lights": "Kitchen Light", "kichen light": "Kitchen Light", "kitchen lite": "Kitchen Light",
		"lamp shade": "Lampshade", "haul lamp": "Hall Lamp", "lamp one": "Lamp 1", "lamp 2": "Lamp 2", "main light": "Ceiling", "calax shelf": "Kallax Shelf",
		"bedroom light": "", "lamp 3": "", "hall": "", "kitchen": "", "right blind": "", "cellar door": "",
	} {
		got := ""
		if match, ok := m.Match("turn on " + said); ok {
			got = strings.TrimSuffix(strings.TrimPrefix(string(match.Call.Arguments), `{"name":"`), `"}`)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
	match, _ := m.Match("light up the kitchen light, hall lamp and the lampshade")
	if got := string(match.Call.Arguments); got != `{"names":["Kitchen Light","Hall Lamp","Lampshade"]}` {
		t.Error(got)
	}
}

func TestNamesStandInTheGrammarAsFarAsTheyCanBeHeard(t *testing.T) {
	m := house(t)
	g := m.Grammar("kallax")
	if !strings.Contains(g.JSGF, "<name_device> = bathroom light | big light | hall lamp | kitchen light | lampshade | left blind | main light;") {
		t.Error(g.JSGF)
	}
	m.SetNames("device", nil)
	if g := m.Grammar(); strings.Contains(g.JSGF, "<intent-light>") {
		t.Error("a request that names nothing is in the grammar")
	}
	if m.Version() != 2 {
		t.Errorf("version %d", m.Version())
	}
}

func TestNamesChangeWhileOthersMatch(t *testing.T) {
	m := house(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				if match, ok := m.Match("turn on lamp five"); ok && string(match.Call.Arguments) != `{"name":"Lamp five"}` {
					t.Errorf("%s", match.Call.Arguments)
				}
			}
		})
	}
	for i := range 200 {
		m.SetNames("device", []Name{{Value: []string{"Lamp five", "Door"}[i%2]}})
	}
	wg.Wait()
}
