package timer_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/tools/timer"
	"hearthd/tools/when"
)

// order keeps one, and checks what is said.
func (b *box) order(p timer.Plan, want string) {
	b.t.Helper()
	r, err := b.timers.Order(b.t.Context(), p)
	if err != nil || r.Text != want {
		b.t.Errorf("%+v: %q, %v, want %q", p, r.Text, err, want)
	}
}

// What is ordered on at eleven in the evening is not ordered off at ten before.
func TestAnOrderThatEndsAnotherComesBehindIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		ten, eleven := when.Clock{Hour: 10, Open: true}, when.Clock{Hour: 11, Open: true}
		b.order(timer.Plan{Label: "turn on the lamp", Do: "{}", Time: &eleven}, "I'll turn on the lamp at 11 PM today.")
		b.order(timer.Plan{Label: "turn off the lamp", Do: "{}", Time: &ten, From: &eleven}, "I'll turn off the lamp at 10 AM tomorrow.")
		b.order(timer.Plan{Label: "turn off the fan", Do: "{}", Time: &ten}, "I'll turn off the fan at 10 PM today.")
	})
}

func TestAnOrderIsMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, newPath(t))
		eleven := when.Clock{Hour: 11, Open: true}
		b.order(timer.Plan{Label: "turn on the lamp", Do: "{}", Time: &eleven}, "I'll turn on the lamp at 11 PM today.")
		b.expect("home_later_change", `{"name":"it","number":10}`, "I will turn on the lamp at 10 PM today.")
		b.expect("home_later_change", `{"name":"lamp","new_minute":15}`, "I will turn on the lamp at 10:15 PM today.")
		b.order(timer.Plan{Label: "turn off the fan", Do: "{}", In: 10 * time.Minute}, "I'll turn off the fan in ten minutes.")
		b.expect("home_later_change", `{"name":"it","in_s":3600}`, "I will turn off the fan at 9 PM today.")
	})
}

func TestOrderIsCarriedOutAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.order(timer.Plan{Label: "turn off the oven", Do: "{}", In: 10 * time.Minute}, "I'll turn off the oven in ten minutes.")
		b.order(timer.Plan{Label: "turn on the heating", Do: "{}", Time: &when.Clock{Hour: 6, Minute: 30}}, "I'll turn on the heating at 6:30 AM today.")
		b.expect("home_later_list", "{}", "I am to turn off the oven in ten minutes and turn on the heating at 6:30 AM today.")
		// They are called as their devices call themselves.
		if out := b.run("home_later_list", "{}"); !out.Result.Foreign {
			t.Errorf("%q is not foreign", out.Result.Text)
		}
		e, after := b.ring()
		if after != 10*time.Minute || e.Timer.Kind != timer.Order || e.Timer.Do != "{}" || e.Timer.Label != "turn off the oven" {
			t.Errorf("%+v after %v", e, after)
		}
		b.expect("alarm_snooze", "{}", "Nothing is ringing.")
		b.timers.Ended([]int64{e.Timer.ID})
		e, _ = b.ring()
		if at := b.now().Format(time.TimeOnly); at != "06:30:00" || b.timers.Due(e) != "I was to turn on the heating at 6:30 AM" {
			t.Errorf("%+v at %s: %s", e, at, b.timers.Due(e))
		}
	})
}

func TestOrderOutlivesARestartAndIsToldWhenItIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := newPath(t)
		b := start(t, path, 0)
		call := `{"arguments":{"action":"off","name":"oven"},"agreed":true}`
		b.order(timer.Plan{Label: "turn off the oven", Do: call, In: time.Hour}, "I'll turn off the oven in one hour.")
		b.order(timer.Plan{Label: "close the blinds", Do: call, In: 2 * time.Hour}, "I'll close the blinds in two hours.")
		b.stop()
		b = start(t, path, 62*time.Minute) // off for 62 minutes
		e, _ := b.ring()
		if !e.Missed || e.Once || e.Timer.Do != call {
			t.Errorf("two minutes late: %+v", e)
		}
		b.timers.Ended([]int64{e.Timer.ID})
		synctest.Wait()
		b.stop()
		b = start(t, path, 3*time.Hour)
		if e, _ = b.ring(); !e.Missed || !e.Once || e.Timer.Label != "close the blinds" {
			t.Errorf("an hour late: %+v", e)
		}
	})
}

func TestOrderThatWasBegunIsBegunAgainAfterAPowerCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := newPath(t)
		b := start(t, path, 0)
		b.order(timer.Plan{Label: "turn off the oven", Do: "{}", In: time.Minute}, "I'll turn off the oven in one minute.")
		first, _ := b.ring()
		synctest.Wait() // it is stored that it is due
		b.stop()
		b = start(t, path, 0)
		again, _ := b.ring()
		if !again.Again || again.Timer.ID != first.Timer.ID || again.Timer.Do != "{}" {
			t.Errorf("%+v, then %+v", first, again)
		}
	})
}

func TestOrderIsCancelledByItsDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.expect("home_later_cancel", `{"name":"oven"}`, "You have no orders.")
		b.order(timer.Plan{Label: "turn off the oven", Do: "{}", In: time.Hour}, "I'll turn off the oven in one hour.")
		b.order(timer.Plan{Label: "turn on the porch light", Do: "{}", Time: &when.Clock{Hour: 20}}, "I'll turn on the porch light at 8 PM today.")
		b.expect("home_later_cancel", `{"name":"heating"}`, "There is no such order. You have two orders: turn off the oven in one hour and turn on the porch light at 8 PM today.")
		b.expect("home_later_cancel", `{"name":"oven"}`, "The order to turn off the oven is cancelled.")
		b.expect("home_later_cancel", `{"all":true}`, "The order to turn on the porch light is cancelled.")
		b.expect("home_later_list", "{}", "Nothing is ordered for later.")
		b.quiet(24 * time.Hour)
	})
}

func TestAllTimersButOneAreCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.expect("timer_set", `{"duration_s":600,"label":"rice","more":[{"duration_s":700,"label":"beans"},{"duration_s":800,"label":"cake"}]}`,
			"Rice timer set for ten minutes, beans timer set for eleven minutes and forty seconds and cake timer set for thirteen minutes and twenty seconds.")
		b.expect("timer_cancel", `{"all":true,"except":"soup"}`, "You have no soup timer. You have three timers: the rice timer, the beans timer and the cake timer.")
		b.expect("timer_pause", `{"all":true,"except":"cake"}`, "The rice timer and the beans timer are paused.")
		b.expect("timer_cancel", `{"all":true,"except":"rice"}`, "The cake timer and the beans timer are cancelled.")
		if list := b.timers.List(); len(list) != 1 || list[0].Label != "rice" {
			t.Errorf("%+v", list)
		}
		b.expect("timer_resume", `{}`, "The rice timer is running again, with ten minutes left.")
		for _, tool := range []string{"timer_pause", "timer_cancel"} {
			b.expect(tool, `{"all":true,"except":"rice"}`, "You have no other timers.")
			b.expect(tool, `{"all":true,"except":"soup"}`, "You have no soup timer. You have one timer: the rice timer.")
		}
	})
}

func TestTimerIsSetAgainForTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.expect("timer_again", "{}", "You have no timers.")
		b.expect("timer_set", `{"duration_s":600,"label":"rice"}`, "Rice timer set for ten minutes.")
		time.Sleep(4 * time.Minute)
		b.expect("timer_again", "{}", "The rice timer starts again: ten minutes.")
		if e, after := b.ring(); after != 10*time.Minute || e.Timer.Label != "rice" {
			t.Errorf("%+v after %v", e, after)
		}
		b.expect("timer_again", `{"label":"rice"}`, "Rice timer set again for ten minutes.")
		var left []time.Duration
		for _, e := range b.timers.List() {
			left = append(left, e.Ends.Sub(b.now()))
		}
		if diff := cmp.Diff([]time.Duration{10 * time.Minute}, left); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOrderAboutATimerThatIsNotThereSetsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0)
		b.expect("timer_change", `{"duration_s":960,"label":"rice"}`, "You have no timers.")
		b.expect("timer_set", `{"duration_s":600}`, "Timer set for ten minutes.")
		for tool, args := range map[string]string{
			"timer_change": `{"add_s":-60,"label":"five minutes"}`, "timer_pause": `{"label":"five minutes"}`, "timer_resume": `{"label":"five minutes"}`,
			"timer_cancel": `{"label":"five minutes"}`, "timer_left": `{"label":"five minutes"}`, "timer_again": `{"label":"five minutes"}`,
		} {
			b.expect(tool, args, "You have no five minute timer. You have one timer: the ten minute timer.")
			if n := len(b.timers.List()); n != 1 {
				t.Errorf("%s: there are %d", tool, n)
			}
		}
		b.expect("timer_change", `{"add_s":-60,"label":"ten minutes"}`, "The timer now has nine minutes left.")
	})
}
