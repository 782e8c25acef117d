package realtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"hearthd/rigs/llmtest"
)

// looks calls tools once, and then says what came of them.
func looks(ids ...string) func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
	return func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		if turn.N > 1 {
			return llmtest.RealtimeAnswer{Text: fmt.Sprintf("found %d", len(turn.Outputs))}
		}
		a := llmtest.RealtimeAnswer{Text: "let me see."}
		for _, id := range ids {
			a.Calls = append(a.Calls, llmtest.RealtimeCall{ID: id, Name: "look", Arguments: "{}"})
		}
		return a
	}
}

// instant fails if time has passed since begun: somebody waited for the network.
func (r *rig) instant(what string, begun time.Time) {
	r.Helper()
	if d := time.Since(begun); d != 0 {
		r.Errorf("%s took %v", what, d)
	}
}

func TestServiceThatFallsSilentIsNoticedAndTheSessionReplaced(t *testing.T) {
	onCable(t, looks("a"), func(r *rig, c *llmtest.Cable) {
		first := r.open()
		r.speak(first, time.Second)
		var h heard
		var silence time.Time
		for d, err := range first.Answer(r.Context(), limit, limit) {
			h.add(d, err)
			if d.Call != nil { // which takes minutes
				c.Fault.Store(llmtest.CableSilent)
				silence = time.Now()
			}
		}
		if d := time.Since(silence); !errors.Is(h.err, errLost) || h.text != "let me see." || d > 2*keepAlive {
			r.Errorf("%v after it fell silent: %+v", d, h)
		}
		<-first.s.ended
		c.Fault.Store(llmtest.CableSound)
		second := r.open()
		r.speak(second, time.Second)
		if h := r.hear(second); h.err != nil || h.text != "found 0" {
			r.Errorf("%+v", h)
		}
		if all, _ := r.server.Sessions(); all != 2 {
			r.Errorf("%d sessions", all)
		}
	})
}

func TestServiceThatAnswersPingsIsKept(t *testing.T) {
	onCable(t, looks("a"), func(r *rig, c *llmtest.Cable) {
		turn := r.open()
		r.speak(turn, time.Second)
		var h heard
		for d, err := range turn.Answer(r.Context(), limit, limit) {
			h.add(d, err)
			if d.Call != nil {
				time.Sleep(10 * keepAlive)
				turn.Result(d.Call.ID, "there")
			}
		}
		if h.err != nil || h.text != "let me see. found 1" {
			r.Errorf("%+v", h)
		}
	})
}

func TestMessageWithoutEndEndsTheSessionAndIsNotKept(t *testing.T) {
	onCable(t, func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: "yes", Flood: turn.N == 1}
	}, func(r *rig, c *llmtest.Cable) {
		turn := r.open()
		r.speak(turn, time.Second)
		h := r.hear(turn)
		if !errors.Is(h.err, errLost) || !errors.Is(h.err, websocket.ErrMessageTooBig) ||
			!strings.Contains(h.err.Error(), fmt.Sprint("limited at ", maxEvent+1)) {
			r.Errorf("%v", h.err)
		}
		<-turn.s.ended
		next := r.open()
		r.speak(next, time.Second)
		if h := r.hear(next); h.err != nil || h.text != "yes" {
			r.Errorf("%+v", h)
		}
	})
}

func TestServiceThatReadsNothingIsLostAndNobodyWaitsForIt(t *testing.T) {
	for name, pace := range map[string]time.Duration{"at once": 0, "as spoken": 20 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			onCable(t, says("yes"), func(r *rig, c *llmtest.Cable) {
				turn := r.open()
				c.Fault.Store(llmtest.CableStuck)
				begun := time.Now()
				frames := 0
				for err := error(nil); err == nil; frames++ {
					now := time.Now()
					err = turn.Write(make([]int16, 320))
					r.instant("to write a frame", now)
					if err != nil && !errors.Is(err, errLost) {
						r.Error(err)
					}
					time.Sleep(pace)
				}
				if d := time.Since(begun); d > writeLimit+time.Second || frames > writeQueue+3 {
					r.Errorf("%d frames were taken in %v", frames, d)
				}
				c.Fault.Store(llmtest.CableSound)
				next := r.open()
				r.speak(next, time.Second)
				if h := r.hear(next); h.err != nil || h.text != "yes" {
					r.Errorf("%+v", h)
				}
			})
		})
	}
}

// The speaker is silenced by the dialogue; here nothing waits either, and what follows
// is not sent on top of a response of which nobody knows whether it ended.
func TestCutWaitsForNothingAndTheNextTurnNotForEver(t *testing.T) {
	for name, fault := range map[string]int32{"silent": llmtest.CableSilent, "stuck": llmtest.CableStuck} {
		t.Run(name, func(t *testing.T) {
			onCable(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
				return llmtest.RealtimeAnswer{Text: "one two three", Halfway: make(chan struct{})}
			}, func(r *rig, c *llmtest.Cable) {
				turn := r.open()
				r.speak(turn, time.Second)
				for d := range turn.Answer(r.Context(), limit, limit) {
					if d.Audio != nil {
						break
					}
				}
				c.Fault.Store(fault)
				begun := time.Now()
				turn.Cut(30 * time.Millisecond)
				next := r.open()
				r.speak(next, time.Second)
				r.instant("to cut, and to speak on", begun)
				if h := r.hear(next); h.err == nil || h.text != "" || time.Since(begun) > createLimit {
					r.Errorf("after %v: %+v", time.Since(begun), h)
				}
				if n := len(r.sent("response.create")); n != 1 {
					r.Errorf("%d responses were asked for", n)
				}
			})
		})
	}
}

func TestSessionThatIsEndedIsGoneInSecondsWhateverTheServiceDoes(t *testing.T) {
	for name, fault := range map[string]int32{"polite": llmtest.CableSound, "silent": llmtest.CableSilent,
		"stuck": llmtest.CableStuck} {
		t.Run(name, func(t *testing.T) {
			onCable(t, says("bye"), func(r *rig, c *llmtest.Cable) {
				turn := r.open()
				if err := turn.Remark("Say goodbye."); err != nil {
					r.Fatal(err)
				}
				if h := r.hear(turn); h.text != "bye" {
					r.Errorf("%+v", h)
				}
				c.Fault.Store(fault)
				begun := time.Now()
				r.client.End()
				r.closed()
				if d := time.Since(begun); d > closeLimit+100*time.Millisecond {
					r.Errorf("the connection ended after %v", d)
				}
			})
		})
	}
}

// Each call that returns could be answered by a response of its own: three fillers, and
// an answer that knows a third of it.
func TestOneResponseFollowsHoweverManyCallsAndInWhateverOrderTheyReturn(t *testing.T) {
	onCable(t, looks("a", "b", "c"), func(r *rig, c *llmtest.Cable) {
		turn := r.open()
		r.speak(turn, time.Second)
		returns := map[string]time.Duration{"a": 30 * time.Second, "b": 0, "c": 9 * time.Second}
		var h heard
		for d, err := range turn.Answer(r.Context(), limit, limit) {
			h.add(d, err)
			if d.Call == nil {
				continue
			}
			time.AfterFunc(returns[d.Call.ID], func() {
				if n := len(r.sent("response.create")); n != 1 {
					r.Errorf("%d responses were asked for before %s has returned", n, d.Call.ID)
				}
				turn.Result(d.Call.ID, "there")
			})
		}
		if h.err != nil || h.text != "let me see. found 3" {
			r.Errorf("%+v", h)
		}
		if n := len(r.sent("response.create")); n != 2 {
			r.Errorf("%d responses were asked for", n)
		}
		if ids := r.outputs(); !slices.Equal(ids, []string{"a", "b", "c"}) {
			r.Errorf("outputs %v", ids)
		}
	})
}

func TestWhatANudgeSaysIsInNoHistory(t *testing.T) {
	onCable(t, says("yes"), func(r *rig, c *llmtest.Cable) {
		r.speak(r.open(), time.Second)
		r.until("no answer", func() bool { return len(r.sent("response.create")) == 1 })
		nudge := r.open()
		if err := nudge.Remark("Ask whether there is more."); err != nil {
			r.Fatal(err)
		}
		r.hear(nudge)
		for _, e := range r.sent("response.create")[1:] {
			if e["response"].(map[string]any)["conversation"] != "none" {
				r.Errorf("%v", e)
			}
		}
		if items := r.sent("conversation.item.create"); len(items) != 0 {
			r.Errorf("%v", items)
		}
	})
}

func TestKeyThatAServiceRepeatsIsInNoErrorAndNoLog(t *testing.T) {
	for _, how := range []llmtest.RealtimeAnswer{
		{Fail: "sesame"}, {Fail: "incorrect_sesame_key"}, {Refuse: "sesame"},
		{Text: "yes", Extra: []map[string]any{{"type": "sesame.thing"}}},
	} {
		onCable(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer { return how }, func(r *rig, c *llmtest.Cable) {
			turn := r.open()
			r.speak(turn, time.Second)
			h := r.hear(turn)
			r.client.End()
			<-turn.s.ended
			synctest.Wait()
			if told := fmt.Sprint(h.err, r.log.String()); strings.Contains(told, "sesame") ||
				!strings.Contains(told, "unreadable") {
				r.Errorf("%+v: %s", how, told)
			}
		})
	}
}
