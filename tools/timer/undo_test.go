package timer_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/tools"
)

func TestLastChangeOfATimerIsTakenBack(t *testing.T) {
	for name, calls := range map[string][][3]string{ // tool, arguments, what is said
		"nothing": {{"timer_undo", `{}`, "There is nothing that I could undo."}},
		"set": {
			{"timer_set", `{"duration_s":600,"label":"pasta"}`, "Pasta timer set for ten minutes."},
			{"timer_undo", `{}`, "The pasta timer is cancelled."},
			{"timer_undo", `{}`, "Nine minutes and fifty-eight seconds left on the pasta timer."},
		},
		"cancel": {
			{"timer_set", `{"duration_s":600,"label":"pasta"}`, "Pasta timer set for ten minutes."},
			{"timer_cancel", `{}`, "The pasta timer is cancelled."},
			{"timer_undo", `{}`, "Nine minutes and fifty-eight seconds left on the pasta timer."},
			{"timer_undo", `{}`, "The pasta timer is cancelled."},
			{"timer_cancel", `{}`, "You have no timers."},
			{"timer_undo", `{}`, "There is nothing that I could undo."},
		},
		"change": {
			{"timer_set", `{"duration_s":600,"label":"pasta"}`, "Pasta timer set for ten minutes."},
			{"timer_change", `{"add_s":300}`, "The pasta timer now has fourteen minutes and fifty-nine seconds left."},
			{"timer_undo", `{}`, "Nine minutes and fifty-eight seconds left on the pasta timer."},
			{"timer_undo", `{}`, "Fourteen minutes and fifty-seven seconds left on the pasta timer."},
		},
		"alarm": {
			{"alarm_set", `{"time":"07:00"}`, "Alarm set for 7 AM today."},
			{"alarm_cancel", `{}`, "The alarm for 7 AM today is cancelled."},
			{"timer_undo", `{}`, "As before: for 7 AM today."},
			{"timer_undo", `{}`, "The alarm for 7 AM today is cancelled."},
		},
		"reminder": {
			{"reminder_set", `{"text":"to call mum","in_s":600}`, "I'll remind you in ten minutes to call mum."},
			{"timer_undo", `{}`, "The reminder to call mum is cancelled."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := start(t, newPath(t), 0)
				defer b.stop()
				for _, c := range calls {
					b.expect(c[0], c[1], c[2])
					time.Sleep(time.Second)
				}
			})
		})
	}
}

func TestTimerIsNotTakenBackTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		defer b.stop()
		b.expect("timer_set", `{"duration_s":600}`, "Timer set for ten minutes.")
		time.Sleep(6 * time.Minute)
		b.expect("timer_undo", `{}`, "There is nothing that I could undo.")
		b.expect("timer_left", `{}`, "Four minutes left on the timer.")
	})
}

func TestTimerThatIsTakenBackRingsWhenItWouldHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.expect("timer_set", `{"duration_s":60,"label":"egg"}`, "Egg timer set for one minute.")
		time.Sleep(20 * time.Second)
		b.expect("timer_cancel", `{}`, "The egg timer is cancelled.")
		time.Sleep(10 * time.Second)
		b.expect("timer_undo", `{}`, "Thirty seconds left on the egg timer.")
		if e, after := b.ring(); after != 30*time.Second || e.Timer.Label != "egg" {
			t.Errorf("%+v after %v", e, after)
		}
	})
}

// "Undo that" is sent to the tool that undoes the last one, and says that it cannot where there is none.
func TestAllThatChangesTimersIsTakenBack(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		list := start(t, path, 0).timers.Tools()
		var undoes []string
		for _, tool := range list {
			if l, ok := tool.(tools.Limited); ok {
				undoes = append(undoes, l.Limits().Undoes...)
			}
		}
		for _, tool := range list {
			if s := tool.Spec(); !s.ReadOnly && !slices.Contains(undoes, s.Name) {
				t.Errorf("%s is not taken back", s.Name)
			}
		}
	})
}
