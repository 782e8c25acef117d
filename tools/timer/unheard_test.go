package timer_test

import (
	"testing"
	"testing/synctest"
	"time"

	"hearthd/tools/phrase"
	"hearthd/tools/timer"
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

func TestWhatNobodyWouldHearIsSetAndSaysSo(t *testing.T) {
	const tail = " But my speaker does not work: until it does, nobody will hear me."
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.mute.Store(true)
		for _, c := range [][3]string{
			{"timer_set", `{"duration_s":300,"more":[{"duration_s":60}]}`, "Timer set for five minutes and timer set for one minute."},
			{"alarm_set", `{"time":"07:00","repeat":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}`, "Alarm set for 7 AM on weekdays."},
			{"alarm_change", `{"new_time":"06:45"}`, "The alarm is now for 6:45 AM on weekdays."},
			{"reminder_set", `{"text":"to call mum","in_s":600}`, "I'll remind you in ten minutes to call mum."},
			{"timer_again", `{"length_s":300}`, "The five minute timer starts again: five minutes."},
		} {
			b.expect(c[0], c[1], c[2]+tail)
		}
		e, _ := b.ring()
		b.expect("alarm_snooze", `{}`, "Okay, again in nine minutes."+tail)
		b.timers.Ended([]int64{e.Timer.ID})
		b.order(timer.Plan{Label: "turn off the oven", Do: "{}", In: time.Hour}, "I'll turn off the oven in one hour.")
		b.timers.Book, _ = phrase.New(phrase.Options{Language: "de"})
		b.expect("timer_set", `{"duration_s":60}`, "Timer auf eine Minute gestellt. "+
			"Mein Lautsprecher geht aber nicht: Bis er wieder geht, hört mich niemand.")
		b.mute.Store(false)
		if out := b.run("alarm_cancel", `{"all":true}`); !out.Kept {
			t.Errorf("what is cancelled comes back with a memory that forgets, and nobody is told: %+v", out)
		}
		if out := b.run("timer_left", `{}`); out.Kept {
			t.Errorf("nothing was kept: %+v", out)
		}
		b.expect("timer_set", `{"duration_s":180}`, "Timer auf drei Minuten gestellt.")
	})
}
