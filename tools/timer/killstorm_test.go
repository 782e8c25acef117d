package timer_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"hearthd/memory"
	"hearthd/tools/timer"
)

// tally is what a storm rang.
type tally struct {
	due     map[int64]time.Time // of what was set for a length of time, on a clock that nobody sets
	rang    map[string]int      // by id, and end of what repeats
	daily   map[int64]bool      // what repeats
	lates   []time.Duration
	missed  int
	again   int
	twice   int
	unsafe  int // rang before that was stored
	unheard int // rang on after a kill, with no event before
}

func (y *tally) take(t *testing.T, v *victim) {
	lines, unsafe := v.kill(t)
	y.unsafe += unsafe
	for _, line := range lines {
		var what string
		var id, end, now int64
		if _, err := fmt.Sscan(line, &what, &id, &end, &now); err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		key := fmt.Sprint(id)
		if y.daily[id] {
			key = fmt.Sprint(id, " ", end)
		}
		if what == "again" {
			y.again++
			if y.rang[key] == 0 {
				y.unheard++
				y.rang[key]++
			}
			continue
		}
		if y.rang[key]++; y.rang[key] > 1 {
			y.twice++
		}
		if what == "missed" {
			y.missed++
			continue
		}
		if due, ok := y.due[id]; ok {
			late := time.UnixMicro(now).Sub(due)
			y.lates = append(y.lates, late)
			if late < -100*time.Millisecond { // the process may have stood between two clocks that it reads
				t.Errorf("rang %v too early: %s", -late, line)
			}
		}
	}
}

// TestEveryTimerOfAStormRingsOnceThoughTheProcessIsKilled lets 1,000 timers and
// alarms end while the process is killed 20 times and its clock is set back and
// forth across both days on which the hour changes.
func TestEveryTimerOfAStormRingsOnceThoughTheProcessIsKilled(t *testing.T) {
	const kills = 20
	path := newPath(t)
	zone := berlin(t)
	spring := time.Date(2027, 3, 28, 1, 59, 56, 0, zone)
	autumn := time.Date(2027, 10, 31, 2, 59, 56, 0, zone)
	began := time.Now()
	ahead := spring.Sub(began) // of the clock of the box
	y := &tally{due: map[int64]time.Time{}, rang: map[string]int{}, daily: map[int64]bool{}}

	s, err := memory.Open(t.Context(), memory.Options{Path: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var all []timer.Timer
	soon := func(within time.Duration) time.Duration {
		return 500*time.Millisecond + rand.N(within).Round(time.Millisecond)
	}
	for i := range 1000 {
		e := timer.Timer{Kind: timer.Countdown, Length: time.Hour}
		switch {
		case i < 500:
			e.Ends = began.Add(ahead).Add(soon(9 * time.Second))
		case i < 700: // many at one moment
			e.Ends = began.Add(ahead).Add(time.Duration(1+i%8) * time.Second)
		case i < 800:
			e.Left, e.Ends = soon(time.Second), began.Add(ahead)
		case i < 950:
			e.Kind, e.Length, e.Ends = timer.Alarm, 0, []time.Time{spring, autumn}[i%2].Add(soon(5*time.Second))
		default:
			at := spring.AddDate(0, 0, -1).Add(soon(4 * time.Second))
			e.Kind, e.Length, e.Repeat = timer.Alarm, 0, "FREQ=DAILY"
			e.Starts = time.Date(2027, 3, 27, at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
			e.Ends = at.AddDate(0, 0, 1)
		}
		if e.Length > 0 && e.Left == 0 { // as if it had been asked for
			boot, since := sinceBoot()
			e.Boot, e.Due = boot, since+time.Until(e.Ends.Add(-ahead))
		}
		all = append(all, e)
	}
	ids, err := (shelf{s}).AddTimers(t.Context(), all...)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if e := all[i]; e.Repeat != "" {
			y.daily[id] = true
		} else if e.Kind == timer.Countdown && e.Left == 0 {
			y.due[id] = e.Ends.Add(-ahead)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// How far the clock is set while the process runs, and while it is dead. Half
	// way, the box is in autumn.
	jumps := map[int]time.Duration{
		2: time.Hour, 3: -3 * time.Hour, 5: 2 * time.Hour, 8: autumn.Sub(spring), 10: -time.Hour, 11: time.Hour, 13: 3 * time.Hour, 14: -3 * time.Hour,
	}
	dead := map[int]time.Duration{4: time.Hour, 6: -time.Hour, 12: -2 * time.Hour, 15: 2 * time.Hour}
	for n := range kills {
		v := begin(t, path, ahead)
		time.Sleep(rand.N(400 * time.Millisecond))
		if by := jumps[n]; by != 0 {
			ahead += by
			v.order(t, "clock", ahead)
		}
		if n == 7 || n == 8 { // it may be killed before it obeys
			v.order(t, "resume", 0)
		}
		time.Sleep(rand.N(400 * time.Millisecond))
		y.take(t, v)
		ahead += dead[n]
	}
	v := begin(t, path, ahead)
	v.order(t, "resume", 0) // where nobody has obeyed yet
	// All ends within ten seconds of began; the last process needs time of its own where the
	// kills took as long as that.
	time.Sleep(max(time.Until(began.Add(12*time.Second)), 5*time.Second))
	y.take(t, v)

	if y.twice > y.unsafe { // on a machine that does not get round to it within patience
		t.Errorf("%d rang twice, and %d before that was stored", y.twice, y.unsafe)
	}
	lost := 0
	for i, id := range ids {
		if !y.daily[id] && y.rang[fmt.Sprint(id)] == 0 {
			lost++
			t.Errorf("never rang: %+v", all[i])
		}
	}
	if len(y.lates) == 0 {
		t.Fatal("nothing rang on time")
	}
	slices.Sort(y.lates)
	at := func(of int) time.Duration { return y.lates[(len(y.lates)-1)*of/100].Round(10 * time.Microsecond) }
	t.Logf("%d kills, %d rang twice (%d before that was stored), %d lost, %d missed while nobody ran, %d rang on after a kill, of them %d whose event was lost; %d timers on time: late median %v, p99 %v, worst %v",
		kills, y.twice, y.unsafe, lost, y.missed, y.again, y.unheard, len(y.lates), at(50), at(99), at(100))
}
