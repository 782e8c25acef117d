package e2e

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestSpokenRequestIsAnsweredAndItsTimerOutlivesAPowerCut(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	from := k.played()
	k.say("Hey hearth, set a pasta timer for ten minutes.")
	k.event("the timer is set", func(h happening) bool {
		return h.Type == "tool_finished" && h.Tool == "timer_set" && h.Outcome == "ok"
	})
	k.event("it is confirmed", func(h happening) bool { return h.Type == "said" })
	doc := k.turn("voice")
	if doc.Route != "intent" || doc.Outcome != "answered" || doc.WokenBy != "phrase" ||
		!strings.Contains(doc.Transcript, "pasta timer for ten minutes") || !strings.Contains(doc.Answer, "asta") {
		t.Fatalf("%+v", doc)
	}
	k.audible(from)

	// The power goes while the second timer is being confirmed.
	go func() {
		_ = k.Call(t.Context(), "POST", "/v1/ask", map[string]string{"text": "set an egg timer for 12 seconds"}, &struct{}{})
	}()
	k.event("the second timer is set", func(h happening) bool { return h.Type == "tool_finished" && h.Outcome == "ok" })
	k.event("it is being confirmed", func(h happening) bool { return h.Type == "said" })
	check(t, k.Kill())
	k.begin()
	if got := k.status().Timers; len(got) != 2 {
		t.Fatalf("after the power cut these timers run: %+v", got)
	}
	from = k.played()
	fired := k.event("the egg timer rings", func(h happening) bool { return h.Type == "timer_fired" })
	if fired.Missed || fired.Timer.Label != "egg" {
		t.Errorf("%s", fired.raw)
	}
	if doc := k.turn("announcement"); !strings.Contains(doc.Answer, "egg timer is done") {
		t.Errorf("%+v", doc)
	}
	k.audible(from)
	if got := k.status().Timers; len(got) != 1 || got[0].Label != "pasta" {
		t.Errorf("these timers run: %+v", got)
	}
}

func TestTimerThatEndedDuringAPowerCutIsAnnounced(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	k.ask("set a tea timer for 3 seconds")
	check(t, k.Kill())
	<-time.After(4 * time.Second) // the power is away
	from := k.played()
	k.begin()
	if doc := k.turn("announcement"); !strings.Contains(doc.Answer, "ended while I was off") || doc.Stages.FirstSound == 0 {
		t.Errorf("%+v", doc)
	}
	k.audible(from)
	if got := k.status().Timers; len(got) != 0 {
		t.Errorf("these timers run: %+v", got)
	}
	if log, err := os.ReadFile(k.LogPath()); err != nil || !strings.Contains(string(log), "timer ended while hearthd was off") {
		t.Errorf("the log does not tell of the missed timer (%v)", err)
	}
}
