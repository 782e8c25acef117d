package main

import (
	"strings"
	"testing"
	"time"

	"hearthd/daemon/event"
)

func TestTimersNameTheStation(t *testing.T) {
	for station, want := range map[string]bool{"FM4": true, "": false} {
		var b strings.Builder
		showTimers(&b, []event.Timer{{ID: 1, Kind: "alarm", Ends: time.Now(), Station: station}})
		if strings.HasSuffix(b.String(), ", with FM4\n") != want {
			t.Errorf("the alarm with station %q is shown as %q", station, b.String())
		}
	}
}
