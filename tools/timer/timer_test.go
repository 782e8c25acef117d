package timer_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/memory"
	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/timer"
)

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
		b.expect("timer_left", `{"label":"kitchen"}`, "Six minutes and twenty seconds left on the pasta timer.") // where the box stands
		b.expect("timer_set", `{"duration_s":300}`, "Timer set for five minutes.")
		b.expect("timer_left", `{}`, "You have two timers. Five minutes left on the five minute timer. Six minutes and twenty seconds left on the pasta timer.")
		b.expect("timer_cancel", `{}`, "You have two timers: the five minute timer and the pasta timer. Which one should I cancel?")
		b.expect("timer_cancel", `{"label":"five-minute"}`, "The five minute timer is cancelled.")
		b.expect("timer_cancel", `{"label":"pasta"}`, "The pasta timer is cancelled.")
		b.expect("timer_set", `{"duration_s":7385}`, "Timer set for two hours, three minutes and five seconds.")
		b.expect("timer_cancel", `{}`, "The timer is cancelled.")
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

func TestTimerIsCancelledByItsID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		egg := b.timers.List()[0].ID
		if there, err := b.timers.Cancel(t.Context(), egg); !there || err != nil {
			t.Errorf("cancel: %v, %v", there, err)
		}
		if there, err := b.timers.Cancel(t.Context(), egg); there || err != nil {
			t.Errorf("cancel again: %v, %v", there, err)
		}
		if left := b.timers.List(); len(left) != 1 || left[0].Label != "pasta" {
			t.Errorf("left %+v", left)
		}
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
			if event.Timer.Label != want.label || event.Missed || after != want.after || b.spoken(event) != want.spoken {
				t.Errorf("after %v: %+v", after, event)
			}
		}
		b.silenced()
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
			time.Sleep(time.Minute)
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
		if event.Timer.Label != "egg" || !event.Missed || after != 0 || b.spoken(event) != "The egg timer ended while I was off." {
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

func TestObserverIsToldOfEveryChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		b.ring()
		b.run("timer_cancel", `{"label":"pasta"}`)
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
		more := strings.Repeat(`,{"duration_s":60}`, 19)
		for range 100 {
			b.run("timer_set", `{"duration_s":60,"more":[`+more[1:]+`]}`)
		}
		b.expect("timer_set", `{"duration_s":60}`, "You already have 2000 timers and alarms, so I did not set another.")
		if n := len(b.timers.List()); n != 2000 {
			t.Errorf("%d timers", n)
		}
		for _, args := range []string{`{"duration_s":0}`, `{"duration_s":604801}`, `{"label":"pasta"}`, `{"duration_s":60,"label":"` + fmt.Sprintf("%041d", 0) + `"}`} {
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
		if out := b.run("timer_set", `{"duration_s":60}`); out.Class != tools.Failed || out.Spoken(phrase.English()) != "Sorry, I could not save the timer, so it is not set." {
			t.Errorf("%+v", out)
		}
		if out := b.run("timer_cancel", `{}`); out.Class != tools.Failed || out.Spoken(phrase.English()) != "Sorry, I could not cancel that." {
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
	timers, err := timer.New(timer.Options{Store: shelf{store}, Bell: newGong(), Location: time.UTC, Snooze: time.Minute, Log: log})
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

func TestTimersArePausedAndGoOn(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := start(t, path, 0)
		b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		time.Sleep(10 * time.Second)
		b.expect("timer_pause", `{}`, "You have two timers: the egg timer and the pasta timer. Which one should I pause?")
		b.expect("timer_pause", `{"label":"egg"}`, "The egg timer is paused, with fifty seconds left.")
		b.expect("timer_pause", `{"label":"egg"}`, "The egg timer is already paused.")
		b.quiet(time.Minute)
		b.expect("timer_left", `{"label":"egg"}`, "Fifty seconds left on the egg timer, which is paused.")
		b.stop()
		time.Sleep(time.Hour)
		b = start(t, path, 0)
		if event, _ := b.ring(); event.Timer.Label != "pasta" || !event.Missed {
			t.Errorf("%+v", event)
		}
		b.expect("timer_resume", `{}`, "The egg timer is running again, with fifty seconds left.")
		if event, after := b.ring(); event.Timer.Label != "egg" || after != 50*time.Second || event.Missed {
			t.Errorf("%+v after %v", event, after)
		}
		b.expect("timer_resume", `{}`, "You have no timers.")
	})
}

func TestTimeIsAddedAndTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.expect("timer_change", `{"add_s":60}`, "You have no timers.")
		b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
		b.expect("timer_change", `{"add_s":300}`, "The pasta timer now has fifteen minutes left.")
		b.expect("timer_change", `{"add_s":-600,"label":"pasta"}`, "The pasta timer now has five minutes left.")
		b.expect("timer_change", `{"add_s":604800}`, "There are five minutes left on the pasta timer, so I left it alone.")
		b.expect("timer_change", `{"duration_s":120}`, "The pasta timer now has two minutes left.")
		if _, after := b.ring(); after != 2*time.Minute {
			t.Errorf("rang after %v", after)
		}
		b.run("timer_set", `{"duration_s":3600}`)
		b.expect("timer_change", `{"add_s":-3600,"label":"one hour"}`, "The timer is up.")
		if _, after := b.ring(); after != 0 {
			t.Errorf("what has nothing left rang after %v", after)
		}
	})
}

func TestTimerIsMeantByItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		b.run("timer_set", `{"duration_s":3600,"label":"roast"}`)
		b.expect("timer_left", `{"label":"last"}`, "One hour left on the roast timer.")
		b.expect("timer_left", `{"label":"second"}`, "Ten minutes left on the pasta timer.")
		b.expect("timer_cancel", `{"label":"first"}`, "The egg timer is cancelled.")
	})
}

func TestTimerIsMeantByItsLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.run("timer_set", `{"duration_s":600,"more":[{"duration_s":300,"label":"egg"},{"duration_s":300},{"duration_s":5400}]}`)
		b.expect("timer_left", `{"length_s":600}`, "Ten minutes left on the ten minute timer.")
		b.expect("timer_pause", `{"length_s":5400}`, "The one hour thirty minute timer is paused, with one hour and thirty minutes left.")
		b.expect("timer_cancel", `{"length_s":300}`, "The five minute timer is cancelled.")
		b.expect("timer_change", `{"length_s":420,"add_s":60}`,
			"You have no seven minute timer. You have three timers: the egg timer, the ten minute timer and the one hour thirty minute timer.")
		b.expect("timer_again", `{"length_s":600}`, "The ten minute timer starts again: ten minutes.")
		b.expect("timer_left", `{"length_s":600,"label":"egg"}`, "Five minutes left on the egg timer.")
	})
}

func TestSeveralTimersAreSetAtOnceAndSaidTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.expect("timer_set", `{"duration_s":60,"label":"egg","more":[{"duration_s":60,"label":"toast"},{"duration_s":300}]}`,
			"Egg timer set for one minute, toast timer set for one minute and timer set for five minutes.")
		first, _ := b.ring()
		second, after := b.ring()
		if got := b.timers.Spoken([]int64{first.Timer.ID, second.Timer.ID}); after != 0 || got != "The egg timer and the toast timer are done." {
			t.Errorf("%q after %v", got, after)
		}
	})
}

func TestWhatRingsIsSilencedByItsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
		b.ring()
		b.expect("timer_cancel", `{"label":"egg"}`, "Okay.")
		if b.bell.rings() {
			t.Error("it rings on")
		}
		b.expect("timer_cancel", `{}`, "The pasta timer is cancelled.")
	})
}

func TestWhatRingsIsPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.expect("alarm_snooze", `{}`, "Nothing is ringing.")
		b.run("timer_set", `{"duration_s":60,"label":"egg"}`)
		b.ring()
		if list := b.timers.Ringing(); len(list) != 1 || list[0].Label != "egg" {
			t.Errorf("%+v rings", list)
		}
		b.expect("alarm_snooze", `{"duration_s":120}`, "Okay, egg again in two minutes.")
		if list := b.timers.Ringing(); b.bell.rings() || len(list) > 0 {
			t.Error("it rings on")
		}
		if event, after := b.ring(); event.Timer.Label != "egg" || after != 2*time.Minute || b.spoken(event) != "The egg timer is done." {
			t.Errorf("%+v after %v", event, after)
		}
		b.bell.Silence(t.Context(), nil)
		b.expect("alarm_snooze", `{}`, "Okay, egg again in nine minutes.")
		if _, after := b.ring(); after != 9*time.Minute {
			t.Errorf("rang after %v", after)
		}
		b.bell.Silence(t.Context(), nil)
		time.Sleep(11 * time.Minute)
		b.expect("alarm_snooze", `{}`, "Nothing is ringing.")
	})
}

// "Add five minutes", said while the pasta timer rings and the rice cooks on.
func TestTimeThatIsAddedIsForTheTimerThatRings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.run("timer_set", `{"duration_s":60,"label":"pasta","more":[{"duration_s":1200,"label":"rice"}]}`)
		b.ring()
		b.expect("timer_change", `{"add_s":60,"label":"rice"}`, "The rice timer now has twenty minutes left.")
		if !b.bell.rings() {
			t.Error("time for another one stops it")
		}
		b.mute.Store(true) // nobody hears it
		b.expect("timer_change", `{"add_s":60}`, "The rice timer now has twenty-one minutes left.")
		b.expect("timer_change", `{"add_s":-60}`, "The rice timer now has twenty minutes left.")
		b.mute.Store(false)
		b.expect("timer_change", `{"add_s":300}`, "Okay, pasta again in five minutes.")
		if b.bell.rings() {
			t.Error("it rings on")
		}
		b.expect("timer_left", `{}`, "You have two timers. Five minutes left on the pasta timer. Twenty minutes left on the rice timer.")
		if e, after := b.ring(); e.Timer.Label != "pasta" || after != 5*time.Minute {
			t.Errorf("%q after %v", e.Timer.Label, after)
		}
	})
}

// Another box is asked for its pasta timer where this one has none.
func TestReminderOfPastaIsNoPastaTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.run("reminder_set", `{"text":"to buy pasta","in_s":600}`)
		if b.timers.Has("pasta") {
			t.Error("there is a pasta timer")
		}
		b.run("timer_set", `{"duration_s":600,"label":"pasta"}`)
		if !b.timers.Has("pasta") {
			t.Error("there is no pasta timer")
		}
		b.run("reminder_cancel", `{"all":true}`)
		if b.ring(); !b.timers.Has("pasta") {
			t.Error("the pasta timer that rings here is looked for at other boxes")
		}
	})
}
