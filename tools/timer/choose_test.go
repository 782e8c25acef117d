package timer_test

import (
	"testing"
	"testing/synctest"
)

func TestAnswerChoosesAmongWhatWasAskedAbout(t *testing.T) {
	const which = "You have two alarms: for 9 AM tomorrow and for 7 AM on weekdays. Which one should I cancel?"
	for answer, want := range map[string]string{
		`{"time":"07:00?"}`:                             "The alarm for 7 AM on weekdays is cancelled.",
		`{"repeat":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}`: "The alarm for 7 AM on weekdays is cancelled.",
		`{"place":-1}`:                                  "The alarm for 7 AM on weekdays is cancelled.",
		`{"place":1}`:                                   "The alarm for 9 AM tomorrow is cancelled.",
		`{"day":"tomorrow"}`:                            "The alarm for 9 AM tomorrow is cancelled.",
		`{"all":true,"count":2}`:                        "Two alarms are cancelled.",
		`{"place":3}`:                                   "None of them is that: for 9 AM tomorrow and for 7 AM on weekdays. Which one?",
		`{"time":"22:00"}`:                              "None of them is that: for 9 AM tomorrow and for 7 AM on weekdays. Which one?",
		`{"all":true,"count":3}`:                        "There are two of them: for 9 AM tomorrow and for 7 AM on weekdays. Which one?",
	} {
		synctest.Test(t, func(t *testing.T) {
			b := evening(t, newPath(t))
			b.run("alarm_set", `{"time":"07:00","repeat":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}`)
			b.run("alarm_set", `{"time":"09:00"}`)
			b.expect("timer_choose", answer, "I did not ask which one you mean.")
			b.expect("alarm_cancel", `{}`, which)
			b.run("alarm_set", `{"time":"07:00","day":"sunday"}`) // nobody was asked about this one
			b.expect("timer_choose", answer, want)
		})
	}
}

func TestChoiceDoesWhatWasToBeDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		for _, timer := range []string{`{"duration_s":600,"label":"pizza"}`, `{"duration_s":300}`, `{"duration_s":1200,"label":"bread"}`} {
			b.run("timer_set", timer)
		}
		b.run("timer_change", `{"add_s":120}`)
		b.expect("timer_choose", `{"length_s":600}`, "The pizza timer now has twelve minutes left.")
		b.run("timer_change", `{"add_s":60}`)
		b.expect("timer_choose", `{"label":"bread"}`, "The bread timer now has twenty-one minutes left.")
		b.run("timer_pause", `{}`)
		b.expect("timer_choose", `{"length_s":300}`, "The five minute timer is paused, with five minutes left.")
		b.run("timer_pause", `{}`) // of those that run
		b.expect("timer_choose", `{"all":true}`, "The pizza timer and the bread timer are paused.")
		b.run("timer_resume", `{}`)
		b.expect("timer_choose", `{"cancel":true,"label":"bread"}`, "The bread timer is cancelled.")
		b.run("timer_again", `{}`)
		b.expect("timer_choose", `{"all":true}`,
			"The pizza timer starts again: twelve minutes. The five minute timer starts again: five minutes.")
	})
}

// "Cancel tomorrow's alarm" takes away no other day of one that repeats.
func TestChoiceOfAnAlarmOfADayLeavesOutThatDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t)) // a Friday
		b.run("alarm_set", `{"time":"07:00","repeat":"FREQ=DAILY"}`)
		b.run("alarm_set", `{"time":"09:00"}`)
		b.expect("alarm_cancel", `{"day":"tomorrow"}`,
			"You have two alarms: for 7 AM every day and for 9 AM tomorrow. Which one should I cancel?")
		b.expect("timer_choose", `{"place":1}`, "The alarm is left out tomorrow. It rings again on Sunday.")
		b.expect("alarm_change", `{"new_time":"10:00"}`,
			"You have two alarms: for 9 AM tomorrow and for 7 AM every day. Which one should I change?")
		b.expect("timer_choose", `{"time":"07:00"}`, "The alarm is now for 10 AM every day.")
	})
}
