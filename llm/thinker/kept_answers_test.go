package thinker

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// shelf keeps answers for ever.
type shelf struct {
	mu   sync.Mutex
	kept map[string]Kept
	ttl  time.Duration
}

func (s *shelf) Answer(_ context.Context, key string) (Kept, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.kept[key]
	return a, ok
}

func (s *shelf) KeepAnswer(_ context.Context, key, _ string, a Kept, ttl time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = make(map[string]Kept)
	}
	s.kept[key], s.ttl = a, ttl
}

// house is a toolbox of tools that only have names, and change nothing.
type house []string

func (h house) Specs() []llm.ToolSpec {
	var all []llm.ToolSpec
	for _, name := range h {
		all = append(all, llm.ToolSpec{Name: name, Description: "does it",
			Parameters: json.RawMessage(`{"type":"object"}`), ReadOnly: true})
	}
	return all
}

func (h house) Run(_ context.Context, c tools.Call) tools.Outcome {
	return tools.Outcome{Class: tools.OK, Result: tools.Result{Text: "done", Sources: []llm.Source{{Title: "Test"}}}}
}

// staffed is a thinker with the built-in domains.
func staffed(t *testing.T, m *model, h house, set func(*Options)) *Thinker {
	t.Helper()
	domains, mistakes := LoadDomains("")
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	o := Options{Book: phrase.English(), Chat: m, Tools: h, Domains: domains, Location: time.UTC, Log: slog.New(slog.DiscardHandler)}
	if set != nil {
		set(&o)
	}
	th, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func offered(r llm.Request) string {
	var names []string
	for _, s := range r.Tools {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

// TestThinkersShareAPromptAndEachHasItsOwnAndItsTools goes from one to the other, and on
// with the last one.
func TestThinkersShareAPromptAndEachHasItsOwnAndItsTools(t *testing.T) {
	m := answers(text("Yes."))
	th := staffed(t, m, house{"weather_now", "timer_set", "time_now"}, nil)
	for _, q := range []string{"will it rain?", "turn on the lamp", "who painted the Mona Lisa then, in the end?",
		"why did he?"} {
		if _, _, err := think(t.Context(), th, q); err != nil {
			t.Fatal(err)
		}
	}
	var tools []string
	told := []string{"weather", "home", Fallback, ""}
	for i, r := range m.requests {
		tools = append(tools, offered(r))
		equal(t, strings.TrimSpace(defaultSystem), r.Messages[0].Content)
		for j := range i {
			equal(t, r.Messages[:2*j+1], m.requests[j].Messages[:2*j+1])
		}
		own := ""
		if told[i] != "" {
			own = th.domain(told[i]).Prompt + "\n"
		}
		if got := r.Messages[2*i+1].Content; !strings.HasPrefix(got, own+"[") {
			t.Errorf("request %d is %q", i, got)
		}
	}
	equal(t, []string{"weather_now", "weather_now time_now timer_set", "weather_now time_now timer_set",
		"weather_now time_now timer_set"}, tools)
	for _, m := range th.History() {
		if strings.Contains(m.Content, "You ") {
			t.Errorf("the conversation holds %q", m.Content)
		}
	}
}

// TestAThinkerRunsOnlyItsOwnTools calls, in a conversation that all thinkers share, what
// only another one is to have.
func TestAThinkerRunsOnlyItsOwnTools(t *testing.T) {
	m := answers(call("timer_set"), text("Set."), call("timer_set", "weather_now"), text("No."))
	th := staffed(t, m, house{"weather_now", "timer_set"}, nil)
	for _, q := range []string{"set a timer", "will it rain?"} {
		if _, _, err := think(t.Context(), th, q); err != nil {
			t.Fatal(err)
		}
	}
	h := th.History()
	if got := []string{h[2].Content, h[6].Content, h[7].Content}; !slices.Equal(got,
		[]string{"done", notMeant, "done"}) {
		t.Errorf("the calls gave %q", got)
	}
}

func TestManyToolsLeaveRoomForTheRequest(t *testing.T) {
	m := answers(text("Yes."))
	h := house{"weather_now", "news_headlines", "timer_set"}
	for i := range 400 {
		h = append(h, fmt.Sprintf("thing%d_do", i))
	}
	h = append(h, "lamp_set")
	th := staffed(t, m, h, nil)
	if _, _, err := think(t.Context(), th, "turn on the lamp and the lights before the news"); err != nil {
		t.Fatal(err)
	}
	got, size := strings.Fields(offered(m.requests[0])), specsSize(m.requests[0].Tools)
	if !slices.Contains(got[:2], "news_headlines") || !slices.Contains(got[:2], "lamp_set") ||
		size > defaultMaxTokens/4 {
		t.Errorf("%d tokens of %d tools: %.40s …", size, len(got), strings.Join(got, " "))
	}
}

func TestTheModelOfADomainIsUsed(t *testing.T) {
	plain, smart := answers(text("plain")), answers(text("smart"))
	th := staffed(t, plain, house{"web_search"}, func(o *Options) {
		o.Domains = append(o.Domains, Domain{Name: "deep", Words: []string{"ponder"}, Tier: Smart, Steps: 3,
			Time: time.Minute})
		o.Chats = Chats{{"", Smart}: smart}
	})
	for q, want := range map[string]string{"please ponder this for a while": "smart",
		"who painted the Mona Lisa of Paris": "plain"} {
		said, _, err := think(t.Context(), th, q)
		if err != nil || !slices.Equal(said, []string{want}) {
			t.Errorf("%q: %q (%v)", q, said, err)
		}
	}
}

func TestAnswersAreGivenAgainWhileNothingHasChanged(t *testing.T) {
	m := &model{answer: func(_ context.Context, n int, yield func(llm.Delta, error) bool) {
		yield(llm.Delta{Text: fmt.Sprintf("Answer %d. And more.", n)}, nil)
	}}
	kept := &shelf{}
	place := "Graz"
	th := staffed(t, m, house{"weather_now"}, func(o *Options) {
		o.Answers, o.Depends = kept, func(context.Context, string) (string, error) { return place, nil }
	})
	ask := func(q string) string {
		said, _, err := think(t.Context(), th, q)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(said, " ")
	}
	if a, b := ask("Will it rain today?"), ask("will it RAIN today"); a != b || m.asked() != 1 {
		t.Errorf("%q, then %q with %d requests", a, b, m.asked())
	}
	if kept.ttl != 10*time.Minute {
		t.Errorf("kept for %v", kept.ttl)
	}
	if h := history(th); len(h) != 4 {
		t.Errorf("history %q", h)
	}
	place = "Linz"
	ask("Will it rain today?")
	ask("and will it rain there?")
	ask("and will it rain there?")
	if m.asked() != 4 {
		t.Errorf("%d requests: another place and pointing words need an answer of their own", m.asked())
	}
}

// TestAnswerIsForItsDayItsToolsAndNotForAMinute asks the same twice, with a change
// between.
func TestAnswerIsForItsDayItsToolsAndNotForAMinute(t *testing.T) {
	for _, c := range []struct {
		name, question string
		again          time.Duration
		change         func(h house)
		asked          int
	}{
		{"the same", "will it rain today", time.Minute, nil, 1},
		{"the next day", "will it rain today", 2 * time.Hour, nil, 2},
		{"another tool", "will it rain today", time.Minute, func(h house) { h[0] = "weather_next" }, 2},
		{"a time", "what time do people eat in Tokyo", time.Second, nil, 2},
		{"general", "who painted the Mona Lisa", time.Minute, nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(22*time.Hour + 30*time.Minute) // since midnight
				m, h := answers(text("Yes.")), house{"weather_now"}
				th := staffed(t, m, h, func(o *Options) { o.Answers = &shelf{} })
				for range 2 {
					if _, _, err := think(t.Context(), th, c.question); err != nil {
						t.Fatal(err)
					}
					if c.change != nil {
						c.change(h)
					}
					time.Sleep(c.again)
				}
				if m.asked() != c.asked {
					t.Errorf("%d requests", m.asked())
				}
			})
		})
	}
}

func TestAnswersKeepWhatTheyRestOn(t *testing.T) {
	m := answers([]llm.Delta{{Call: &llm.ToolCall{ID: "1", Name: "weather_now", Arguments: json.RawMessage(`{}`)}}},
		text("It will rain."))
	th := staffed(t, m, house{"weather_now"}, func(o *Options) { o.Answers = &shelf{} })
	for _, cached := range []bool{false, true} {
		for d, err := range th.Think(t.Context(), llm.Ask{Text: "Will it rain today?"}) {
			if err != nil {
				t.Fatal(err)
			}
			if u := d.Usage; u != nil && (u.Cached != cached ||
				!slices.Equal(u.Sources, []llm.Source{{Title: "Test"}})) {
				t.Errorf("cached %v: %+v", cached, u)
			}
		}
	}
}

func TestFailuresAreNotKept(t *testing.T) {
	kept := &shelf{}
	b := &box{run: func(context.Context, llm.ToolCall) string { return "error: no network" }}
	domains, _ := LoadDomains("")
	domains = append(domains, Domain{Name: "all", Words: []string{"frost"}, Tools: []string{"*"}, Cache: time.Hour,
		Steps: 5, Time: time.Minute})
	th, err := New(Options{
		Book:  phrase.English(),
		Chat:  answers(calls(`{"m":1}`), text("I could not find out.")),
		Tools: b, Domains: domains, Answers: kept, Location: time.UTC, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := think(t.Context(), th, "any frost tonight"); err != nil {
		t.Fatal(err)
	}
	if len(kept.kept) != 0 {
		t.Errorf("kept %v", kept.kept)
	}
}

func TestAFailedCallIsNotTriedAgain(t *testing.T) {
	b := &box{run: func(context.Context, llm.ToolCall) string { return "error: no network" }}
	th := newThinker(t, answers(calls(`{"m":1}`), calls(`{"m":1}`), text("It does not work.")), b)
	said, _, err := think(t.Context(), th, "timer")
	if err != nil || len(b.ran) != 1 || said[len(said)-1] != "It does not work." {
		t.Errorf("said %q, ran %q (%v)", said, b.ran, err)
	}
}

func TestToolsThatSayNothingNewEndTheSearch(t *testing.T) {
	b := &box{run: func(context.Context, llm.ToolCall) string { return "Nothing found." }}
	m := answers(calls(`{"q":1}`), calls(`{"q":2}`), calls(`{"q":3}`), text("I found nothing."))
	th := newThinker(t, m, b)
	said, _, err := think(t.Context(), th, "search")
	if err != nil || len(b.ran) != 3 || said[len(said)-1] != "I found nothing." || len(m.requests[3].Tools) != 0 {
		t.Errorf("said %q, ran %q (%v)", said, b.ran, err)
	}
}

type notebook string

func (n notebook) Known(_ context.Context, person string) string {
	if person == "" {
		return ""
	}
	return "Known of " + person + ": all."
}

func (n notebook) Recall(context.Context, string, string) (string, int) { return string(n), 1 }

func TestWhatIsRecalledStandsLast(t *testing.T) {
	m := answers(text("Tea."))
	th := staffed(t, m, nil, func(o *Options) { o.Memory = notebook("Known: Anna likes tea.") })
	if _, _, err := think(t.Context(), th, "what does Anna like to drink"); err != nil {
		t.Fatal(err)
	}
	ms := m.requests[0].Messages
	if last := ms[len(ms)-1].Content; !strings.Contains(last, "\n\nKnown: Anna likes tea.\n[") ||
		!strings.HasSuffix(last, "what does Anna like to drink") {
		t.Errorf("request %q", last)
	}
	if h := history(th); strings.Contains(strings.Join(h, " "), "Known") {
		t.Errorf("history %q", h)
	}
}

// TestWhatActsIsDoneEachTimeItIsAskedFor: "it is watered" is no answer to whoever asks
// for water once more.
func TestWhatActsIsDoneEachTimeItIsAskedFor(t *testing.T) {
	d, err := parseDomain([]byte("domain: garden\ndescription: The garden.\nwords: [garden]\nprompt: Water " +
		"it.\ntools: [timer, look]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]int{"timer": 2, "look": 1} {
		m := &model{answer: func(_ context.Context, n int, yield func(llm.Delta, error) bool) {
			if n%2 == 0 {
				yield(llm.Delta{Text: "It is done."}, nil)
				return
			}
			yield(llm.Delta{Call: &llm.ToolCall{ID: fmt.Sprint(n), Name: tool, Arguments: json.RawMessage("{}")}}, nil)
		}}
		b := &box{reads: []string{"look"}}
		th, err := New(Options{
			Book: phrase.English(),
			Chat: m, Tools: b, Domains: []Domain{d, {Name: Fallback, Steps: 3, Time: time.Minute}}, Answers: &shelf{},
			Location: time.UTC, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if said, _, err := think(t.Context(), th, "water the garden please"); err != nil ||
				said[len(said)-1] != "It is done." {
				t.Fatalf("%q (%v)", said, err)
			}
		}
		if len(b.ran) != want {
			t.Errorf("%s ran %d times, want %d", tool, len(b.ran), want)
		}
	}
}

// TestPlacesInAListPointAtTheListThatWasTold: the second story is another one after other
// headlines.
func TestPlacesInAListPointAtTheListThatWasTold(t *testing.T) {
	m := answers(text("Well."))
	th := staffed(t, m, house{"news_headlines", "news_story"}, func(o *Options) { o.Answers = &shelf{} })
	for _, q := range []string{"the sports news", "read the second story", "the world news", "read the second story"} {
		if _, _, err := think(t.Context(), th, q); err != nil {
			t.Fatal(err)
		}
	}
	if m.asked() != 4 {
		t.Errorf("%d requests, want one for each question", m.asked())
	}
}
