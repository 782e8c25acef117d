package thinker

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
)

// TestWarmReadsWhatTheNextRequestBeginsWith compares what the model was told when it was
// warmed with what it is told next.
func TestWarmReadsWhatTheNextRequestBeginsWith(t *testing.T) {
	m := answers(text("Yes. "), text("It does. "), text("x"), text("Well. "))
	th := staffed(t, m, nil, func(o *Options) { o.Tools = stocked("time_now", "weather_now") })
	for _, q := range []string{"why is bread brown", "why is it hot"} {
		if _, _, err := think(t.Context(), th, q); err != nil {
			t.Fatal(err)
		}
	}
	if err := th.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := think(t.Context(), th, "why is snow white"); err != nil {
		t.Fatal(err)
	}
	warm, next := m.request(2), m.request(3)
	if warm.Most != 1 || next.Most != 0 {
		t.Errorf("answers of at most %d and %d tokens", warm.Most, next.Most)
	}
	equal(t, offered(next), offered(warm))
	equal(t, next.Messages[:len(next.Messages)-1], warm.Messages)
	if len(warm.Messages) != 5 {
		t.Errorf("%d messages", len(warm.Messages))
	}
	equal(t, 6, len(th.History()))
}

func TestWarmWithoutAConversationReadsWhatAllBeginWith(t *testing.T) {
	m := answers(text("x"), text("Well. "))
	th := staffed(t, m, nil, func(o *Options) { o.Tools = stocked("time_now", "weather_now") })
	if err := th.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := think(t.Context(), th, "why is snow white"); err != nil {
		t.Fatal(err)
	}
	equal(t, m.request(1).Messages[:1], m.request(0).Messages)
	equal(t, offered(m.request(0)), offered(m.request(1)))
	if !strings.HasPrefix(offered(m.request(0)), "time_now weather_now q0x_do ") {
		t.Errorf("read were %s", offered(m.request(0)))
	}
}

// TestWarmMakesRoomForTheNextRequest in a conversation that is as long as it may be.
func TestWarmMakesRoomForTheNextRequest(t *testing.T) {
	m := answers(text("Yes. "))
	th := staffed(t, m, nil, func(o *Options) { o.MaxMessages = 8 })
	for i := range 9 {
		if _, _, err := think(t.Context(), th, "why is bread brown"); err != nil {
			t.Fatal(err)
		}
		if err := th.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(th.History()); n != 2*min(i+1, 4) {
			t.Errorf("the conversation has %d messages", n)
		}
		if n := m.asked(); n > 2 {
			next := m.request(n - 2).Messages
			equal(t, m.request(n-3).Messages, next[:len(next)-1])
		}
	}
}

// TestWarmReadsWhatAnotherThinkerNeeds asks, after a conversation with one, another one.
func TestWarmReadsWhatAnotherThinkerNeeds(t *testing.T) {
	m := answers(text("Yes. "), text("x"), text("Well. "))
	th := staffed(t, m, nil, func(o *Options) { o.Tools = stocked("time_now", "weather_now", "files_delete") })
	ask := func(q string) {
		if _, _, err := think(t.Context(), th, q); err != nil {
			t.Fatal(err)
		}
	}
	ask("why is bread brown, and delete the files")
	if err := th.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask("will it rain tomorrow")
	first, warm, next := m.request(0), m.request(1), m.request(2)
	equal(t, "time_now files_delete", offered(first))
	if got := offered(warm); !strings.HasPrefix(got, "time_now weather_now q0x_do ") ||
		strings.Contains(got, "delete") {
		t.Errorf("read were %s", got)
	}
	if n := specsSize(warm.Tools); n > defaultMaxTokens/toolsShare-defaultMaxTokens/toolsShare/growth {
		t.Errorf("tools of %d tokens leave no room for others", n)
	}
	equal(t, offered(warm), offered(next))
	equal(t, warm.Messages, next.Messages[:len(next.Messages)-1])
}

// TestWhatIsKnownOfAPersonStandsBeforeTheConversation and is read with it.
func TestWhatIsKnownOfAPersonStandsBeforeTheConversation(t *testing.T) {
	m := answers(text("Yes. "), text("It does. "), text("x"), text("Well. "), text("Well. "))
	th := staffed(t, m, nil, func(o *Options) { o.Memory = notebook("Found: tea.") })
	ask := func(person, q string) {
		for _, err := range th.Think(t.Context(), llm.Ask{Text: q, Person: person}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	ask("anna", "why is bread brown")
	ask("anna", "why is it hot")
	if err := th.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask("anna", "why is snow white")
	ask("", "why is rain wet")
	first, warm, next, other := m.request(0).Messages, m.request(2).Messages, m.request(3).Messages,
		m.request(4).Messages
	told := "Known of anna: all.\n" + th.domain(Fallback).Prompt + "\n"
	if !strings.HasPrefix(first[1].Content, told+"Found: tea.\n[") {
		t.Errorf("the first request is %q", first[1].Content)
	}
	equal(t, told+"why is bread brown", warm[1].Content)
	equal(t, warm, next[:len(next)-1])
	if said := next[len(next)-1].Content; !strings.HasPrefix(said, "Found: tea.\n[") {
		t.Errorf("the next request is %q", said)
	}
	for _, ms := range [][]llm.Message{other, th.History()} {
		for _, m := range ms {
			if strings.Contains(m.Content, "Known") {
				t.Errorf("somebody else, or the conversation, has %q", m.Content)
			}
		}
	}
}

func TestAModelThatADomainHasForItselfIsNotWarmed(t *testing.T) {
	plain, smart := answers(text("plain")), answers(text("smart"))
	th := staffed(t, plain, house{"web_search"}, func(o *Options) {
		o.Domains = append(o.Domains, Domain{Name: "deep", Words: []string{"ponder"}, Prompt: "You ponder.",
			Tier: Smart, Steps: 3, Time: time.Minute})
		o.Chats = Chats{{"", Smart}: smart}
	})
	for _, q := range []string{"why is snow white", "please ponder this for a while"} {
		if _, _, err := think(t.Context(), th, q); err != nil {
			t.Fatal(err)
		}
	}
	if err := th.Warm(t.Context()); err != nil || smart.asked() != 1 || plain.asked() != 1 {
		t.Errorf("asked %d and %d times (%v)", smart.asked(), plain.asked(), err)
	}
	// It may be somebody else's, whom what other domains are told is none of the business of.
	if ms := smart.request(0).Messages; ms[1].Content != "why is snow white" ||
		!strings.HasPrefix(ms[3].Content, "You ponder.\n\n[") || offered(smart.request(0)) != "" {
		t.Errorf("it is told %q", ms)
	}
}

// TestReflectionLeavesTheModelWarm reflects once for three turns in a row, and has the
// conversation read again behind it.
func TestReflectionLeavesTheModelWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		m := &model{}
		m.answer = func(_ context.Context, n int, yield func(llm.Delta, error) bool) {
			order = append(order, "reflect")
			if !strings.Contains(m.request(n - 1).Messages[1].Content, "third") {
				t.Error("the turns were reflected on apart")
			}
			yield(llm.Delta{Text: `{"notes":[]}`}, nil)
		}
		over := make(chan struct{})
		r, err := NewReflector(ReflectorOptions{
			Chat: m, Journal: &diary{summaries: map[string]string{}}, Busy: func() bool { return false }, Ended: over,
			Warm: func(context.Context) error { order = append(order, "warm"); return nil },
			Log:  slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		for _, q := range []string{"first", "second", "third"} {
			r.Add(llm.Exchange{User: q, Answer: "Yes."})
			time.Sleep(quiet / 2)
		}
		time.Sleep(quiet)
		synctest.Wait()
		over <- struct{}{} // the summary is due
		time.Sleep(2 * quiet)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if !slices.Equal(order, []string{"reflect", "warm", "reflect", "warm"}) {
			t.Errorf("%q", order)
		}
	})
}
