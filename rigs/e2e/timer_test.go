package e2e

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	store "hearthd/memory"
)

// rings waits until something rings and has been said once.
func (k *kitchen) rings(what string) happening {
	k.t.Helper()
	fired := k.event(what, func(h happening) bool { return h.Type == "timer_fired" })
	k.event("it is said", func(h happening) bool { return h.Type == "said" })
	return fired
}

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
		_ = k.Call(t.Context(), "POST", "/v1/ask", map[string]string{"text": "set an egg timer for 30 seconds"}, &struct{}{})
	}()
	k.event("the second timer is set", func(h happening) bool { return h.Type == "tool_finished" && h.Outcome == "ok" })
	k.event("it is being confirmed", func(h happening) bool { return h.Type == "said" })
	check(t, k.Kill())
	k.begin()
	if got := k.status().Timers; len(got) != 2 {
		t.Fatalf("after the power cut these timers run: %+v", got)
	}
	from = k.played()
	fired := k.rings("the egg timer rings")
	if fired.Missed || fired.Timer.Label != "egg" {
		t.Errorf("%s", fired.raw)
	}
	k.audible(from)
	k.event("it rings a second time", func(h happening) bool { return h.Type == "said" })
	k.post("/v1/stop", struct{}{})
	if doc := k.turn("announcement"); !strings.Contains(doc.Answer, "egg timer is done") || doc.Outcome != "stopped" {
		t.Errorf("%+v", doc)
	}
	if got := k.status().Timers; len(got) != 1 || got[0].Label != "pasta" {
		t.Errorf("these timers run: %+v", got)
	}
}

// saysTwice waits until words, which were not said before from, are said a second
// time: then the first is wholly played.
func (k *kitchen) saysTwice(words string, from time.Time) {
	k.t.Helper()
	for range 2 {
		k.event("it says "+words, func(h happening) bool {
			return h.Type == "said" && h.Time.After(from) && strings.Contains(h.Text, words)
		})
	}
}

func TestTimerThatEndedDuringAPowerCutRings(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	k.askAside("set a tea timer for 10 seconds") // it would ring before a busy machine has said so
	k.event("the timer is set", func(h happening) bool { return h.Type == "tool_finished" && h.Outcome == "ok" })
	check(t, k.Kill())
	<-time.After(11 * time.Second) // the power is away
	from, played := time.Now(), k.played()
	k.launch() // it is not idle
	k.saysTwice("ended while I was off", from)
	k.audible(played)
	k.post("/v1/stop", struct{}{})
	if doc := k.turn("announcement"); !strings.Contains(doc.Answer, "ended while I was off") || doc.Stages.FirstSound == 0 {
		t.Errorf("%+v", doc)
	}
	if got := k.status().Timers; len(got) != 0 {
		t.Errorf("these timers run: %+v", got)
	}
	if log, err := os.ReadFile(k.LogPath()); err != nil || !strings.Contains(string(log), "timer ended while hearthd was off") {
		t.Errorf("the log does not tell of the missed timer (%v)", err)
	}
}

func TestWhatRingsDuringAPowerCutRingsOn(t *testing.T) {
	k := newKitchen(t)
	b := newMosquitto(t, k.dir)
	k.begin(b.environ()...)
	k.ask("set a pasta timer for ten minutes")
	k.ask("set an egg timer for 2 seconds")
	k.rings("the egg timer rings")
	for _, end := range []func() error{k.Kill, k.Stop} {
		check(t, end())
		from, played := time.Now(), k.played()
		k.launch(b.environ()...)
		k.saysTwice("The egg timer ended before I restarted.", from)
		k.audible(played)
		b.subscribe().await("1 hearth/demo/timers", `[{"id":1,`, `"pasta"`)
		if status, out, stderr := k.ctl(t, "timers"); status != 0 || !strings.Contains(out, "pasta") || strings.Contains(out, "egg") {
			t.Errorf("%d, %q, %q", status, out, stderr)
		}
	}
	k.post("/v1/stop", struct{}{})
	if doc := k.turn("announcement"); !strings.Contains(doc.Answer, "egg timer ended before I restarted") || doc.Outcome != "stopped" {
		t.Errorf("%+v", doc)
	}
	if n := k.diary.count(func(h happening) bool { return h.Type == "timer_fired" }); n != 1 {
		t.Errorf("the egg timer was fired %d times", n)
	}
	check(t, k.Stop())
	if kept := k.kept(); len(kept) != 1 || kept[0].Label != "pasta" {
		t.Errorf("kept: %+v", kept)
	}
}

// pauses waits until the card has played something and then nothing loud for a
// third of a second.
func (k *kitchen) pauses() {
	k.t.Helper()
	from := k.played()
	k.audible(from)
	const third = 48000 * 2 / 3 // bytes
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		if now := k.played(); now-from > third && peak(k.sound(now-third)) < loud {
			return
		}
	}
	k.t.Fatal("the card never pauses")
}

// insists lets the person say words between two rounds of ringing until it ends:
// on a busy machine they may come too late and fall into the next round.
func (k *kitchen) insists(words string) {
	k.t.Helper()
	for range 5 {
		k.pauses()
		k.say(words)
		heard := time.After(3 * time.Second)
		for waiting := true; waiting; {
			_, ok, more := k.diary.next(func(h happening) bool { return h.Type == "ring_ended" })
			if ok {
				return
			}
			select {
			case <-more:
			case <-heard:
				waiting = false
			}
		}
	}
	k.t.Fatalf("it rings though %q was said", words)
}

func TestSpokenStopEndsWhatRings(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	k.ask("set an egg timer for 2 seconds")
	k.rings("the egg timer rings")
	k.insists("Hey hearth, stop.")
	if doc := k.turn("voice"); doc.Intent != "speaker_stop" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	k.moves("idle")
}

func TestWhileItRingsStopNeedsNoWakePhrase(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	k.ask("set an egg timer for 2 seconds")
	k.rings("the egg timer rings")
	k.insists("Stop the timer.")
	if doc := k.turn("voice"); doc.WokenBy != "ringing" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
}

func TestTypedStopEndsAnAlarmThatRangAtItsTime(t *testing.T) {
	k := newKitchen(t)
	at := time.Now().Add(25 * time.Second) // the start of the daemon may take long
	k.keeps(store.Timer{Kind: "alarm", Label: "bread", Ends: at})
	k.begin()
	if got := k.status().Timers; len(got) != 1 || got[0].Kind != "alarm" || got[0].Label != "bread" {
		t.Fatalf("%+v", got)
	}
	fired := k.rings("the alarm rings")
	if late := fired.Time.Sub(at); late < -time.Millisecond || fired.Missed {
		t.Errorf("it rang %v late", late)
	} else {
		t.Logf("it rang %v late", late)
	}
	if doc := k.ask("stop"); doc.Intent != "speaker_stop" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	k.event("it does not ring any more", func(h happening) bool { return h.Type == "ring_ended" })
	if got := k.status().Timers; len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// memory opens the memory of a daemon that does not run.
func (k *kitchen) memory() *store.Store {
	k.t.Helper()
	state := filepath.Join(k.dir, "state")
	check(k.t, os.MkdirAll(state, 0o700))
	s, err := store.Open(k.t.Context(), store.Options{Path: filepath.Join(state, "hearthd.db"), Log: slog.New(slog.DiscardHandler)})
	check(k.t, err)
	return s
}

// keeps puts a timer into the memory.
func (k *kitchen) keeps(timer store.Timer) {
	k.t.Helper()
	s := k.memory()
	_, err := s.AddTimers(k.t.Context(), timer)
	check(k.t, err)
	check(k.t, s.Close())
}

// kept gives the timers in the memory.
func (k *kitchen) kept() []store.Timer {
	k.t.Helper()
	s := k.memory()
	list, err := s.Timers(k.t.Context())
	check(k.t, err)
	check(k.t, s.Close())
	return list
}

func TestAnnouncementWaitsForTheTurnThatIsGoingOn(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	k.ask("set a timer for 20 minutes")
	k.turn("text")
	k.askAside("how much time is left")
	k.moves("speaking")
	if status, _, stderr := k.ctl(t, "announce", "dinner is ready"); status != 0 {
		t.Fatal(stderr)
	}
	if doc := k.turn("text"); doc.Intent != "timer_left" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	if doc := k.turn("announcement"); doc.Answer != "dinner is ready" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
}

func TestQuietHoursHoldWhatIsNotUrgent(t *testing.T) {
	now := time.Now()
	k := newKitchen(t, "HEARTHD_TOOLS_QUIET_HOURS="+now.Add(-time.Hour).Format("15:04")+"-"+now.Add(time.Hour).Format("15:04"))
	k.begin()
	if status, _, stderr := k.ctl(t, "announce", "the washing is done"); status != 1 || !strings.Contains(stderr, "quiet hours") {
		t.Errorf("%d, %q", status, stderr)
	}
	if status, _, stderr := k.ctl(t, "announce", "--urgent", "smoke"); status != 0 {
		t.Errorf("%d, %q", status, stderr)
	}
	if doc := k.turn("announcement"); doc.Answer != "smoke" {
		t.Errorf("%+v", doc)
	}
}

func TestWhichAlarmIsMeantIsAnsweredAloud(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	for answer, left := range map[string]string{"The one at seven.": "9", "The first one.": "9", "The nine one.": "7"} {
		k.ask("cancel all alarms")
		k.ask("set an alarm for seven am tomorrow")
		k.ask("set an alarm for nine am tomorrow")
		k.await("an idle box", func(s Status) bool { return s.State == "idle" })
		if doc := k.heard("Hey hearth, cancel the alarm."); !strings.HasSuffix(doc.Answer, "Which one should I cancel?") {
			t.Fatalf("%+v", doc)
		}
		k.moves("listening")
		if doc := k.heard(answer); doc.Intent != "answer_which" {
			t.Errorf("%s: %+v", answer, doc)
		}
		if doc := k.ask("what alarms do I have"); !strings.HasPrefix(doc.Answer, "You have an alarm for "+left+" AM") {
			t.Errorf("%s: %+v", answer, doc)
		}
	}
}
