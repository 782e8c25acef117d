package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/hass"
	"hearthd/tools/intent"
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
	tools   map[string]tools.Tool
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
	s.house, s.tools = newDollhouse(s.t, house), map[string]tools.Tool{}
	names := func(vocab string, words []string) {
		var list []intent.Name
		for _, w := range words {
			list = append(list, intent.Name{Value: w})
		}
		s.matcher.SetNames(vocab, list)
	}
	h, err := home.New(home.Options{Devices: s.house, Area: room, Choice: func(w []string) { names(choiceNames, w) }})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, tool := range h.Tools() {
		s.tools[tool.Spec().Name] = tool
	}
	var called, areas []string
	for _, e := range s.house.devices {
		if e.Category == "" {
			called = append(called, e.Names()...)
			areas = append(areas, e.Area)
		}
	}
	names(deviceNames, called)
	names(areaNames, areas)
	names(choiceNames, nil)
}

// say gives the answer to a sentence, and what was sent for it.
func (s *saying) say(sentence string) (answer, sent string) {
	m, ok := s.matcher.Match(sentence)
	tool := s.tools[m.Call.Name]
	if !ok || tool == nil {
		return "(" + m.Call.Name + ")", ""
	}
	s.house.sent = nil
	r, err := tool.Call(s.t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: m.Call.Arguments}})
	if err != nil {
		s.t.Errorf("%s: %v", sentence, err)
	}
	slices.Sort(s.house.sent)
	return r.Text, strings.Join(s.house.sent, "; ")
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
	} {
		t.Run(c.file, func(t *testing.T) { saidIn(t, c.file, c.house, c.room) })
	}
}

func saidIn(t *testing.T, file, house, room string) {
	f, err := os.Open("testdata/home/" + file + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := newSaying(t, house, room)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			s.moveIn(house, room)
			continue
		}
		sentence, rest, _ := strings.Cut(line, " => ")
		want, wantSent, _ := strings.Cut(rest, " | ")
		if answer, sent := s.say(sentence); answer != want || sent != wantSent {
			t.Errorf("%s => %s | %s", sentence, answer, sent)
		}
	}
}

// assistant answers as the conversation API of Home Assistant does: it knows one
// sentence.
func assistant(t *testing.T) *hass.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Text, Language string }
		if r.URL.Path != "/api/conversation/process" || r.Header.Get("Authorization") != "Bearer secret" || json.NewDecoder(r.Body).Decode(&in) != nil || in.Language != "en" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		kind, text := "error", "Sorry, I couldn't understand that"
		if in.Text == "is it bin day" {
			kind, text = "query_answer", "Yes, paper."
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"response": map[string]any{"response_type": kind, "speech": map[string]any{"plain": map[string]any{"speech": text}}}})
	}))
	t.Cleanup(server.Close)
	c, err := hass.New(hass.Options{URL: server.URL, Token: "secret", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// brain says its words and then fails, if it has an error.
type brain struct {
	words []string
	err   error
}

func (m brain) Think(context.Context, llm.Ask) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for _, w := range m.words {
			if !yield(llm.Delta{Text: w}, nil) {
				return
			}
		}
		if m.err != nil {
			yield(llm.Delta{}, m.err)
		}
	}
}

func (brain) Heard(string)         {}
func (brain) Note(llm.Ask, string) {}
func (brain) Apology(error) string { return "Sorry." }

func TestHomeAssistantIsAskedWhereTheThinkerGivesUp(t *testing.T) {
	down := errors.New("no model")
	agent := assistant(t)
	for _, w := range []struct {
		name    string
		thinker thinking
		ask     string
		want    string
		err     bool
	}{
		{"without a thinker it answers", nil, "is it bin day", "Yes, paper.", false},
		{"without a thinker its excuse is an answer too", nil, "tell me a story", "Sorry, I couldn't understand that", false},
		{"a thinker that works is not disturbed", brain{words: []string{"Well."}}, "is it bin day", "Well.", false},
		{"a thinker that is down is stood in for", brain{err: down}, "is it bin day", "Yes, paper.", false},
		{"it opens nothing, for it would not ask", nil, "unlock all doors", sayOpensNothing, false},
		{"nor in another language", nil, "bitte die Haustür aufmachen", sayOpensNothing, false},
		{"what neither knows stays the thinker's failure", brain{err: down}, "tell me a story", "", true},
		{"an answer that has begun is not begun anew", brain{words: []string{"We"}, err: down}, "is it bin day", "We", true},
	} {
		var said string
		var failed error
		for delta, err := range (converser{w.thinker, agent, nil, "en"}).Think(t.Context(), llm.Ask{Text: w.ask}) {
			said += delta.Text
			failed = err
			if delta.Usage != nil && !delta.Usage.Foreign { // there may be a model of a stranger's behind it
				t.Errorf("%s: the agent's answer is the house's own", w.name)
			}
		}
		if said != w.want || (failed != nil) != w.err || w.err && !errors.Is(failed, down) {
			t.Errorf("%s: %q, %v", w.name, said, failed)
		}
	}
	if text := (converser{nil, agent, nil, "en"}).Apology(down); text != "Sorry, Home Assistant does not answer." {
		t.Error(text)
	}
}
