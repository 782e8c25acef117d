package timer_test

import (
	"testing"
	"testing/synctest"
	"time"

	"hearthd/tools"
)

func TestAlarmMovesToAnotherTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.expect("alarm_change", `{"new_time":"08:00?"}`, "You have no alarms.")
		b.expect("alarm_set", `{"time":"07:00?"}`, "Alarm set for 7 AM tomorrow.")
		b.expect("alarm_change", `{"new_time":"08:00?"}`, "The alarm is now for 8 AM tomorrow.")
		b.expect("alarm_change", `{"time":"08:00?","new_time":"07:30?"}`, "The alarm is now for 7:30 AM tomorrow.")
		b.expect("alarm_change", `{"add_s":900}`, "The alarm is now for 7:45 AM tomorrow.")
		b.expect("alarm_change", `{"add_s":-3600}`, "The alarm is now for 6:45 AM tomorrow.")
		b.expect("alarm_change", `{"new_day":"sunday"}`, "The alarm is now for 6:45 AM on Sunday.")
		b.expect("alarm_change", `{"new_day":"today"}`, "That time is over already, so I set nothing.")
		b.expect("alarm_change", `{"time":"05:00?","new_time":"06:00?"}`, "There is no such alarm. You have one alarm: for 6:45 AM on Sunday.")
		b.expect("alarm_set", `{"time":"06:00","repeat":"FREQ=DAILY"}`, "Alarm set for 6 AM every day.")
		b.expect("alarm_change", `{"new_time":"09:00?"}`, "You have two alarms: for 6 AM every day and for 6:45 AM on Sunday. Which one should I change?")
		b.expect("alarm_change", `{"time":"06:00?","new_time":"06:30?"}`, "The alarm is now for 6:30 AM every day.")
		for _, args := range []string{`{}`, `{"new_time":"soon"}`, `{"new_day":"someday"}`, `{"time":"soon","new_time":"07:00?"}`} {
			if out := b.run("alarm_change", args); out.Class != tools.BadArguments {
				t.Errorf("%s: %+v", args, out)
			}
		}
	})
}

func TestTheHalfOfTheDayIsPutRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.expect("alarm_set", `{"time":"09:30","day":"sunday"}`, "Alarm set for 9:30 AM on Sunday.")
		b.expect("alarm_change", `{"new_half":"pm","label":"it"}`, "The alarm is now for 9:30 PM on Sunday.")
		b.expect("alarm_change", `{"new_half":"pm","label":"it"}`, "The alarm is now for 9:30 PM on Sunday.")
		b.expect("alarm_change", `{"new_half":"am","label":"it"}`, "The alarm is now for 9:30 AM on Sunday.")
	})
}

func TestAnAlarmIsSetBesideAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.expect("alarm_set", `{"time":"07:30","day":"sunday"}`, "Alarm set for 7:30 AM on Sunday.")
		b.expect("alarm_set", `{"time":"07:00?","again":true}`, "Alarm set for 7 AM on Sunday.")
		b.expect("alarm_set", `{"minute":15,"again":true}`, "Alarm set for 7:15 AM on Sunday.")
		b.expect("alarm_change", `{"new_minute":50,"label":"it"}`, "The alarm is now for 6:50 AM on Sunday.")
		b.expect("alarm_change", `{"new_minute":0,"label":"it"}`, "The alarm is now for 7 AM on Sunday.")
		b.expect("alarm_set", `{"later_s":600,"again":true}`, "Alarm set for 7:10 AM on Sunday.")
		b.expect("alarm_set", `{"day":"monday","again":true}`, "Alarm set for 7:10 AM on Monday.")
		for _, args := range []string{`{}`, `{"again":true}`, `{"minute":60,"again":true}`} {
			if out := b.run("alarm_set", args); out.Class != tools.BadArguments {
				t.Errorf("%s: %+v", args, out)
			}
		}
	})
}

func TestOneTimeOfAnAlarmIsLeftOut(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.expect("alarm_set", `{"time":"06:00","repeat":"FREQ=DAILY"}`, "Alarm set for 6 AM every day.")
		b.expect("alarm_cancel", `{"day":"tomorrow"}`, "The alarm is left out tomorrow. It rings again on Sunday.")
		b.expect("alarm_list", `{}`, "You have an alarm for 6 AM every day.")
		b.expect("alarm_cancel", `{"day":"tomorrow"}`, "There is no such alarm. You have one alarm: for 6 AM every day.")
	})
}

// A weekday alarm that is moved on Friday morning to a time that has just passed.
func TestMovedAlarmThatRepeatsKeepsItsDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := startIn(t, newPath(t), 0, berlin(t), false)
		b.at("2026-11-20T06:50:00+01:00")
		b.expect("alarm_set", `{"time":"07:00","repeat":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}`,
			"Alarm set for 7 AM on weekdays.")
		b.expect("alarm_change", `{"new_time":"06:30"}`, "The alarm is now for 6:30 AM on weekdays.")
		if event, after := b.ring(); after != 3*24*time.Hour-20*time.Minute {
			t.Errorf("%v after %v", event.Timer.Ends.In(berlin(t)), after)
		}
	})
}

func TestReminderOfEveryMonthComesInShortOnesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := startIn(t, newPath(t), 0, berlin(t), false)
		b.at("2027-01-20T08:00:00+01:00")
		b.run("reminder_set", `{"text":"to pay the rent","day":"day 31","time":"09:00","repeat":"FREQ=MONTHLY"}`)
		next := func(want string) {
			t.Helper()
			if event, _ := b.ring(); event.Timer.Rang.In(berlin(t)).Format("2006-01-02 15:04") != want {
				t.Errorf("%v, want %s", event.Timer.Rang.In(berlin(t)), want)
			}
			b.silenced()
		}
		next("2027-01-31 09:00")
		b.run("reminder_change", `{"new_time":"10:00"}`)
		next("2027-02-28 10:00")
		next("2027-03-31 10:00")
		next("2027-04-30 10:00")
	})
}
