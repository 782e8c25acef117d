package act

import (
	"testing"
	"testing/synctest"
	"time"

	"hearthd/tools/home"
)

func TestBareStopMeansWhatTheLastOrderSetMoving(t *testing.T) {
	for _, c := range []struct {
		order string
		after time.Duration
		text  string
	}{
		{`{"action":"open","name":"blind"}`, time.Second, "I told the blind to stop."},
		{`{"action":"open","name":"blind"}`, 2 * time.Minute, ""},
		{`{"action":"on","name":"lamp"}`, time.Second, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := newHouse(light("l", "Lamp", "Kitchen"),
				part("b", home.Cover, "blind", "Blind", "", "Kitchen", home.State{home.Main: "closed", home.Position: 0.0}, home.Main, home.Position))
			byName, h := newTools(t, house)
			call(t, byName["home_control"], c.order)
			time.Sleep(c.after)
			r, halted, err := h.Halt(t.Context())
			if err != nil || halted != (c.text != "") || r.Text != c.text {
				t.Errorf("%s: %q, %v, %v, want %q", c.order, r.Text, halted, err, c.text)
			}
		})
	}
}
