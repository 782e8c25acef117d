package home

import (
	"slices"
	"testing"
)

func TestAlarmSaysWhetherItIsArmed(t *testing.T) {
	panel := func(now string) Entity {
		return Entity{ID: "alarm", Kind: Alarm, Name: "House alarm", Reports: can(Main), State: State{Main: now}}
	}
	siren := Entity{ID: "siren", Kind: Siren, Name: "Horn", Can: can(Main), State: State{Main: "off"}}
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
	e := Entity{ID: "cat", Kind: Button, Name: "Feed the cat"}
	if got := e.Names("en"); !slices.Equal(got, []string{"feed cat", "feed the cat"}) {
		t.Errorf("names: %q", got)
	}
}
