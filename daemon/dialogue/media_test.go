package dialogue

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/refusal"
	"hearthd/vad"
)

// playing is a box that plays music at a level of 12000 while f runs.
func playing(t *testing.T, f func(t *testing.T, r *rig)) {
	t.Helper()
	with(t, nil, func(t *testing.T, r *rig) {
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			x := r.mixer.Media()
			for g := x.Begin(); x.WriteAll(ctx, g, slices.Repeat([]int16{12000}, rigRate/10)) == nil; {
			}
		})
		time.Sleep(time.Second)
		f(t, r)
		stop()
		wg.Wait()
	})
}

func TestMediaAreSoftFromTheWindowToTheEndOfTheTurn(t *testing.T) {
	playing(t, func(t *testing.T, r *rig) {
		loud := r.loudness()
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(60*time.Millisecond - 2*rigPeriod)
		if now := r.mixer.Media(); now.Aloud() {
			t.Error("media play aloud in a window")
		}
		time.Sleep(time.Second) // the earcon
		if now := r.loudness(); now > loud/15 {
			t.Errorf("in a window media are at %d, before at %d", now, loud)
		}
		r.say(1, "why")
		r.turn()
		time.Sleep(time.Second)
		if now := r.loudness(); now != loud {
			t.Errorf("after the turn media are at %d, before at %d", now, loud)
		}
		r.silence(2, vad.Discard, vad.Short)
	})
}

func TestWhatWasPausedInATurnStaysSilentAfterIt(t *testing.T) {
	playing(t, func(t *testing.T, r *rig) {
		if err := r.d.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.mixer.Media().Hold(true)
		r.say(1, "why")
		r.turn()
		time.Sleep(10 * time.Second)
		if now := r.loudness(); now != 0 {
			t.Errorf("what was paused plays at %d", now)
		}
	})
}

// Who says stop means what sounds: a timer, an answer, or else the music.
func TestStopEndsTheMusicWhenNothingElseSounds(t *testing.T) {
	playing(t, func(t *testing.T, r *rig) {
		stopped := 0
		r.d.opt.StopMedia = func() bool { stopped++; return true }
		if err := r.d.Ring(t.Context(), []int64{1}, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		for want := range 2 {
			if err := r.d.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Second)
			if stopped != want {
				t.Errorf("stopped %d times, want %d", stopped, want)
			}
		}
		if err := r.d.Hush(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if stopped != 2 {
			t.Errorf("stopped %d times, want 2", stopped)
		}
	})
}

// A station that wakes somebody is an alarm: the button ends it, as it ends what rings. Of music the button only asks
// to be heard.
func TestButtonEndsAnAlarmThatPlaysAStation(t *testing.T) {
	playing(t, func(t *testing.T, r *rig) {
		stopped, waking := 0, true
		r.d.opt.StopMedia = func() bool { stopped++; return true }
		r.d.opt.Waking = func() bool { return waking }
		for _, c := range []struct {
			waking bool
			want   event.State
		}{{true, event.Idle}, {false, event.Listening}} {
			waking = c.waking
			r.press()
			if s := r.state(); s != c.want || stopped != 1 {
				t.Errorf("waking %v: state %s, stopped %d times", c.waking, s, stopped)
			}
		}
	})
}

// The promise: what a person has paused is not heard until a person says so, whatever else goes on.
func TestNothingThatGoesOnPlaysWhatWasPaused(t *testing.T) {
	const sequences, steps = 1000, 8
	random := rand.New(rand.NewPCG(26, 2))
	playing(t, func(t *testing.T, r *rig) {
		x, n, paused, heard := r.mixer.Media(), uint64(0), false, 0
		r.d.opt.StopMedia = func() bool { x.Hold(true); paused = true; return true }
		acts := []struct {
			name string
			do   func() error
		}{
			{"pause", func() error { x.Hold(true); paused = true; return nil }},
			{"resume", func() error { x.Hold(false); paused = false; return nil }},
			{"wake", func() error { return r.d.Listen(t.Context()) }},
			{"ask", func() error { n++; r.say(n, "hey hearth why"); return nil }},
			{"ring", func() error { return r.d.Ring(t.Context(), []int64{int64(n) + 1}, nil) }},
			{"stop", func() error { return r.d.Stop(t.Context()) }},
			{"hush", func() error { return r.d.Hush(t.Context()) }},
			{"announce", func() error { return r.d.Announce(t.Context(), "The tea is ready.", true, false) }},
			{"later", func() error { time.Sleep(10 * time.Second); return nil }},
		}
		for range sequences {
			var done []string
			for range steps {
				act := acts[random.IntN(len(acts))]
				done = append(done, act.name)
				var refused refusal.Error
				if err := act.do(); err != nil && !errors.As(err, &refused) {
					t.Fatalf("%v: %v", done, err)
				}
				time.Sleep(time.Duration(50+random.IntN(1000)) * time.Millisecond)
				before := x.Left()
				time.Sleep(5 * rigPeriod)
				switch plays := x.Left() != before; { // however softly
				case plays && paused:
					t.Fatalf("it plays after %v", done)
				case plays:
					heard++
				case !paused:
					t.Fatalf("it does not play after %v", done)
				}
			}
		}
		t.Logf("it played after %d of %d steps", heard, sequences*steps)
	})
}
