package timer_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// A fresh image is in UTC: what was set before somebody said where it stands rings by the clock on the wall.
func TestWhatIsForATimeOfDayFollowsTheTimeZone(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		b := start(t, path, 0)
		b.run("alarm_set", `{"time":"07:00","repeat":"FREQ=DAILY"}`)
		b.run("alarm_set", `{"time":"08:30"}`)
		b.run("reminder_set", `{"time":"18:00","text":"call mum"}`)
		b.run("timer_set", `{"duration_s":36000}`)
		for _, zone := range []struct {
			name string
			east time.Duration
		}{{"Europe/Berlin", time.Hour}, {"America/New_York", -5 * time.Hour}, {"UTC", 0}} {
			b.stop()
			loc, err := time.LoadLocation(zone.name)
			if err != nil {
				t.Fatal(err)
			}
			b = startIn(t, path, 0, loc, false)
			for _, e := range b.timers.List() {
				_, off := e.Starts.Zone()
				want := e.Starts.Add(-zone.east - time.Duration(off)*time.Second)
				if e.Length > 0 {
					want = time.Date(2000, time.January, 1, 10, 0, 0, 0, time.UTC)
				}
				if !e.Ends.Equal(want) {
					t.Errorf("%s: %s at %v ends at %v, want %v", zone.name, e.Kind, e.Starts, e.Ends.UTC(), want)
				}
			}
		}
	})
}
