package act

import (
	"slices"
	"testing"

	"hearthd/tools/home"
)

func TestAlarmSaysWhetherItIsArmed(t *testing.T) {
	panel := func(now string) home.Entity {
		return home.Entity{ID: "alarm", Kind: home.Alarm, Name: "House alarm", Reports: can(home.Main), State: home.State{home.Main: now}}
	}
	siren := home.Entity{ID: "siren", Kind: home.Siren, Name: "Horn", Can: can(home.Main), State: home.State{home.Main: "off"}}
	for _, c := range []struct{ now, args, want string }{
		{"armed_away", `{"name":"alarm","is":"armed"}`, "Yes, the house alarm is armed."},
		{"armed_away", `{"name":"house alarm","is":"disarmed"}`, "No. The house alarm is armed away."},
		{"disarmed", `{"name":"alarm","is":"armed"}`, "No. The house alarm is disarmed."},
		{"triggered", `{"name":"alarm","is":"armed"}`, "No. The house alarm is triggered."},
		{"disarmed", `{"name":"alarmanlage","is":"disarmed"}`, "Yes, the house alarm is disarmed."},
	} {
		byName, _ := newTools(t, newHouse(panel(c.now), siren))
		if got := call(t, byName["home_read"], c.args).Text; got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.now, c.args, got, c.want)
		}
	}
}

func TestAButtonIsAlsoCalledByItsNameInFull(t *testing.T) {
	e := home.Entity{ID: "cat", Kind: home.Button, Name: "Feed the cat"}
	if got := e.Names("en"); !slices.Equal(got, []string{"feed cat", "feed the cat"}) {
		t.Errorf("names: %q", got)
	}
}
