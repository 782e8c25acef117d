package timers

import (
	"testing"

	"hearthd/tools/timer"
)

// Of an alarm Timer.Do is a station, of an order the call, which nobody outside needs.
func TestStationIsShownOfAlarmsOnly(t *testing.T) {
	got := shown([]timer.Timer{{Kind: timer.Alarm, Do: "FM4"}, {Kind: timer.Order, Do: "{}"}, {Kind: timer.Alarm}})
	for i, want := range []string{"FM4", "", ""} {
		if got[i].Station != want {
			t.Errorf("%s number %d has the station %q, want %q", got[i].Kind, i, got[i].Station, want)
		}
	}
}
