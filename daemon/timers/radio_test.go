package timers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/tools/timer"
)

// air is a radio with stations that do not begin, and one that is lost after a while.
type air struct {
	mu     sync.Mutex
	lostAt time.Time
	share  int
	ended  bool
}

func (a *air) WakeWith(ctx context.Context, station string) error {
	switch station {
	case "Dead":
		return errors.New("nothing is there")
	case "Slow":
		<-ctx.Done()
		return ctx.Err()
	}
	a.Swell(softest)
	a.mu.Lock()
	defer a.mu.Unlock()
	if station == "Lost" {
		a.lostAt = time.Now().Add(time.Minute)
	}
	return nil
}

func (a *air) Swell(share int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.share = share
}

// at is the share at which it plays.
func (a *air) at() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.share
}

func (a *air) stopped() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}

func (a *air) Waking() (sounds, ended bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lostAt.IsZero() || time.Now().Before(a.lostAt), a.ended
}

func (a *air) Stop() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	return true
}

// ringing is a dialogue that notes what rings, and when.
type ringing struct{ at map[int64]time.Time }

func (r ringing) Ring(_ context.Context, ids, _ []int64) error {
	for _, id := range ids {
		r.at[id] = time.Now()
	}
	return nil
}

func (r ringing) Silence(context.Context, []int64) ([]int64, error) { return nil, nil }

// room has a bell with a radio.
type room struct {
	t     *testing.T
	bell  bell
	radio *air
	rang  ringing
	over  []int64
}

func withRadio(t *testing.T, do func(r *room)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		speaker := make(chan struct{})
		close(speaker)
		r := &room{t: t, bell: newBell(event.NewBus(), time.UTC, slog.New(slog.DiscardHandler)), radio: &air{},
			rang: ringing{map[int64]time.Time{}}}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			done <- r.bell.run(ctx, sounders{r.rang, r.radio, speaker, func(ids []int64) { r.over = append(r.over, ids...) }})
		}()
		do(r)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func alarm(id int64, station string) []timer.Event {
	return []timer.Event{{Timer: timer.Timer{ID: id, Kind: timer.Alarm, Do: station}}}
}

func TestAlarmRingsByItselfWithinSecondsWhereItsStationIsDead(t *testing.T) {
	for station, within := range map[string]time.Duration{"Dead": 0, "Slow": patience, "Lost": time.Minute + deaf*look} {
		withRadio(t, func(r *room) {
			from := time.Now()
			r.bell.Ring(alarm(7, station))
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if at, rang := r.rang.at[7]; !rang || at.Sub(from) > within || len(r.over) > 0 {
				t.Errorf("%s: rang %v after %v, want within %v; over %v", station, rang, at.Sub(from), within, r.over)
			}
		})
	}
}

func TestStationThatWakesSwellsAndCountsAsRingingUntilItIsEnded(t *testing.T) {
	for why, end := range map[string]func(r *room){
		"a person stops it":  func(r *room) { r.radio.Stop() },
		"nobody stops it":    func(*room) { time.Sleep(wakes) },
		"the alarm is ended": func(r *room) { r.silence([]int64{7}) },
		"all is silenced":    func(r *room) { r.silence(nil) },
	} {
		withRadio(t, func(r *room) {
			r.bell.Ring(alarm(7, "FM4"))
			time.Sleep(look + time.Millisecond)
			if synctest.Wait(); r.radio.at() != softest+swell || len(r.over) > 0 || !r.bell.waking.Load() {
				t.Errorf("%s: at %d percent, over %v, waking %v", why, r.radio.at(), r.over, r.bell.waking.Load())
			}
			time.Sleep(time.Minute)
			if synctest.Wait(); r.radio.at() != 100 {
				t.Errorf("%s: at %d percent after a minute", why, r.radio.at())
			}
			end(r)
			time.Sleep(look)
			synctest.Wait()
			if !slices.Equal(r.over, []int64{7}) || len(r.rang.at) > 0 || r.bell.waking.Load() {
				t.Errorf("%s: over %v, rang %v, waking %v", why, r.over, r.rang.at, r.bell.waking.Load())
			}
		})
	}
}

func (r *room) silence(ids []int64) {
	r.t.Helper()
	rang, err := r.bell.Silence(r.t.Context(), ids)
	if diff := cmp.Diff([]int64{7}, rang); diff != "" || err != nil || !r.radio.stopped() {
		r.t.Errorf("%s, %v, radio ended: %v", diff, err, r.radio.stopped())
	}
}

func TestOfSeveralAlarmsTheLastOneIsLookedAfterAndTimersRingBesideIt(t *testing.T) {
	withRadio(t, func(r *room) {
		r.bell.Ring(alarm(7, "FM4"))
		time.Sleep(time.Minute)
		r.bell.Ring(append(alarm(8, "FM4"), timer.Event{Timer: timer.Timer{ID: 9, Kind: timer.Countdown}}))
		synctest.Wait()
		if !slices.Equal(r.over, []int64{7}) || r.rang.at[9].IsZero() || len(r.rang.at) > 1 {
			t.Errorf("over %v, rang %v", r.over, r.rang.at)
		}
	})
}
