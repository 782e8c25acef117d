package realtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hearthd/rigs/llmtest"
)

// The races are all pairs of when a person interrupts, when a tool returns that was
// called, and whether the connection is lost, at the same moment as a response
// begins. Each is run repeats times, or HEARTHD_TEST_RACES times.
const repeats = 5

func TestRaces(t *testing.T) {
	n := repeats
	if s := os.Getenv("HEARTHD_TEST_RACES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	var total tally
	combinations := 0
	for _, barge := range []string{"never", "before the response", "while it speaks", "while the tool runs",
		"after the answer"} {
		for _, tool := range []string{"before", "with", "after"} {
			for _, lost := range []bool{false, true} {
				combinations++
				t.Run(fmt.Sprintf("barge-in %s, tool %s, lost %t", barge, tool, lost), func(t *testing.T) {
					for range n {
						t.Run("", func(t *testing.T) { newRace(t, barge, tool, lost).run(&total) })
					}
				})
			}
		}
	}
	t.Logf("%d combinations, %d times each: %d answers, %d failures that an earcon tells", combinations,
		n, total.answers, total.failures)
}

// tally counts how turns ended.
type tally struct{ answers, failures int }

// race is one run of two turns.
type race struct {
	*rig
	barge, tool string
	lost        bool

	now     chan struct{} // closed at the moment of the race
	moment  func()
	waits   sync.WaitGroup
	hurried atomic.Bool   // the first turn was cut
	asked   chan struct{} // closed when the second turn has committed
	called  atomic.Int32
}

func newRace(t *testing.T, barge, tool string, lost bool) *race {
	r := &race{barge: barge, tool: tool, lost: lost, now: make(chan struct{}), asked: make(chan struct{})}
	r.moment = sync.OnceFunc(func() { close(r.now) })
	r.rig = newRig(t, r.script)
	return r
}

// script: the first turn speaks for 300 ms and the second for 600.
func (r *race) script(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
	switch {
	case turn.Audio > rate/2:
		return llmtest.RealtimeAnswer{Text: "new"}
	case turn.Audio == 0:
		return llmtest.RealtimeAnswer{Text: "tool", Late: true}
	}
	a := llmtest.RealtimeAnswer{Text: "old", Late: true,
		Calls: []llmtest.RealtimeCall{{ID: "c", Name: "look", Arguments: "{}"}}}
	switch r.barge {
	case "before the response":
		a.Hold = r.now
		r.moment()
	case "while it speaks":
		a.Halfway = r.now
	}
	return a
}

// jitter spreads what happens at the moment.
func jitter() {
	for range rand.N(300) {
		runtime.Gosched()
	}
}

func (r *race) run(total *tally) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	first := r.open()
	r.speak(first, 300*time.Millisecond)
	r.atMoment(r.lost, r.server.Drop)
	var second heard
	r.atMoment(r.barge != "never", func() { second = r.interrupt(cancel, first) })
	h := r.listen(ctx, first)
	r.moment()
	r.waits.Wait()
	r.judge("first", &h, "old tool", r.barge != "never", total)
	if r.barge != "never" {
		r.judge("second", &second, "new", false, total)
	}
	if r.called.Load() > 1 {
		r.Errorf("the tool was called %d times", r.called.Load())
	}
	r.until("a call has no output", func() bool { return len(r.server.Owed()) == 0 })
}

func (r *race) atMoment(wanted bool, do func()) {
	if !wanted {
		return
	}
	r.waits.Go(func() {
		<-r.now
		jitter()
		do()
	})
}

// interrupt is what the dialogue does: the turn is ended, the speaker silenced, and
// the next utterance sent, each by a goroutine of its own.
func (r *race) interrupt(cancel func(), first *Turn) (h heard) {
	if rand.N(2) == 0 { // the cut alone must be enough
		cancel()
	}
	var cut sync.WaitGroup
	defer cut.Wait()
	cut.Go(func() {
		jitter()
		first.Cut(20 * time.Millisecond)
		r.hurried.Store(true)
	})
	defer close(r.asked)
	turn, err := r.client.Open(r.Context())
	if err == nil {
		for range 6 {
			if err = turn.Write(make([]int16, 1600)); err != nil {
				break
			}
		}
	}
	if err == nil {
		err = turn.Commit()
	}
	if err != nil {
		return heard{err: err}
	}
	h = r.hear(turn)
	turn.Cut(time.Hour)
	return h
}

// listen takes the first answer. Nothing may come of it after it was cut.
func (r *race) listen(ctx context.Context, t *Turn) (h heard) {
	late := 0
	for d, err := range t.Answer(ctx, limit, limit) {
		if r.hurried.Load() && err == nil {
			if late++; late > 1 { // one may have been on its way
				r.Errorf("%+v came of a turn that was cut", d)
			}
		}
		h.add(d, err)
		if d.Audio != nil && r.barge == "while it speaks" {
			r.moment()
		}
		if d.Call != nil {
			r.called.Add(1)
			r.waits.Go(func() { r.look(t, d.Call.ID) })
		}
	}
	return h
}

// look is the tool.
func (r *race) look(t *Turn, call string) {
	if r.barge == "while the tool runs" || r.barge == "never" {
		r.moment()
	}
	switch {
	case r.tool == "with":
		select {
		case <-r.now:
		case <-time.After(time.Millisecond): // the moment comes after the answer
		}
		jitter()
	case r.tool == "after" && r.barge != "never" && r.barge != "after the answer":
		<-r.asked
	}
	t.Result(call, "saw")
}

// judge checks how a turn ended: with its whole answer, once, or with an error, of
// which the dialogue makes an earcon and the answer of the house.
func (r *race) judge(name string, h *heard, whole string, cut bool, total *tally) {
	switch {
	case cut && len(h.text) <= len(whole) && whole[:len(h.text)] == h.text:
	case h.err == nil && h.text == whole:
		total.answers++
	case h.err != nil && r.lost && (errors.Is(h.err, errLost) || errors.Is(h.err, errAway)):
		total.failures++
	default:
		r.Errorf("the %s turn: %+v, want %q", name, *h, whole)
	}
}
