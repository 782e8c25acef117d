package thinker

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/tools"
)

func TestResearchKeepsTheTurnFreeAndAnnouncesItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		m := &model{answer: func(ctx context.Context, n int, yield func(llm.Delta, error) bool) {
			switch n {
			case 1:
				<-release
				yield(llm.Delta{Call: &llm.ToolCall{ID: "1", Name: "web_search",
					Arguments: json.RawMessage(`{"q":"a"}`)}}, nil)
			case 2:
				yield(llm.Delta{Text: "Noon."}, nil) // the turn meanwhile
			default:
				yield(llm.Delta{Text: "Heat pumps work. "}, nil)
			}
		}}
		said := make(chan string, 1)
		th := staffed(t, m, house{"web_search"}, func(o *Options) {
			o.Announce = func(_ context.Context, a Kept) { said <- a.Text }
			o.Answers = &shelf{} // what the turn says must not be kept for an answer
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- th.Run(ctx) }()
		first, _, err := think(t.Context(), th, "Look into heat pumps for me.")
		if err != nil || len(first) != 1 || !strings.Contains(first[0], "look into") {
			t.Fatalf("said %q (%v)", first, err)
		}
		synctest.Wait()
		if other, _, err := think(t.Context(), th, "who painted the Mona Lisa of Paris"); err != nil ||
			other[0] != "Noon." {
			t.Errorf("meanwhile: %q (%v)", other, err)
		}
		close(release)
		if text := <-said; !strings.Contains(text, "Heat pumps work.") {
			t.Errorf("announced %q", text)
		}
		if h := th.History(); !strings.Contains(h[len(h)-1].Content, "Heat pumps work.") {
			t.Errorf("the conversation does not know the answer: %v", h)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestResearchThatEndsWithinATurnLeavesItAlone: neither is an answer cut that is on its
// way, nor does what was heard of it become that of the research.
func TestResearchThatEndsWithinATurnLeavesItAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, told := make(chan struct{}), make(chan string, 1)
		m := &model{answer: func(ctx context.Context, n int, yield func(llm.Delta, error) bool) {
			if n == 1 {
				<-release
				yield(llm.Delta{Text: "Heat pumps work."}, nil)
			} else if yield(llm.Delta{Text: "It was Leonardo. "}, nil) {
				close(release)
				<-told
				yield(llm.Delta{Text: "He was from Vinci. "}, nil)
			}
		}}
		th := staffed(t, m, house{"web_search"}, func(o *Options) {
			o.Announce = func(_ context.Context, a Kept) { told <- a.Text }
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go th.Run(ctx)
		if _, _, err := think(t.Context(), th, "Look into heat pumps for me."); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		said, _, err := think(t.Context(), th, "who painted the Mona Lisa of Paris")
		if err != nil || len(said) != 2 {
			t.Errorf("said %q (%v)", said, err)
		}
		th.Heard("It was Leonardo.")
		var history []string
		for _, m := range th.History() {
			if m.Role == llm.Assistant {
				history = append(history, m.Content)
			}
		}
		if len(history) != 3 || !strings.Contains(history[1], "Heat pumps work.") || history[2] != "It was Leonardo." {
			t.Errorf("the history is %q", history)
		}
	})
}

func TestResearchThatIsForgottenIsNotAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{answer: func(ctx context.Context, _ int, yield func(llm.Delta, error) bool) {
			<-ctx.Done()
			yield(llm.Delta{}, ctx.Err())
		}}
		th := staffed(t, m, house{"web_search"}, func(o *Options) {
			o.Announce = func(_ context.Context, a Kept) { t.Errorf("announced %q", a.Text) }
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go th.Run(ctx)
		for range 3 { // one runs, the others wait
			if _, _, err := think(t.Context(), th, "Look into heat pumps for me."); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		th.Forget()
		time.Sleep(time.Hour)
		if m.asked() != 1 || len(th.History()) != 0 {
			t.Errorf("%d requests, history %v", m.asked(), th.History())
		}
	})
}

func TestResearchThatFailsSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{answer: func(ctx context.Context, _ int, yield func(llm.Delta, error) bool) {
			<-ctx.Done()
			yield(llm.Delta{}, ctx.Err())
		}}
		said := make(chan string, 1)
		th := staffed(t, m, house{"web_search"},
			func(o *Options) { o.Announce = func(_ context.Context, a Kept) { said <- a.Text } })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go th.Run(ctx)
		if _, _, err := think(t.Context(), th, "Look into heat pumps for me."); err != nil {
			t.Fatal(err)
		}
		if text := <-said; !strings.Contains(text, "could not find out") {
			t.Errorf("announced %q", text)
		}
	})
}

func TestAnHourOfSilenceIsPurgedByTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		th := staffed(t, answers(text("Yes.")), nil, nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go th.Run(ctx)
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-th.Ended():
					ended.Add(1)
				}
			}
		}()
		if _, _, err := think(t.Context(), th, "hello"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(59 * time.Minute)
		synctest.Wait()
		if len(th.History()) == 0 || ended.Load() != 0 {
			t.Error("gone after 59 minutes")
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if h := th.History(); len(h) != 0 || ended.Load() != 1 {
			t.Errorf("still there: %v; ended %d times", h, ended.Load())
		}
		th.Note(llm.Ask{Text: "why is the sky blue"}, "It scatters.") // as a responder has answered
		time.Sleep(61 * time.Minute)
		synctest.Wait()
		if h := th.History(); len(h) != 0 || ended.Load() != 2 {
			t.Errorf("still there: %v; ended %d times", h, ended.Load())
		}
		th.Note(llm.Ask{Text: "set a timer"}, "It is set.")
		th.Forget() // on request, which is no end that is summarised
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if ended.Load() != 2 {
			t.Errorf("ended %d times", ended.Load())
		}
	})
}

func TestConversationBesideAnnouncesItsOwnResearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		household := staffed(t, answers(text("Heat pumps work. ")), house{"web_search"}, func(o *Options) {
			o.Announce = func(_ context.Context, a Kept) { t.Errorf("the household is told %q", a.Text) }
		})
		said := make(chan string, 1)
		th := household.Beside(func(_ context.Context, a Kept) { said <- a.Text })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go th.Run(ctx)
		if _, _, err := think(t.Context(), th, "Look into heat pumps for me."); err != nil {
			t.Fatal(err)
		}
		if text := <-said; !strings.Contains(text, "Heat pumps work.") {
			t.Errorf("announced %q", text)
		}
		if h := household.History(); len(h) != 0 {
			t.Errorf("the household's conversation is %v", h)
		}
	})
}

// register is a toolbox that notes for whom it is called.
type register struct {
	house
	calls []tools.Call
}

func (r *register) Run(ctx context.Context, c tools.Call) tools.Outcome {
	r.calls = append(r.calls, c)
	return r.house.Run(ctx, c)
}

func TestCallsOfAJobAreNobodysAndOfNoTurn(t *testing.T) {
	r := &register{house: house{"web_search"}}
	th := staffed(t, answers(call("web_search"), text("So it is.")), r.house, func(o *Options) { o.Tools = r })
	ask := llm.Ask{Text: "Look into heat pumps for me.", Person: "ada", Guest: "page", Turn: 7}
	for _, err := range th.Think(t.Context(), ask) {
		if err != nil {
			t.Fatal(err)
		}
	}
	th.finishJob(t.Context(), <-th.jobs)
	if len(r.calls) != 1 || r.calls[0].For != (llm.Ask{Guest: "page"}) {
		t.Errorf("%+v", r.calls)
	}
}
