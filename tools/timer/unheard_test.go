package timer_test

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatNobodyHeardIsKeptUntilItIsTold(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.run("alarm_set", `{"time":"07:00","repeat":"FREQ=DAILY"}`)
		b.run("timer_set", `{"duration_s":600,"label":"pizza"}`)
		if said := b.timers.Unheard(); said != "" {
			t.Errorf("nothing has rung: %q", said)
		}
		pizza, _ := b.ring()
		b.timers.GaveUp([]int64{pizza.Timer.ID}, true)
		alarm, _ := b.ring()
		b.timers.GaveUp([]int64{alarm.Timer.ID}, false)
		synctest.Wait()
		b.stop()
		b = startIn(t, path, b.jump, berlin(t), false)
		const want = "The pizza timer rang at 8:10 PM on November 20th, but the speaker was not there. " +
			"The alarm rang at 7 AM today, and nobody stopped it."
		if said := b.timers.Unheard(); said != want {
			t.Errorf("%q", said)
		}
		b.expect("timer_left", `{}`, "You have no timers.")
		b.expect("alarm_list", `{}`, "You have an alarm for 7 AM every day.")
		b.quiet(time.Hour) // neither rings on
		b.timers.Told()
		synctest.Wait()
		b.stop()
		b = startIn(t, path, b.jump, berlin(t), false)
		if said := b.timers.Unheard(); said != "" {
			t.Errorf("it is told again: %q", said)
		}
		if _, after := b.ring(); after != 23*time.Hour {
			t.Errorf("the alarm rings again after %v", after)
		}
		if kept, err := b.store.Timers(t.Context()); err != nil || len(kept) != 1 {
			t.Errorf("kept: %+v, %v", kept, err)
		}
	})
}
