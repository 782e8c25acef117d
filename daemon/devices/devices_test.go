package devices

import (
	"bufio"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/act"
	"hearthd/tools/intent"
	"hearthd/tools/phrase"
)

// dollhouse is a house whose devices do at once what they are told.
type dollhouse struct {
	mu      sync.Mutex
	devices []home.Entity
	changed chan struct{}
	sent    []string
}

func (h *dollhouse) Entities() []home.Entity {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.devices)
}

func (h *dollhouse) Entity(id string) (home.Entity, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.devices, func(e home.Entity) bool { return e.ID == id })
	return h.devices[i], true
}

func (h *dollhouse) Changed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

func (h *dollhouse) Lost() error { return nil }

func (h *dollhouse) Send(_ context.Context, id string, want home.State) error {
	data, err := json.Marshal(want)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sent = append(h.sent, id+" "+string(data))
	i := slices.IndexFunc(h.devices, func(e home.Entity) bool { return e.ID == id })
	h.devices[i].State = maps.Clone(h.devices[i].State)
	maps.Copy(h.devices[i].State, want)
	return err
}

func newDollhouse(t *testing.T, name string) *dollhouse {
	t.Helper()
	data, err := os.ReadFile("testdata/home/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	h := &dollhouse{changed: make(chan struct{})}
	if err := json.Unmarshal(data, &h.devices); err != nil {
		t.Fatal(err)
	}
	return h
}

// saying is a person who talks to a house.
type saying struct {
	t       *testing.T
	house   *dollhouse
	matcher *intent.Matcher
	book    *phrase.Book // nil: English
	tools   map[string]tools.Tool
	topic   string // the tool that was spoken of last
}

// newSaying is a person in a room of a house.
func newSaying(t *testing.T, house, room string) *saying {
	t.Helper()
	matcher, err := intent.New(intent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &saying{t: t, matcher: matcher}
	s.moveIn(house, room)
	return s
}

// moveIn makes the house new, with all as it was at first.
func (s *saying) moveIn(house, room string) {
	s.house, s.tools, s.topic = newDollhouse(s.t, house), map[string]tools.Tool{}, ""
	names := func(vocab string, words []string) {
		var list []intent.Name
		for _, w := range words {
			list = append(list, intent.Name{Value: w})
		}
		s.matcher.SetNames(vocab, list)
	}
	h, err := act.New(act.Options{Devices: s.house, Area: room, Book: s.book, Choice: func(w []string) { names(choiceNames, w) }})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, tool := range h.Tools() {
		s.tools[tool.Spec().Name] = tool
	}
	var called, areas []string
	for _, e := range s.house.devices {
		if e.Category == "" {
			called = append(called, e.Names("en")...)
			areas = append(areas, e.Area)
		}
	}
	names(deviceNames, called)
	names(areaNames, areas)
	names(choiceNames, nil)
}

// say gives the answer to a sentence, and what was sent for it.
func (s *saying) say(sentence string) (answer, sent string) {
	s.house.sent = nil
	one, ok := s.matcher.MatchAbout(s.topic, sentence)
	calls := []intent.Match{one}
	if a, b, both := s.matcher.MatchTwo(sentence, s.topic); !ok && both {
		calls = []intent.Match{a, b}
	}
	var said []string
	for _, m := range calls {
		tool := s.tools[m.Call.Name]
		if tool == nil {
			return "(" + m.Call.Name + ")", ""
		}
		r, err := tool.Call(s.t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: m.Call.Arguments}})
		if err != nil {
			s.t.Errorf("%s: %v", sentence, err)
		}
		said, s.topic = append(said, r.Text), m.Call.Name
	}
	slices.Sort(s.house.sent)
	return strings.Join(said, " "), strings.Join(s.house.sent, "; ")
}

// The lines of testdata/home/*.txt are what a person says one after the other, in a house of its
// own for each paragraph, what is answered, and what is sent: SENTENCE => ANSWER | SENT.
func TestWhatPeopleSayReachesTheirDevices(t *testing.T) {
	for _, c := range []struct{ file, house, room string }{
		{"said", "house", ""},
		{"villa", "villa", "Scullery"},
		{"villa-yard", "villa", "yard"},
		{"villa-nowhere", "villa", ""},
		{"mews", "mews", "Kitchen"},
		{"farm", "farm", "Galley"},
		{"flat", "flat", "Study"},
		{"players", "players", "Study"},
	} {
		t.Run(c.file, func(t *testing.T) { newSaying(t, c.house, c.room).hold(c.file, c.house, c.room) })
	}
}

// hold is the conversations of a file, each in a house of its own.
func (s *saying) hold(file, house, room string) {
	f, err := os.Open("testdata/home/" + file + ".txt")
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	s.moveIn(house, room)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			s.moveIn(house, room)
			continue
		}
		sentence, rest, _ := strings.Cut(line, " => ")
		want, wantSent, _ := strings.Cut(rest, " | ")
		if answer, sent := s.say(sentence); answer != want || sent != wantSent {
			s.t.Errorf("%s => %s | %s", sentence, answer, sent)
		}
	}
}

// misread are messages of the broker that are not understood.
type misread struct{ skipped, aside []string }

func (m misread) Skipped() []string { return m.skipped }
func (m misread) Aside() []string   { return m.aside }
func (m misread) Missed() int       { return 3 }

func TestWhatTheBrokerSaysOfDevicesInVainIsACondition(t *testing.T) {
	conditions := health.New(event.NewBus())
	v := &Devices{opt: Options{Source: newDollhouse(t, "flat"), Conditions: conditions,
		Messages: misread{[]string{"lamp: no topic"}, []string{"sensor/a: state", "sensor/b: state"}}}}
	v.tellSkipped()
	list := conditions.List()
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	for _, want := range []string{"are set aside: 2; the first: sensor/a: state.", "understood: 1; the first: lamp: no topic.",
		"than they could be read: 3."} {
		if !strings.Contains(list[0].Text, want) {
			t.Errorf("%q does not say %q", list[0].Text, want)
		}
	}
}
