package timer_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/timer"
)

// late is how late anything may ring that the clock did not jump over.
const late = 100 * time.Millisecond

// TestStormOfTimersRingsEachOnceWhileTheClockIsSetBackAndForth sets 1,000 timers
// and alarms over two days in which the clocks change, and sets the wall clock
// every few minutes by up to three hours in either direction.
func TestStormOfTimersRingsEachOnceWhileTheClockIsSetBackAndForth(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		b := startIn(t, path, 0, berlin(t), false)
		b.at("2027-10-30T12:00:00+02:00") // summer ends in the night
		due := map[int64]time.Time{}      // monotonic; of the alarms there is none
		want := map[int64]bool{}
		for i := range 1000 {
			if i%2 == 0 {
				length := time.Duration(1+random.IntN(36*3600)) * time.Second
				b.run("timer_set", fmt.Sprintf(`{"duration_s":%d}`, int(length.Seconds())))
				continue
			}
			day := []string{"tomorrow", "day after tomorrow"}[random.IntN(2)]
			b.run("alarm_set", fmt.Sprintf(`{"time":"%02d:%02d","day":%q}`, random.IntN(24), random.IntN(60), day))
		}
		for _, e := range b.timers.List() {
			want[e.ID] = true
			if e.Length > 0 {
				due[e.ID] = time.Now().Add(e.Length)
			}
		}
		if len(want) != 1000 {
			t.Fatalf("%d timers", len(want))
		}
		end := time.After(5 * 24 * time.Hour)
		jumped := time.Now()
		for len(want) > 0 {
			select {
			case events := <-b.timers.Fired():
				for _, e := range events {
					if !want[e.Timer.ID] {
						t.Fatalf("rang twice, or was never set: %+v", e)
					}
					delete(want, e.Timer.ID)
					mono, wall := time.Since(due[e.Timer.ID]), b.now().Sub(e.Timer.Ends)
					switch {
					case e.Timer.Length > 0 && (mono < 0 || mono > late):
						t.Errorf("timer rang %v late: %+v", mono, e)
					case e.Timer.Length == 0 && wall < 0, e.Timer.Length == 0 && wall > late && time.Since(jumped) > late:
						t.Errorf("alarm rang %v late: %+v", wall, e)
					}
				}
			case <-time.After(time.Duration(60+random.IntN(600)) * time.Second):
				jumped = time.Now()
				b.shift(time.Duration(random.IntN(6*3600)-3*3600) * time.Second)
			case <-end:
				t.Fatalf("%d never rang", len(want))
			}
		}
	})
}

// TestStormOfTimersAtOneMomentIsOneEvent looks at the moment in which 1,000
// timers end: nothing is left for later.
func TestStormOfTimersAtOneMomentIsOneEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		more := strings.Repeat(`,{"duration_s":60}`, 19)
		for range 50 {
			b.run("timer_set", `{"duration_s":60,"more":[`+more[1:]+`]}`)
		}
		if events := <-b.timers.Fired(); len(events) != 1000 {
			t.Errorf("%d events", len(events))
		}
	})
}

const ringerEnv = "HEARTHD_TEST_RINGER"

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv(ringerEnv); path != "" {
		if err := ringUntilKilled(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// telling is a shelf that prints the ids that it has forgotten.
type telling struct{ shelf }

func (s telling) ChangeTimers(ctx context.Context, list []timer.Timer, gone []int64) error {
	err := s.shelf.ChangeTimers(ctx, list, gone)
	if err == nil {
		var lines strings.Builder
		for _, id := range gone {
			fmt.Fprintln(&lines, "gone", id, 0)
		}
		fmt.Print(lines.String())
	}
	return err
}

// ringUntilKilled rings stored timers and prints "rang" with their ids and how late
// they are in microseconds, or "missed", and "gone" once they are forgotten.
func ringUntilKilled(path string) error {
	ctx := context.Background()
	log := slog.New(slog.DiscardHandler)
	s, err := memory.Open(ctx, memory.Options{Path: path, Log: log})
	if err != nil {
		return err
	}
	timers, err := timer.New(timer.Options{Store: telling{shelf{s}}, Bell: &gong{}, Location: time.UTC, Snooze: time.Minute, Log: log})
	if err != nil {
		return err
	}
	go timers.Run(ctx)
	for events := range timers.Fired() {
		var lines strings.Builder
		for _, e := range events {
			how := strconv.FormatInt(time.Since(e.Timer.Ends).Microseconds(), 10)
			if e.Missed {
				how = "missed"
			}
			fmt.Fprintln(&lines, "rang", e.Timer.ID, how)
		}
		fmt.Print(lines.String())
	}
	return nil
}

// TestEveryTimerOfAStormRingsThoughTheProcessIsKilled lets 1,000 timers end within
// three seconds and kills the process again and again. What had rung and was not
// yet forgotten when the process died rings once more, and nothing else does.
func TestEveryTimerOfAStormRingsThoughTheProcessIsKilled(t *testing.T) {
	path := newPath(t)
	s, err := memory.Open(t.Context(), memory.Options{Path: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var all []timer.Timer
	from := time.Now().Add(500 * time.Millisecond)
	for i := range 1000 {
		length := 3 * time.Second
		all = append(all, timer.Timer{Kind: timer.Countdown, Length: length, Ends: from.Add(time.Duration(i) * 3 * time.Millisecond)})
	}
	if _, err := (shelf{s}).AddTimers(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	rang, gone := map[int64]bool{}, map[int64]bool{}
	var lates []time.Duration
	kills, twice, missed := 0, 0, 0
	for len(rang) < len(all) {
		lines := killedRinger(t, path, min(1+rand.IntN(250), len(all)-len(rang)))
		for _, r := range lines {
			switch {
			case r.gone:
				continue
			case gone[r.id]:
				t.Errorf("timer %d rang again though it was forgotten", r.id)
			case rang[r.id]:
				twice++
			case r.missed:
				missed++
			default:
				lates = append(lates, r.late)
			}
		}
		for _, r := range lines { // only now: what is forgotten may be printed before what rang
			rang[r.id] = true
			gone[r.id] = gone[r.id] || r.gone
		}
		if kills++; kills > len(all) {
			t.Fatalf("%d of %d rang", len(rang), len(all))
		}
	}
	slices.Sort(lates)
	t.Logf("%d kills: %d rang on time, %d were missed while nobody ran, %d rang twice around a kill; late: median %v, worst %v",
		kills, len(lates), missed, twice, lates[len(lates)/2], lates[len(lates)-1])
}

type ringing struct {
	id     int64
	gone   bool // it was forgotten, and did not ring
	missed bool
	late   time.Duration
}

// killedRinger runs a process that rings, kills it after n rings, and gives all
// that rang before it died.
func killedRinger(t *testing.T, path string, n int) []ringing {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), ringerEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all []ringing
	rings := 0
	for in := bufio.NewScanner(out); in.Scan(); {
		var id int64
		var what, how string
		if _, err := fmt.Sscan(in.Text(), &what, &id, &how); err != nil {
			t.Fatalf("%q: %v", in.Text(), err)
		}
		us, _ := strconv.ParseInt(how, 10, 64)
		all = append(all, ringing{id, what == "gone", how == "missed", time.Duration(us) * time.Microsecond})
		if what == "gone" {
			continue
		}
		if rings++; rings == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || rings < n {
		t.Fatalf("the process ended by itself after %d rings: %v", rings, err)
	}
	return all
}

func BenchmarkSetAmongAThousand(b *testing.B) {
	log := slog.New(slog.DiscardHandler)
	s, err := memory.Open(b.Context(), memory.Options{Path: b.TempDir() + "/hearthd.db", Log: log})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	timers, err := timer.New(timer.Options{Store: shelf{s}, Bell: &gong{}, Location: time.UTC, Snooze: time.Minute, Log: log})
	if err != nil {
		b.Fatal(err)
	}
	call := map[string]tools.Tool{}
	for _, t := range timers.Tools() {
		call[t.Spec().Name] = t
	}
	for range 1000 {
		if _, err := call["timer_set"].Call(b.Context(), []byte(`{"duration_s":6000}`)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := call["timer_set"].Call(b.Context(), []byte(`{"duration_s":60,"label":"egg"}`)); err != nil {
			b.Fatal(err)
		}
		if _, err := call["timer_cancel"].Call(b.Context(), []byte(`{"label":"egg"}`)); err != nil {
			b.Fatal(err)
		}
	}
}
