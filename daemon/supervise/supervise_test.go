package supervise

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// diary is what parts write down, with the fake time since it was begun.
type diary struct {
	mu    sync.Mutex
	begun time.Time
	lines []string
}

func newDiary() *diary { return &diary{begun: time.Now()} }

func (d *diary) add(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, time.Since(d.begun).String()+" "+what)
}

func (d *diary) expect(t *testing.T, want ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if diff := cmp.Diff(want, d.lines); diff != "" {
		t.Errorf("diary (-want +got):\n%s", diff)
	}
}

// obedient ends takes after it was told to.
func obedient(d *diary, name string, takes time.Duration) Part {
	return Part{Name: name, Run: func(ctx context.Context) error {
		<-ctx.Done()
		time.Sleep(takes)
		d.add(name + " ended")
		return nil
	}}
}

// deaf does not end until release is closed.
func deaf(name string, release <-chan struct{}) Part {
	return Part{Name: name, Run: func(context.Context) error {
		<-release
		return nil
	}}
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// parts are to run together.
type parts []Part

func group(list ...Part) parts { return list }

func (g parts) Run(ctx context.Context) error { return Run(ctx, silent(), g...) }

func runFor(t *testing.T, g parts, d time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	return g.Run(ctx)
}

func TestPartsStopFromTheLastToTheFirstEachAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		g := group(obedient(d, "store", 0), obedient(d, "voice", 300*time.Millisecond),
			obedient(d, "ears", 500*time.Millisecond))
		if err := runFor(t, g, time.Hour); err != nil {
			t.Error(err)
		}
		d.expect(t, "1h0m0.5s ears ended", "1h0m0.8s voice ended", "1h0m0.8s store ended")
	})
}

func TestFatalPartEndsTheGroupAndTheOthersAreStopped(t *testing.T) {
	broken := errors.New("the card is gone")
	for name, end := range map[string]error{"run ears: the card is gone": broken, "run ears: ended by itself": nil} {
		synctest.Test(t, func(t *testing.T) {
			d := newDiary()
			ears := Part{Name: "ears", Run: func(context.Context) error {
				time.Sleep(time.Second)
				return end
			}}
			err := group(obedient(d, "store", 0), ears, obedient(d, "voice", 0)).Run(t.Context())
			if err == nil || err.Error() != name || end != nil && !errors.Is(err, end) {
				t.Errorf("error %q, want %q", err, name)
			}
			d.expect(t, "1s voice ended", "1s store ended")
		})
	}
}

func TestErrorsOfStoppingAreJoinedToTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := errors.New("driver does not return"), errors.New("disk full")
		g := group(
			Part{Name: "store", Run: func(ctx context.Context) error { <-ctx.Done(); return second }},
			Part{Name: "obedient", Run: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
			Part{Name: "ears", Run: func(context.Context) error { return first }},
		)
		err := g.Run(t.Context())
		if err == nil || err.Error() != "run ears: driver does not return\nstop store: disk full" {
			t.Errorf("error %q", err)
		}
	})
}

func TestRestartedPartComesBackWithAPauseThatDoubles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		runs := 0
		var out bytes.Buffer
		p := Part{Name: "mqtt", Policy: Restart, Run: func(ctx context.Context) error {
			d.add("run")
			switch runs++; runs {
			case 4: // healthy for a while, so that the pause begins again
				time.Sleep(healthyRun + time.Second)
				return nil
			case 6:
				<-ctx.Done()
				return nil
			}
			return errors.New("no broker")
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if err := Run(ctx, slog.New(slog.NewTextHandler(&out, nil)), p); err != nil {
			t.Error(err)
		}
		d.expect(t, "0s run", "100ms run", "300ms run", "700ms run", "1m1.8s run", "1m2s run")
		for _, want := range []string{
			`level=WARN msg="part ended, restarting it" component=mqtt error="no broker" pause_ms=100`,
			`error="ended by itself" pause_ms=100`,
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the log lacks %q:\n%s", want, out.String())
			}
		}
		if n := strings.Count(out.String(), "no broker"); n != 2 { // before it was well for a while, and after
			t.Errorf("an unchanged reason is told %d times:\n%s", n, out.String())
		}
	})
}

func TestPauseGrowsToHalfAMinuteAndTheGroupStopsInIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs []time.Time
		g := group(Part{Name: "mqtt", Policy: Restart, Run: func(context.Context) error {
			runs = append(runs, time.Now())
			return errors.New("no broker")
		}})
		begun := time.Now()
		if err := runFor(t, g, time.Hour); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took != time.Hour {
			t.Errorf("ended after %v, want at once", took)
		}
		n := len(runs) // ten in the first 51.1 s, then one every 30 s
		if last := runs[n-1].Sub(runs[n-2]); last != lastPause || n != 128 {
			t.Errorf("%d runs, last pause %v, want 128 and %v", n, last, lastPause)
		}
	})
}

func TestPanicOfAPartIsAnErrorThatShowsWhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var nowhere map[string]int
		err := group(Part{Name: "ears", Run: func(context.Context) error {
			nowhere["x"] = 1
			return nil
		}}).Run(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), "run ears: panic: assignment to entry in nil map\n") ||
			!strings.Contains(err.Error(), "supervise_test.go") {
			t.Errorf("error %v", err)
		}
		var runs atomic.Int32
		g := group(Part{Name: "mqtt", Policy: Restart, Run: func(ctx context.Context) error {
			if runs.Add(1) == 1 {
				panic("once")
			}
			<-ctx.Done()
			return nil
		}})
		if err := runFor(t, g, time.Minute); err != nil || runs.Load() != 2 {
			t.Errorf("error %v after %d runs, want none after 2", err, runs.Load())
		}
	})
}
