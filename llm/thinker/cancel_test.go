package thinker

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"hearthd/llm"
)

// sequence is what Think yields, in short.
func sequence(d llm.Delta, err error) string {
	switch {
	case err != nil:
		return "error"
	case d.Call != nil:
		return "call " + string(d.Call.Arguments)
	case d.Usage != nil:
		return "usage"
	}
	return "text " + d.Text
}

func TestSentencesAndCallsComeInTheirOrder(t *testing.T) {
	th := newThinker(t, answers(append([]llm.Delta{{Text: "One mo"}, {Text: "ment. "}}, calls(`{"m":1}`)...),
		text("It ", "is set.")), &box{})
	var got []string
	for d, err := range th.Think(t.Context(), llm.Ask{Text: "timer"}) {
		got = append(got, sequence(d, err))
	}
	equal(t, []string{"text One moment.", `call {"m":1}`, "text It is set.", "usage"}, got)
}

// babble streams tokens and calls as fast as they are taken, until nobody takes any.
func babble() *model {
	return &model{answer: func(ctx context.Context, n int, yield func(llm.Delta, error) bool) {
		for range 40 {
			if !yield(llm.Delta{Text: "Well. "}, nil) {
				return
			}
		}
		id, args := strings.Repeat("x", n), json.RawMessage(`{"n":`+strings.Repeat("1", n)+`}`)
		yield(llm.Delta{Call: &llm.ToolCall{ID: id, Name: "timer", Arguments: args}}, nil)
	}}
}

// TestNothingFollowsACancel cancels at another place each time. A model that does not
// heed its context makes it worse than it is.
func TestNothingFollowsACancel(t *testing.T) {
	for at := range 200 {
		th := newThinker(t, babble(), &box{})
		ctx, cancel := context.WithCancel(t.Context())
		n, late := 0, 0
		var last error
		for _, err := range th.Think(ctx, llm.Ask{Text: "talk"}) {
			last = err
			if n > at && err == nil {
				late++
			}
			if n++; n > at {
				cancel()
			}
		}
		cancel()
		if late != 0 || stopOf(t, last) != Cancelled {
			t.Fatalf("cancelled at %d: %d deltas follow, then %v", at, late, last)
		}
	}
}

// TestACancelFromElsewhereMeetsOneDeltaAtMost cancels from another goroutine: the
// delta that is being yielded at that moment may be the last.
func TestACancelFromElsewhereMeetsOneDeltaAtMost(t *testing.T) {
	for at := range 200 {
		th := newThinker(t, babble(), &box{})
		ctx, cancel := context.WithCancel(t.Context())
		var cancelled atomic.Bool
		now, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			<-now
			cancel()
			cancelled.Store(true)
		}()
		n, late := 0, 0
		for _, err := range th.Think(ctx, llm.Ask{Text: "talk"}) {
			if cancelled.Load() && err == nil {
				late++
			}
			if n++; n == at+1 {
				close(now)
			}
		}
		if <-ended; late > 1 {
			t.Fatalf("cancelled at %d: %d deltas follow", at, late)
		}
	}
}
