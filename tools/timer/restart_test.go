package timer_test

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestMovedAlarmThatRepeatsStaysMovedOverARestart(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.expect("alarm_set", `{"time":"07:00","repeat":"FREQ=DAILY"}`, "Alarm set for 7 AM every day.")
		b.expect("alarm_change", `{"new_time":"08:00"}`, "The alarm is now for 8 AM every day.")
		b.stop()
		b = startIn(t, path, b.jump, berlin(t), false)
		for _, want := range []time.Duration{12 * time.Hour, 24 * time.Hour} {
			if event, after := b.ring(); after != want || event.Missed {
				t.Errorf("%v after %v, want %v", event.Timer.Ends, after, want)
			}
			b.silenced()
		}
	})
}

func TestTimeThatIsLeftOutStaysLeftOutOverARestart(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path) // a Friday
		b.expect("alarm_set", `{"time":"07:00","repeat":"FREQ=WEEKLY;BYDAY=MO"}`, "Alarm set for 7 AM every Monday.")
		b.expect("alarm_cancel", `{"day":"monday"}`, "The alarm is left out on Monday. It rings again on November 30th.")
		b.stop()
		b = startIn(t, path, b.jump, berlin(t), false)
		if event, after := b.ring(); after != (9*24+11)*time.Hour {
			t.Errorf("%v after %v", event.Timer.Ends, after)
		}
	})
}

func TestSnoozedAlarmThatIsMovedStaysThereOverARestart(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.run("alarm_set", `{"time":"21:00"}`)
		b.ring()
		b.expect("alarm_snooze", `{}`, "Okay, again in nine minutes.")
		b.expect("alarm_change", `{"new_time":"23:00"}`, "The alarm is now for 11 PM today.")
		b.stop()
		b = startIn(t, path, b.jump, berlin(t), false)
		if event, after := b.ring(); after != 2*time.Hour {
			t.Errorf("%v after %v", event.Timer.Ends, after)
		}
	})
}

func TestTimerIsNotCutShortByAClockThatWasFarBehindAtBoot(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.run("timer_set", `{"duration_s":1200}`)
		b.stop()
		// The power was off for two minutes; the clock comes up as it was an hour ago.
		b = startIn(t, path, b.jump-time.Hour, berlin(t), true)
		time.Sleep(30 * time.Second)
		b.setClock(time.Hour + 2*time.Minute)
		event, after := b.ring()
		if after != 17*time.Minute+30*time.Second || event.Missed {
			t.Errorf("%+v after %v", event, after)
		}
	})
}

func TestPausedTimerThatGoesOnDoesNotFollowTheClock(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.run("timer_set", `{"duration_s":3600}`)
		b.run("timer_pause", `{}`)
		b.stop()
		b = startIn(t, path, b.jump-time.Hour, berlin(t), true)
		b.setClock(time.Hour)
		b.run("timer_resume", `{}`)
		b.setClock(30 * time.Minute)
		if event, after := b.ring(); after != time.Hour || event.Missed {
			t.Errorf("%+v after %v", event, after)
		}
	})
}

func TestTimerThatGetsTimeWhileTheClockIsWrongKeepsIt(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.run("timer_set", `{"duration_s":1200}`)
		b.stop()
		b = startIn(t, path, b.jump-10*time.Minute, berlin(t), true)
		b.run("timer_change", `{"duration_s":900}`)
		b.setClock(10 * time.Minute)
		if event, after := b.ring(); after != 15*time.Minute || event.Missed {
			t.Errorf("%+v after %v", event, after)
		}
	})
}

func TestAlarmInTheSecondOfTwoHoursIsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := startIn(t, newPath(t), 0, berlin(t), false)
		b.at("2026-10-25T02:10:00+01:00") // summer time ended ten minutes ago
		b.run("alarm_set", `{"time":"02:30"}`)
		if event, after := b.ring(); after != 20*time.Minute || event.Missed {
			t.Errorf("%+v after %v", event, after)
		}
	})
}

func TestAlarmThatRepeatsDoesNotRingOnHalfADayLater(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.run("alarm_set", `{"time":"07:00","repeat":"FREQ=DAILY"}`)
		b.ring()
		synctest.Wait()
		b.stop() // the power fails while it rings, until the evening
		b = startIn(t, path, b.jump+12*time.Hour, berlin(t), false)
		if event, after := b.ring(); after != 0 || !event.Again || !event.Once {
			t.Errorf("%+v after %v", event, after)
		}
	})
}
