package timer_test

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestItIsTheTimerThatWasSpokenOfLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.expect("timer_cancel", `{"label":"it"}`, "You have no timers.")
		b.expect("timer_set", `{"duration_s":600,"label":"pasta"}`, "Pasta timer set for ten minutes.")
		b.expect("timer_set", `{"duration_s":1200,"label":"rice"}`, "Rice timer set for twenty minutes.")
		b.expect("timer_change", `{"duration_s":900,"label":"it"}`, "The rice timer now has fifteen minutes left.")
		b.expect("timer_left", `{"label":"pasta"}`, "Ten minutes left on the pasta timer.")
		b.expect("timer_pause", `{"label":"it"}`, "The pasta timer is paused, with ten minutes left.")
		if r, ok, err := b.timers.Toggle(t.Context(), true); !ok || err != nil ||
			r.Text != "The pasta timer is running again, with ten minutes left." {
			t.Errorf("%q, %v, %v", r.Text, ok, err)
		}
		if r, ok, err := b.timers.Toggle(t.Context(), true); ok || err != nil {
			t.Errorf("none is paused: %q, %v, %v", r.Text, ok, err)
		}
		b.expect("timer_pause", `{"label":"it"}`, "The pasta timer is paused, with ten minutes left.")
		time.Sleep(4 * time.Minute)
		b.expect("timer_cancel", `{"label":"it"}`,
			"You have two timers: the rice timer and the pasta timer. Which one should I cancel?")
		b.expect("timer_left", `{"label":"rice"}`, "Eleven minutes left on the rice timer.")
		b.expect("timer_cancel", `{"label":"it"}`, "The rice timer is cancelled.")
		b.expect("timer_left", `{"label":"it"}`, "Ten minutes left on the pasta timer, which is paused.")
	})
}

func TestItIsTheAlarmOrReminderThatWasSpokenOfLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		b.expect("alarm_set", `{"time":"06:00"}`, "Alarm set for 6 AM tomorrow.")
		b.expect("alarm_set", `{"time":"07:00"}`, "Alarm set for 7 AM tomorrow.")
		b.expect("alarm_change", `{"label":"it","new_time":"07:30?"}`, "The alarm is now for 7:30 AM tomorrow.")
		b.expect("alarm_cancel", `{"label":"it"}`, "The alarm for 7:30 AM tomorrow is cancelled.")
		b.expect("reminder_set", `{"text":"to call mum","time":"09:00"}`, "I'll remind you at 9 AM tomorrow to call mum.")
		b.expect("reminder_set", `{"text":"to eat","time":"08:00"}`, "I'll remind you at 8 AM tomorrow to eat.")
		b.expect("reminder_change", `{"text":"it","new_time":"08:30?"}`, "I will remind you at 8:30 AM tomorrow to eat.")
		b.expect("reminder_change", `{"text":"mum","new_day":"sunday"}`, "I will remind you at 9 AM on Sunday to call mum.")
		b.expect("reminder_change", `{"text":"dentist","add_s":60}`,
			"There is no such reminder. You have two reminders: at 8:30 AM tomorrow to eat and at 9 AM on Sunday to call mum.")
		b.expect("reminder_change", `{"text":"eat","add_s":3600}`, "I will remind you at 9:30 AM tomorrow to eat.")
		b.expect("reminder_cancel", `{"text":"it"}`, "The reminder to eat is cancelled.")
	})
}
