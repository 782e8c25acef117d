package timer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/llm"
	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/timer"
)

// shelf fits the real store to timers, as the daemon does.
type shelf struct{ *memory.Store }

func (s shelf) AddTimer(ctx context.Context, t timer.Timer) (int64, error) {
	return s.Store.AddTimer(ctx, memory.Timer(t))
}

func (s shelf) Timers(ctx context.Context) ([]timer.Timer, error) {
	stored, err := s.Store.Timers(ctx)
	var all []timer.Timer
	for _, t := range stored {
		all = append(all, timer.Timer(t))
	}
	return all, err
}

// box is one run of the timers over a database that outlives it. It is made in
// a synctest bubble.
type box struct {
	t      *testing.T
	store  *memory.Store
	timers *timer.Timers
	exec   *tools.Executor
	stop   func()

	mu      sync.Mutex
	jump    time.Duration // how far the wall clock was set forward
	changes [][]timer.Timer
}

func start(t *testing.T, path string, jump time.Duration) *box {
	t.Helper()
	b := &box{t: t, jump: jump}
	log := slog.New(slog.DiscardHandler)
	var err error
	if b.store, err = memory.Open(t.Context(), memory.Options{Path: path, Log: log}); err != nil {
		t.Fatal(err)
	}
	b.timers, err = timer.New(timer.Options{Store: shelf{b.store}, Changed: b.changed, Now: b.now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	r := tools.NewRegistry()
	if err := r.Register(b.timers.Tools()...); err != nil {
		t.Fatal(err)
	}
	if b.exec, err = tools.NewExecutor(tools.ExecutorOptions{Registry: r, Log: log}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.timers.Run(ctx) }()
	b.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := b.store.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(b.stop)
	synctest.Wait()
	return b
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "hearthd.db") }

func (b *box) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Add(b.jump)
}

func (b *box) setClock(forward time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jump += forward
}

func (b *box) changed(list []timer.Timer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes = append(b.changes, list)
}

func (b *box) run(tool, args string) tools.Outcome {
	return b.exec.Run(b.t.Context(), llm.ToolCall{Name: tool, Arguments: json.RawMessage(args)})
}

func (b *box) expect(tool, args, want string) {
	b.t.Helper()
	if out := b.run(tool, args); out.Class != tools.OK || out.Result.Text != want {
		b.t.Errorf("%s %s: %s %q (%v), want %q", tool, args, out.Class, out.Result.Text, out.Err, want)
	}
}

// ring waits for the next event and says what it was and how long it took.
func (b *box) ring() (event timer.Event, after time.Duration) {
	began := time.Now()
	return <-b.timers.Fired(), time.Since(began)
}

func TestTimersAreSpokenOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.expect("timer_left", `{}`, "You have no timers.")
		b.expect("timer_cancel", `{"label":"egg"}`, "You have no timers.")
		b.expect("timer_set", `{"duration_s":600,"label":"pasta"}`, "Pasta timer set for ten minutes.")
		time.Sleep(3*time.Minute + 40*time.Second)
		b.expect("timer_left", `{}`, "Six minutes and twenty seconds left on the pasta timer.")
		b.expect("timer_left", `{"label":"the Pasta timer"}`, "Six minutes and twenty seconds left on the pasta timer.")
		b.expect("timer_left", `{"label":"egg"}`, "You have no egg timer. You have one timer: the pasta timer.")
		b.expect("timer_set", `{"duration_s":300}`, "Timer set for five minutes.")
		b.expect("timer_left", `{}`, "You have two timers. Five minutes left on the five minute timer. Six minutes and twenty seconds left on the pasta timer.")
		b.expect("timer_cancel", `{}`, "You have two timers: the five minute timer and the pasta timer. Which one should I cancel?")
		b.expect("timer_cancel", `{"label":"five-minute"}`, "The five minute timer is cancelled.")
		b.expect("timer_cancel", `{"label":"pasta"}`, "The pasta timer is cancelled.")
		b.expect("timer_set", `{"duration_s":1}`, "Timer set for one second.")
		b.expect("timer_left", `{}`, "One second left on the timer.")
		b.expect("timer_cancel", `{}`, "The timer is cancelled.")
	})
}

func TestSeveralTimersAreCancelledByNameOrAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		for i, label := range []string{"egg", "Eggs", "red rice", "brown rice"} {
			b.run("timer_set", fmt.Sprintf(`{"duration_s":%d,"label":%q}`, 60*(i+1), label))
		}
		b.expect("timer_cancel", `{"label":"rice"}`, "You have two timers: the red rice timer and the brown rice timer. Which one should I cancel?")
		b.expect("timer_cancel", `{"label":"eggs"}`, "Two egg timers are cancelled.")
		b.expect("timer_cancel", `{"label":"red"}`, "The red rice timer is cancelled.")
		b.run("timer_set", `{"duration_s":60}`)
		b.expect("timer_cancel", `{"all":true}`, "Both timers are cancelled.")
		for range 3 {
			b.run("timer_set", `{"duration_s":60}`)
		}
		b.expect("timer_cancel", `{"all":true}`, "All three timers are cancelled.")
		b.expect("timer_cancel", `{"all":true}`, "You have no timers.")
	})
}

func TestManyTimersAreToldInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		for i := range 5 {
			b.run("timer_set", fmt.Sprintf(`{"duration_s":%d}`, 60*(i+1)))
		}
		b.expect("timer_left", `{}`, "You have five timers. One minute left on the one minute timer. Two minutes left on the two minute timer. "+
			"Three minutes left on the three minute timer. Four minutes left on the four minute timer. One more ends later.")
	})
}

func TestTimersRingInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		for _, want := range []struct {
			label, spoken string
			after         time.Duration
		}{{"egg", "The egg timer is done.", time.Minute}, {"pasta", "The pasta timer is done.", 9 * time.Minute}} {
			event, after := b.ring()
			if event.Timer.Label != want.label || event.Missed || after != want.after || event.Spoken() != want.spoken {
				t.Errorf("after %v: %+v", after, event)
			}
		}
		synctest.Wait()
		if stored, err := b.store.Timers(t.Context()); err != nil || len(stored) != 0 {
			t.Errorf("still stored: %v, %v", stored, err)
		}
	})
}

func TestSetClockDoesNotMoveARunningTimer(t *testing.T) {
	for _, jump := range []time.Duration{-30 * time.Hour, 26 * 365 * 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			b := start(t, newPath(t), 0)
			b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
			time.Sleep(time.Minute)
			b.setClock(jump)
			time.Sleep(time.Minute) // Run meets the new clock
			b.expect("timer_left", `{}`, "Eight minutes left on the pasta timer.")
			stored, err := b.store.Timers(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := time.UnixMilli(b.now().Add(8 * time.Minute).UnixMilli())
			if !stored[0].Ends.Equal(want) || !b.timers.List()[0].Ends.Equal(want) {
				t.Errorf("ends %v and %v, want %v", stored[0].Ends, b.timers.List()[0].Ends, want)
			}
			if _, after := b.ring(); after != 8*time.Minute {
				t.Errorf("rang after %v", after)
			}
		})
	}
}

func TestTimerSurvivesARestart(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := start(t, path, 0)
		b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		b.stop()
		time.Sleep(2 * time.Minute)
		b = start(t, path, 0)
		event, after := b.ring()
		if event.Timer.Label != "egg" || !event.Missed || after != 0 || event.Spoken() != "The egg timer ended while I was off." {
			t.Errorf("after %v: %+v", after, event)
		}
		b.expect("timer_left", `{}`, "Eight minutes left on the pasta timer.")
		if event, after := b.ring(); event.Timer.Label != "pasta" || event.Missed || after != 8*time.Minute {
			t.Errorf("after %v: %+v", after, event)
		}
	})
}

func TestClockBehindAfterARestartMakesNoTimerLonger(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := start(t, path, 0)
		b.run("timer_set", `{"duration_s":600}`)
		b.stop()
		b = start(t, path, -20*365*24*time.Hour)
		if _, after := b.ring(); after != 10*time.Minute {
			t.Errorf("rang after %v", after)
		}
	})
}

func TestEventThatNobodyReceivedIsReportedAfterARestart(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := start(t, path, 0)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		time.Sleep(2 * time.Minute)
		b.stop()
		b = start(t, path, 0)
		if event, _ := b.ring(); event.Timer.Label != "egg" || !event.Missed {
			t.Errorf("%+v", event)
		}
	})
}

func TestObserverIsToldOfEveryChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		b.ring()
		b.run("timer_cancel", `{}`)
		b.mu.Lock()
		defer b.mu.Unlock()
		var got [][]string
		for _, list := range b.changes {
			labels := []string{}
			for _, l := range list {
				labels = append(labels, l.Label)
			}
			got = append(got, labels)
		}
		if diff := cmp.Diff([][]string{{}, {"pasta"}, {"egg", "pasta"}, {"pasta"}, {}}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTimersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		for range 50 {
			b.run("timer_set", `{"duration_s":60}`)
		}
		b.expect("timer_set", `{"duration_s":60}`, "You already have fifty timers, so I did not set another.")
		if n := len(b.timers.List()); n != 50 {
			t.Errorf("%d timers", n)
		}
		for _, args := range []string{`{"duration_s":0}`, `{"duration_s":86401}`, `{"label":"pasta"}`, `{"duration_s":60,"label":"` + fmt.Sprintf("%041d", 0) + `"}`} {
			if out := b.run("timer_set", args); out.Class != tools.BadArguments {
				t.Errorf("%s: %+v", args, out)
			}
		}
	})
}

func TestTimerThatCannotBeSavedIsNotSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		if err := b.store.Close(); err != nil {
			t.Fatal(err)
		}
		if out := b.run("timer_set", `{"duration_s":60}`); out.Class != tools.Failed || out.Spoken() != "Sorry, I could not save the timer, so it is not set." {
			t.Errorf("%+v", out)
		}
		if out := b.run("timer_cancel", `{}`); out.Class != tools.Failed || out.Spoken() != "Sorry, I could not cancel that." {
			t.Errorf("%+v", out)
		}
		if n := len(b.timers.List()); n != 1 {
			t.Errorf("%d timers", n)
		}
		if event, after := b.ring(); event.Timer.Label != "egg" || after != time.Minute {
			t.Errorf("a running timer needs the store to ring: %+v after %v", event, after)
		}
	})
}

func TestUnreadableStoreEndsRun(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	store, err := memory.Open(t.Context(), memory.Options{Path: newPath(t), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	timers, err := timer.New(timer.Options{Store: shelf{store}, Log: log})
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	if err := timers.Run(t.Context()); err == nil {
		t.Error("timers ran without their store")
	}
	if _, err := timer.New(timer.Options{}); err == nil {
		t.Error("timers were made without a store")
	}
}
