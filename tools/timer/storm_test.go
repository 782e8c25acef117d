package timer_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
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
			day := []string{"tomorrow", "+2"}[random.IntN(2)]
			b.run("alarm_set", fmt.Sprintf(`{"time":"%02d:%02d","day":%q,"label":"number %d"}`, random.IntN(24),
				random.IntN(60), day, i))
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
			case events := <-b.bell.fired:
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
		if events := <-b.bell.fired; len(events) != 1000 {
			t.Errorf("%d events", len(events))
		}
	})
}

func BenchmarkSetAmongAThousand(b *testing.B) {
	log := slog.New(slog.DiscardHandler)
	s, err := memory.Open(b.Context(), memory.Options{Path: b.TempDir() + "/hearthd.db", Log: log})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	timers, err := timer.New(timer.Options{Store: shelf{s}, Bell: newGong(), Location: time.UTC, Snooze: time.Minute, Log: log})
	if err != nil {
		b.Fatal(err)
	}
	call := map[string]tools.Tool{}
	for _, t := range timers.Tools() {
		call[t.Spec().Name] = t
	}
	for range 1000 {
		if _, err := call["timer_set"].Call(b.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: []byte(`{"duration_s":6000}`)}}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := call["timer_set"].Call(b.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: []byte(`{"duration_s":60,"label":"egg"}`)}}); err != nil {
			b.Fatal(err)
		}
		if _, err := call["timer_cancel"].Call(b.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: []byte(`{"label":"egg"}`)}}); err != nil {
			b.Fatal(err)
		}
	}
}
