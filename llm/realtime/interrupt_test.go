package realtime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"hearthd/rigs/llmtest"
)

// interruption is a turn that a person interrupts while tools run. The dialogue ends its
// context first, and cuts it when the tools have ended.
type interruption struct {
	*rig
	ids     []string
	turn    *Turn
	ctx     context.Context
	cancel  func()
	close   chan struct{} // ends the response that calls
	calling chan struct{} // closed when all calls are handed over
	over    chan struct{} // closed when nothing more of the answer comes
}

func newInterruption(t *testing.T, calls int, open bool) *interruption {
	i := &interruption{close: make(chan struct{}), calling: make(chan struct{}), over: make(chan struct{})}
	for n := range calls {
		i.ids = append(i.ids, fmt.Sprint("c", n))
	}
	script := looks(i.ids...)
	i.rig = newRig(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		a := script(turn)
		if turn.N == 1 {
			a.Close = i.close
		}
		return a
	})
	if !open {
		close(i.close)
	}
	i.ctx, i.cancel = context.WithCancel(t.Context())
	t.Cleanup(i.cancel)
	i.turn = i.open()
	i.speak(i.turn, time.Second)
	go func() {
		defer close(i.over)
		n := 0
		for d := range i.turn.Answer(i.ctx, limit, limit) {
			if d.Call != nil {
				if n++; n == calls {
					close(i.calling)
				}
			}
		}
	}()
	<-i.calling
	return i
}

// judge ends the turn and speaks again. Only the two turns may have asked for a response.
func (i *interruption) judge(responses int) {
	i.Helper()
	i.turn.Cut(20 * time.Millisecond)
	<-i.over
	next := i.open()
	i.speak(next, time.Second)
	if h := i.hear(next); h.err != nil || h.text != fmt.Sprintf("found %d", len(i.ids)) {
		i.Errorf("the next turn: %+v", h)
	}
	if got := i.outputs(); !slices.Equal(got, i.ids) {
		i.Errorf("outputs of %q, want one for each of %q", got, i.ids)
	}
	if n := len(i.sent("response.create")); n != responses {
		i.Errorf("%d responses were asked for, want %d", n, responses)
	}
}

func TestInterruptionWhileToolsRunAsksForNoResponse(t *testing.T) {
	for _, calls := range []int{1, 3} {
		for name, end := range map[string]func(i *interruption){
			"the results come after it": func(i *interruption) {
				i.cancel()
				i.results(i.ids)
			},
			"the results come as it does": func(i *interruption) {
				var all sync.WaitGroup
				for _, id := range i.ids[1:] {
					i.turn.Result(id, "saw")
				}
				all.Go(func() { <-i.ctx.Done(); i.turn.Result(i.ids[0], "saw") })
				jitter()
				i.cancel()
				all.Wait()
			},
			"some results came before": func(i *interruption) {
				n := rand.N(len(i.ids))
				i.results(i.ids[:n])
				i.cancel()
				i.results(i.ids[n:])
			},
		} {
			t.Run(fmt.Sprintf("%d calls, %s", calls, name), func(t *testing.T) {
				for range repeats {
					i := newInterruption(t, calls, false)
					end(i)
					i.judge(2)
				}
			})
		}
	}
}

// The tools are quicker than the service, which has not ended its response.
func TestInterruptionBetweenTheResultsAndTheEndOfTheResponseAsksForNone(t *testing.T) {
	for _, calls := range []int{1, 3} {
		for range repeats {
			i := newInterruption(t, calls, true)
			i.results(i.ids)
			i.cancel()
			close(i.close)
			i.judge(2)
		}
	}
}

func TestInterruptionEndsWhatTheServiceMakesThoughAToolRunsOn(t *testing.T) {
	i := newInterruption(t, 1, true)
	i.cancel()
	i.await("response.cancel", 1)
	if got := i.outputs(); len(got) != 0 {
		t.Errorf("outputs of %q before the tool has ended", got)
	}
	i.turn.Result("c0", "it is done")
	i.judge(2)
	for _, e := range i.sent("conversation.item.create") {
		if it := e["item"].(map[string]any); it["type"] == typeCallOutput && it["output"] != "it is done" {
			t.Errorf("the service was told %q", it["output"])
		}
	}
}

// Whichever comes first: a response that is asked for is awaited, and one that nobody
// awaits is not asked for, unless the results were there before.
func TestInterruptionAndResultsMayComeInAnyOrder(t *testing.T) {
	for range 4 * repeats {
		i := newInterruption(t, 1+rand.N(3), false)
		var all sync.WaitGroup
		for _, id := range i.ids {
			all.Go(func() { jitter(); i.turn.Result(id, "saw") })
		}
		all.Go(func() { jitter(); i.cancel() })
		all.Wait()
		i.turn.Cut(20 * time.Millisecond)
		<-i.over
		i.until("a call has no output", func() bool { return len(i.server.Owed()) == 0 })
		if got := i.outputs(); !slices.Equal(got, i.ids) {
			t.Errorf("outputs of %q, want one for each of %q", got, i.ids)
		}
	}
}

func (i *interruption) results(ids []string) {
	for _, id := range ids {
		i.turn.Result(id, "saw")
	}
}
