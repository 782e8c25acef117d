package timer_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/memory"
	"hearthd/tools/timer"
)

func TestWhatRangWhenTheBoxWentOffRingsOn(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := start(t, path, 0)
		b.run("timer_set", `{"duration_s":60,"label":"egg","more":[{"duration_s":60,"label":"tea"},{"duration_s":600}]}`)
		b.ring()
		b.ring()
		b.expect("timer_cancel", `{"label":"tea"}`, "Okay.")
		b.stop()
		time.Sleep(time.Minute)
		b = start(t, path, 0)
		event, after := b.ring()
		if event.Timer.Label != "egg" || !event.Again || event.Once || after != 0 || b.spoken(event) != "The egg timer ended before I restarted." {
			t.Errorf("%+v after %v: %s", event, after, b.spoken(event))
		}
		if list := b.timers.List(); len(list) != 1 || list[0].Length != 10*time.Minute {
			t.Errorf("to ring: %+v", list)
		}
		b.stop()
		time.Sleep(20 * time.Minute)
		b = start(t, path, 0)
		if event, _ := b.ring(); event.Timer.Label != "egg" || !event.Again || !event.Once {
			t.Errorf("%+v", event)
		}
		if event, _ := b.ring(); event.Timer.Label != "" || !event.Missed || !event.Once {
			t.Errorf("%+v", event)
		}
		b.silenced()
		b.stop()
		b = start(t, path, 0)
		b.quiet(time.Hour)
	})
}

func TestSnoozeIsStoredBeforeTheAlarmIsSilent(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := start(t, path, 0)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		b.ring()
		ended := b.bell.ended
		b.bell.ended = func(ids []int64) {
			if stored, err := b.store.Timers(t.Context()); err != nil || len(stored) != 2 {
				t.Errorf("stored %+v, %v", stored, err)
			}
			ended(ids)
		}
		b.expect("alarm_snooze", `{}`, "Okay, egg again in nine minutes.")
	})
}

// stuck is a store that does not answer until it is let.
type stuck struct {
	shelf
	let chan struct{}
}

func (s stuck) ChangeTimers(ctx context.Context, changed []timer.Timer, gone []int64) error {
	select {
	case <-s.let:
		return s.shelf.ChangeTimers(ctx, changed, gone)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestStuckStoreDelaysNothingThatRings(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		store, err := memory.Open(t.Context(), memory.Options{Path: path, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		s := stuck{shelf{store}, make(chan struct{})}
		var list []timer.Timer
		for i := range 100 {
			list = append(list, timer.Timer{Kind: timer.Countdown, Length: time.Hour, Ends: time.Now().Add(time.Second + time.Duration(i)*30*time.Millisecond)})
		}
		if _, err := s.AddTimers(t.Context(), list...); err != nil {
			t.Fatal(err)
		}
		bell := newGong()
		set := make(chan struct{})
		timers, err := timer.New(timer.Options{
			Store: s, Bell: bell, Location: time.UTC, Snooze: time.Minute, ClockSet: set, Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- timers.Run(ctx) }()
		for range 100 {
			events := <-bell.fired
			if late := time.Since(events[0].Timer.Ends); len(events) != 1 || late != 75*time.Millisecond {
				t.Fatalf("%d rang %v late", len(events), late)
			}
		}
		if !strings.Contains(log.String(), "timers ring before that is stored") {
			t.Errorf("the log says %s", log.String())
		}
		close(s.let)
		time.Sleep(10 * time.Second) // it is tried again
		synctest.Wait()
		stored, err := store.Timers(t.Context())
		if err != nil || len(stored) != 100 || stored[99].Rang.IsZero() {
			t.Errorf("%d stored, the last %+v (%v)", len(stored), stored[len(stored)-1], err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// full is a store that refuses every change.
type full struct {
	shelf
	asked int
}

func (s *full) ChangeTimers(context.Context, []timer.Timer, []int64) error {
	s.asked++
	return memory.ErrFull
}

func TestFullStoreIsAskedNowAndThen(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		store, err := memory.Open(t.Context(), memory.Options{Path: path, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		s := &full{shelf: shelf{store}}
		list := make([]timer.Timer, 250)
		for i := range list {
			list[i] = timer.Timer{Kind: timer.Countdown, Length: time.Hour, Ends: time.Now().Add(time.Hour)}
		}
		if _, err := s.AddTimers(t.Context(), list...); err != nil {
			t.Fatal(err)
		}
		boot := func() (int64, time.Duration) { return 7, 0 } // which no row has
		timers, err := timer.New(timer.Options{Store: s, Bell: newGong(), Location: time.UTC, Snooze: time.Minute, Boot: boot, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 31*time.Second)
		defer cancel()
		if err := timers.Run(ctx); err != nil || s.asked < 10 || s.asked > 20 {
			t.Errorf("asked %d times, %v", s.asked, err)
		}
	})
}
