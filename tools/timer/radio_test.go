package timer_test

import (
	"testing"
	"testing/synctest"
	"time"

	"hearthd/tools/timer"
)

func TestAlarmRingsWithItsStationAlsoWhenItIsSnoozedAndAfterARestart(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := evening(t, path)
		b.expect("alarm_set", `{"time":"07:00?","station":"radio","wake":true}`, "Alarm set for 7 AM tomorrow, with FM4.")
		b.expect("alarm_list", `{}`, "You have an alarm for 7 AM tomorrow, with FM4.")
		b.expect("alarm_set", `{"time":"08:00?","station":"fm five"}`,
			"Alarm set for 8 AM tomorrow. I know no radio station fm five, so it rings as usual.")
		b.stop()
		b = startIn(t, path, 0, berlin(t), false)
		if left := b.timers.List()[0].Ends.Sub(b.now()); left > time.Minute {
			time.Sleep(left - time.Minute)
		}
		for _, after := range []time.Duration{time.Minute, 9 * time.Minute} {
			time.Sleep(after)
			synctest.Wait()
			rung := <-b.bell.fired
			if e := rung[0].Timer; len(rung) != 1 || e.Kind != timer.Alarm || e.Do != "FM4" {
				t.Errorf("%+v rang", rung)
			}
			b.expect("alarm_snooze", `{}`, "Okay, again in nine minutes.")
		}
		b.stop()
	})
}
