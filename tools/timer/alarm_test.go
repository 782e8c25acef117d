package timer_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/tools"
)

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// evening starts a box in Berlin on Friday 20 November 2026 at eight in the
// evening.
func evening(t *testing.T, path string) *box {
	t.Helper()
	b := startIn(t, path, 0, berlin(t), false)
	b.at("2026-11-20T20:00:00+01:00")
	return b
}

func TestAlarmsAreSetAndSpokenOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.expect("alarm_list", `{}`, "You have no alarms.")
		b.expect("alarm_cancel", `{}`, "You have no alarms.")
		b.expect("alarm_set", `{"time":"07:00?"}`, "Alarm set for 7 AM tomorrow.")
		b.expect("alarm_list", `{}`, "You have an alarm for 7 AM tomorrow.")
		b.expect("alarm_set", `{"time":"09:15?"}`, "Alarm set for 9:15 PM today.")
		b.expect("alarm_set", `{"time":"06:30","repeat":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR","label":"work"}`, "Work alarm set for 6:30 AM on weekdays.")
		b.expect("alarm_set", `{"time":"06:30","repeat":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR","label":"work"}`, "That alarm is set already, for 6:30 AM on weekdays, work.")
		b.expect("alarm_set", `{"time":"08:00?","day":"sunday"}`, "Alarm set for 8 AM on Sunday.")
		b.expect("alarm_set", `{"time":"08:00?","day":"today"}`, "That time is over already, so I set nothing.")
		b.expect("alarm_set", `{"time":"11:00?","day":"today"}`, "Alarm set for 11 PM today.")
		b.expect("alarm_set", `{"time":"08:00?","day":"12-24"}`, "Alarm set for 8 AM on December 24th.")
		b.expect("alarm_set", `{"time":"09:00?","wake":true}`, "Alarm set for 9 AM tomorrow.")
		b.expect("alarm_set", `{"time":"19:00","day":"friday"}`, "Alarm set for 7 PM on November 27th.")
		b.expect("alarm_cancel", `{"time":"07:00?"}`, "You have two alarms: for 7 AM tomorrow and for 7 PM on November 27th. Which one should I cancel?")
		b.expect("alarm_cancel", `{"time":"07:00?","day":"tomorrow"}`, "The alarm for 7 AM tomorrow is cancelled.")
		b.expect("alarm_cancel", `{"label":"the work alarm"}`, "The alarm for 6:30 AM on weekdays, work is cancelled.")
		b.expect("alarm_cancel", `{"time":"03:00"}`, "There is no such alarm. You have six alarms: for 9:15 PM today, for 11 PM today, for 9 AM tomorrow, for 8 AM on Sunday and two more.")
		b.expect("alarm_cancel", `{"all":true}`, "Six alarms are cancelled.")
		for _, args := range []string{`{}`, `{"time":"soon"}`, `{"time":"07:00?","day":"someday"}`, `{"time":"07:00?","repeat":"now and then"}`} {
			if out := b.run("alarm_set", args); out.Class != tools.BadArguments {
				t.Errorf("%s: %+v", args, out)
			}
		}
	})
}

func TestEveryOtherWeekBeginsWithTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t)) // a Friday, at eight
		b.run("alarm_set", `{"time":"07:00","repeat":"FREQ=WEEKLY;INTERVAL=2;BYDAY=WE"}`)
		for _, want := range []time.Duration{(4*24 + 11) * time.Hour, 14 * 24 * time.Hour} {
			if _, after := b.ring(); after != want {
				t.Errorf("it rings after %v, want %v", after, want)
			}
			b.silenced()
		}
		b.stop()
	})
}

func TestAlarmRingsAtItsTimeAndAgain(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.run("alarm_set", `{"time":"07:00?","repeat":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR","label":"school"}`)
		event, after := b.ring() // Saturday and Sunday pass
		if after != 59*time.Hour || event.Missed || b.spoken(event) != "It's 7 AM, school." {
			t.Errorf("%+v after %v: %s", event, after, b.spoken(event))
		}
		b.stop()
		b = startIn(t, path, b.jump, berlin(t), false)
		if event, after = b.ring(); after != 0 || !event.Again || b.spoken(event) != "I restarted during the alarm for 7 AM, school." {
			t.Errorf("%+v after %v: %s", event, after, b.spoken(event))
		}
		b.silenced()
		b.stop()
		b = startIn(t, path, b.jump, berlin(t), false)
		if event, after = b.ring(); after != 24*time.Hour || event.Missed {
			t.Errorf("%+v after %v", event, after)
		}
	})
}

func TestAlarmFollowsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.run("alarm_set", `{"time":"07:00"}`)
		b.setClock(-3 * time.Hour)
		b.setClock(5 * time.Hour)
		if event, after := b.ring(); after != 9*time.Hour || event.Missed {
			t.Errorf("%+v after %v", event, after)
		}
		b.setClock(-2 * time.Hour) // it has rung
		b.quiet(48 * time.Hour)
	})
}

func TestAlarmThatTheClockJumpedOverRings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.run("alarm_set", `{"time":"21:00"}`)
		b.run("alarm_set", `{"time":"23:30"}`)
		b.shift(4 * time.Hour)
		event, after := b.ring()
		if after != 0 || !event.Missed || !event.Once || b.spoken(event) != "I missed the alarm for 9 PM." {
			t.Errorf("%+v after %v: %s", event, after, b.spoken(event))
		}
		if event, _ := b.ring(); !event.Missed || event.Once {
			t.Errorf("an alarm that is half an hour late does not ring: %+v", event)
		}
	})
}

func TestAlarmInAnHourThatIsSkippedRingsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := startIn(t, newPath(t), 0, berlin(t), false)
		b.at("2027-03-27T12:00:00+01:00") // in the night the clock goes from two to three
		b.run("alarm_set", `{"time":"02:30","repeat":"FREQ=DAILY"}`)
		for _, want := range []time.Duration{14*time.Hour + 30*time.Minute, 23 * time.Hour, 24 * time.Hour} {
			if event, after := b.ring(); after != want || event.Missed {
				t.Errorf("%+v after %v, want %v", event, after, want)
			}
		}
	})
}

func TestAlarmInAnHourThatComesTwiceRingsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := startIn(t, newPath(t), 0, berlin(t), false)
		b.at("2027-10-30T12:00:00+02:00") // in the night the clock goes from three to two
		b.run("alarm_set", `{"time":"02:30","repeat":"FREQ=DAILY"}`)
		for _, want := range []time.Duration{14*time.Hour + 30*time.Minute, 25 * time.Hour, 24 * time.Hour} {
			if event, after := b.ring(); after != want || event.Missed {
				t.Errorf("%+v after %v, want %v", event, after, want)
			}
		}
	})
}

func TestAlarmsWaitForAClockThatIsRight(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.run("alarm_set", `{"time":"07:00"}`)
		b.run("timer_set", `{"duration_s":3600,"label":"bread"}`)
		jump := b.jump
		b.stop()
		// The power is away for half an hour, and the clock stays at ten minutes
		// before the alarm.
		time.Sleep(30 * time.Minute)
		b = startIn(t, path, jump+10*time.Hour+20*time.Minute, berlin(t), true)
		b.expect("alarm_set", `{"time":"08:00"}`, "Alarm set for 8 AM today. My clock is not set yet, so it waits until that is right.")
		if event, _ := b.ring(); event.Timer.Label != "bread" {
			t.Errorf("%+v", event)
		}
		b.quiet(20 * time.Minute) // it would ring now
		b.mu.Lock()
		b.jump = jump
		b.wrong = false
		b.mu.Unlock()
		b.set <- struct{}{}
		if event, after := b.ring(); after != 10*time.Hour+10*time.Minute || event.Missed {
			t.Errorf("%+v after %v", event, after)
		}
	})
}

func TestTimerCountsWhatTheBoxWasOffOnceTheClockIsRight(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.run("timer_set", `{"duration_s":600}`)
		jump := b.jump
		b.stop()
		time.Sleep(4 * time.Minute)
		b = startIn(t, path, jump-4*time.Minute, berlin(t), true)
		time.Sleep(time.Minute)
		b.setClock(4 * time.Minute)
		if event, after := b.ring(); after != 5*time.Minute || event.Missed {
			t.Errorf("%+v after %v", event, after)
		}
	})
}

func TestClockFarAheadDoesNotSilenceWhatRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.run("alarm_set", `{"time":"07:00","repeat":"FREQ=DAILY"}`)
		b.shift(10 * 365 * 24 * time.Hour)
		b.ring()
		synctest.Wait()
		b.setClock(-10 * 365 * 24 * time.Hour)
		if event, after := b.ring(); after != 11*time.Hour || event.Missed {
			t.Errorf("%+v after %v", event, after)
		}
	})
}

func TestRemindersAreSetAndSpokenOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.expect("reminder_list", `{}`, "You have no reminders.")
		b.expect("reminder_set", `{"text":"to call my mum","time":"06:00?"}`, "I'll remind you at 6 AM tomorrow to call your mum.")
		b.expect("reminder_cancel", `{"text":"mum"}`, "The reminder to call your mum is cancelled.")
		b.expect("reminder_set", `{"text":"to call my mum","time":"02:00?"}`, "I'll remind you at 2 PM tomorrow to call your mum.")
		b.expect("reminder_cancel", `{"text":"mum"}`, "The reminder to call your mum is cancelled.")
		b.expect("reminder_set", `{"text":"to call my mum","time":"06:00?","day":"tomorrow"}`, "I'll remind you at 6 PM tomorrow to call your mum.")
		b.expect("reminder_set", `{"text":"the oven","in_s":600}`, "I'll remind you in ten minutes of the oven.")
		b.expect("reminder_set", `{"text":"to take out the trash","repeat":"FREQ=WEEKLY;BYDAY=TH","time":"19:00"}`, "I'll remind you at 7 PM every Thursday to take out the trash.")
		b.expect("reminder_set", `{"text":"to take out the trash","repeat":"FREQ=WEEKLY;BYDAY=TH","time":"19:00"}`, "That reminder is set already, at 7 PM every Thursday to take out the trash.")
		b.expect("reminder_set", `{"text":"about the dentist","day":"tomorrow"}`, "I'll remind you at 9 AM tomorrow about the dentist.")
		b.expect("reminder_set", `{"text":"to sleep"}`, "When should I remind you to sleep?")
		b.expect("reminder_list", `{}`, "You have four reminders: at 8:10 PM today of the oven, at 9 AM tomorrow about the dentist, at 6 PM tomorrow to call your mum and at 7 PM every Thursday to take out the trash.")
		if event, after := b.ring(); after != 10*time.Minute || b.spoken(event) != "I am to remind you of the oven." {
			t.Errorf("%+v after %v", event, after)
		}
		b.expect("reminder_cancel", `{"text":"oven"}`, "Okay.")
		b.expect("reminder_cancel", `{"all":true}`, "Three reminders are cancelled.")
	})
}

func TestWhoAskedToBeRemindedIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := newPath(t)
		b := evening(t, path)
		call := tools.Call{For: llm.Ask{Person: "anna", ByVoice: true}, ToolCall: llm.ToolCall{Name: "reminder_set",
			Arguments: json.RawMessage(`{"text":"to call my mum","in_s":600}`)}}
		if out := b.exec.Run(t.Context(), call); out.Class != tools.OK {
			t.Fatalf("%+v", out)
		}
		b.stop() // and begin again: the name is kept
		b = evening(t, path)
		if event, _ := b.ring(); b.spoken(event) != "I am to remind you to call your mum, Anna." {
			t.Errorf("%q", b.spoken(event))
		}
		b.run("alarm_snooze", `{}`)
		if event, _ := b.ring(); b.spoken(event) != "I am to remind you to call your mum, Anna." {
			t.Errorf("snoozed: %q", b.spoken(event))
		}
	})
}

func TestReminderThatWasMissedIsTold(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.run("reminder_set", `{"text":"to call mum","time":"21:00"}`)
		b.stop()
		time.Sleep(2 * time.Hour)
		b = startIn(t, path, b.jump, berlin(t), false)
		event, _ := b.ring()
		if !event.Missed || !event.Once || b.spoken(event) != "I could not remind you at 9 PM to call mum." {
			t.Errorf("%+v: %s", event, b.spoken(event))
		}
	})
}

func TestAlarmThatRingsIsStoppedByItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.run("alarm_set", `{"time":"21:00"}`)
		b.ring()
		b.expect("alarm_cancel", `{"time":"09:00?"}`, "Okay.")
		if b.bell.rings() {
			t.Fatal("it rings on")
		}
		b.run("alarm_set", `{"time":"22:00","repeat":"FREQ=DAILY"}`)
		for _, args := range []string{`{"time":"10:00?"}`, `{"day":"today"}`} {
			b.ring()
			b.expect("alarm_cancel", `{"day":"tomorrow","time":"06:00"}`, "There is no such alarm. You have one alarm: for 10 PM every day.")
			if !b.bell.rings() {
				t.Error("another time stops it")
			}
			b.expect("alarm_cancel", args, "Okay.")
			if b.bell.rings() {
				t.Fatalf("it rings on after %s", args)
			}
			b.expect("alarm_list", `{}`, "You have an alarm for 10 PM every day.")
		}
	})
}

func TestAlarmsOfADayAPartOfItOrSomeHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t)) // a Friday
		b.run("alarm_set", `{"time":"06:30","repeat":"FREQ=DAILY","label":"bus"}`)
		b.run("alarm_set", `{"time":"08:20","day":"tomorrow"}`)
		b.run("alarm_set", `{"time":"21:00","day":"sunday"}`)
		b.expect("alarm_list", `{"day":"sunday"}`, "You have two alarms: for 6:30 AM every day, bus and for 9 PM on Sunday.")
		b.expect("alarm_list", `{"day":"sunday","part":"evening"}`, "You have an alarm for 9 PM on Sunday.")
		b.expect("alarm_list", `{"day":"this weekend","time":"08:00?","until":"09:00?"}`, "You have two alarms: for 8:20 AM tomorrow and for 9 PM on Sunday.")
		b.expect("alarm_list", `{"day":"today"}`, "There is no such alarm. You have three alarms: for 6:30 AM every day, bus, for 8:20 AM tomorrow and for 9 PM on Sunday.")
		b.expect("alarm_cancel", `{"all":true,"day":"tomorrow"}`, "The alarm is left out tomorrow. It rings again on Sunday. The alarm for 8:20 AM tomorrow is cancelled.")
		b.expect("alarm_cancel", `{"time":"20:30","until":"21:00"}`, "The alarm for 9 PM on Sunday is cancelled.")
		b.run("reminder_set", `{"text":"to call mum","time":"10:00","day":"tomorrow"}`)
		b.run("reminder_set", `{"text":"to pay","time":"10:00","day":"sunday"}`)
		b.expect("reminder_list", `{"day":"sunday"}`, "You have one reminder: at 10 AM on Sunday to pay.")
		b.expect("reminder_cancel", `{"day":"tomorrow","all":true}`, "The reminder to call mum is cancelled.")
	})
}
