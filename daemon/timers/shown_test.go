package timers

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/memory"
	"hearthd/rigs/memorytest"
	"hearthd/tools/phrase"
	"hearthd/tools/timer"
)

// Of an alarm Timer.Do is a station, of an order the call, which nobody outside needs.
func TestStationIsShownOfAlarmsOnly(t *testing.T) {
	got := shown([]timer.Timer{{Kind: timer.Alarm, Do: "FM4"}, {Kind: timer.Order, Do: "{}"}, {Kind: timer.Alarm}}, time.UTC)
	for i, want := range []string{"FM4", "", ""} {
		if got[i].Station != want {
			t.Errorf("%s number %d has the station %q, want %q", got[i].Kind, i, got[i].Station, want)
		}
	}
}

func TestTimesAreThoseOfTheHousehold(t *testing.T) {
	at := time.Date(2026, 11, 28, 17, 0, 0, 0, time.UTC)
	for _, of := range []timer.Timer{{Kind: timer.Reminder, Ends: at}, {Kind: timer.Countdown, Left: time.Minute}} {
		got := shown([]timer.Timer{of}, time.FixedZone("Vienna", 3600))[0].Ends
		if _, offset := got.Zone(); offset != 3600 || of.Left == 0 && !got.Equal(at) {
			t.Errorf("%s is shown for %s", of.Kind, got)
		}
	}
}

// Conditions stand in the journal and in the status of the unit, where nothing is that somebody said.
func TestConditionOfWhatNobodyHeardHasNoWordsOfIt(t *testing.T) {
	store := memorytest.Open(t)
	at := time.Now().Add(-time.Hour)
	if _, err := store.AddTimers(t.Context(), memory.Timer{Kind: "reminder", Label: "to call the oncologist", Ends: at, Unheard: at}); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		bus := event.NewBus()
		conditions := health.New(bus)
		list, err := New(Options{Store: store, Bus: bus, Conditions: conditions, Location: time.UTC, Book: phrase.English(),
			Snooze: time.Minute, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- list.Run(ctx) }()
		synctest.Wait()
		if !strings.Contains(list.Unheard(), "oncologist") {
			t.Errorf("it is not told: %q", list.Unheard())
		}
		if all := conditions.List(); len(all) != 1 || all[0].Code != "unheard" || strings.Contains(all[0].Text, "oncologist") {
			t.Errorf("%+v", all)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
