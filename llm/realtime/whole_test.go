package realtime

import (
	"errors"
	"testing"
	"time"

	"hearthd/rigs/llmtest"
)

func TestAnswerOfWhichOnlyTheEndIsLostStands(t *testing.T) {
	for name, c := range map[string]struct {
		first llmtest.RealtimeAnswer
		turns int // sessions for two turns
	}{
		"with the connection":         {llmtest.RealtimeAnswer{Text: "yes", Lose: llmtest.RealtimeAtDone}, 2},
		"by a service that goes on":   {llmtest.RealtimeAnswer{Text: "yes", Endless: true}, 1},
		"by one that waits for ever":  {llmtest.RealtimeAnswer{Text: "yes"}, 1},
		"as nobody knows of its item": {llmtest.RealtimeAnswer{Text: "yes", Bare: true, Endless: true}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			answer := func(turn llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
				if turn.N > 1 {
					return llmtest.RealtimeAnswer{Text: "and no"}
				}
				if !c.first.Endless && c.first.Lose == llmtest.RealtimeNever {
					c.first.Close = make(chan struct{}) // of the bubble
				}
				return c.first
			}
			onCable(t, answer, func(r *rig, _ *llmtest.Cable) {
				turn := r.open()
				r.speak(turn, time.Second)
				var h heard
				for d, err := range turn.Answer(r.Context(), limit, 500*time.Millisecond) {
					h.add(d, err)
				}
				if h.err != nil || h.text != "yes" || h.audio != 3*rate/20 {
					r.Errorf("%+v", h)
				}
				turn.Cut(time.Hour)
				if c.turns == 2 { // first, for settle may open the next session
					r.closed()
				}
				r.settle()
				if !r.client.Available() {
					r.Error("the service is left alone for it")
				}
				next := r.open()
				r.speak(next, time.Second)
				if h := r.hear(next); h.err != nil || h.text != "and no" {
					r.Errorf("the next turn: %+v", h)
				}
				if all, _ := r.server.Sessions(); all != c.turns {
					r.Errorf("%d sessions, want %d", all, c.turns)
				}
			})
		})
	}
}

func TestAnswerThatBreaksOffInItsSpeechOrItsCallsIsStillAFailure(t *testing.T) {
	call := []llmtest.RealtimeCall{{ID: "a", Name: "look", Arguments: "{}"}}
	for name, a := range map[string]llmtest.RealtimeAnswer{
		"in its speech":      {Text: "yes", Lose: llmtest.RealtimeAtSpeech},
		"before its speech":  {Text: "yes", Lose: llmtest.RealtimeAtCreated},
		"after a call":       {Text: "let me see", Calls: call, Lose: llmtest.RealtimeAtDone},
		"silent at a call":   {Text: "let me see", Calls: call, Endless: true},
		"silent, and mute":   {Endless: true},
		"after a bare call":  {Text: "let me see", Calls: call, Bare: true, Lose: llmtest.RealtimeAtDone},
		"mute, and it fails": {Text: "", Lose: llmtest.RealtimeAtDone},
	} {
		answer := func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer { return a }
		onCable(t, answer, func(r *rig, _ *llmtest.Cable) {
			turn := r.open()
			r.speak(turn, time.Second)
			var h heard
			for d, err := range turn.Answer(r.Context(), limit, limit) {
				h.add(d, err)
				if d.Call != nil {
					turn.Result(d.Call.ID, "rain")
				}
			}
			if !errors.Is(h.err, errLost) && !errors.Is(h.err, errSlow) {
				r.Errorf("%s: %+v", name, h)
			}
			turn.Cut(0)
		})
	}
}
