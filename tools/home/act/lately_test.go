package act

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/tools"
	"hearthd/tools/home"
)

// What is spoken of without a name, in a house of two rooms.
func lately() []home.Entity {
	lamp := func(id, name, area, state string) home.Entity {
		return home.Entity{ID: id, Kind: home.Light, Name: name, Area: area, Can: can(home.Main, home.Brightness, home.Colour), State: home.State{home.Main: state, home.Brightness: 50.0}}
	}
	degrees := func(id, name, area string, v float64) home.Entity {
		return home.Entity{ID: id, Kind: home.Sensor, Class: "temperature", Name: name, Area: area, Unit: "°C", State: home.State{home.Main: v}}
	}
	return []home.Entity{
		lamp("k1", "Spots", "Kitchen", "on"), lamp("k2", "Island", "Kitchen", "off"), lamp("b1", "Lamp", "Bedroom", "on"),
		player("s", "Sonos", "Bedroom", "playing"),
		{ID: "c", Kind: home.Cover, Class: "blind", Name: "Blind", Area: "Kitchen", Can: can(home.Main, home.Position), State: home.State{home.Main: "open", home.Position: 50.0}},
		{ID: "h1", Kind: home.Climate, Name: "Boiler", Area: "Kitchen", Can: can(home.Main, home.Target, home.Current), State: home.State{home.Main: "heat", home.Target: 20.0, home.Current: 20.5}},
		{ID: "h2", Kind: home.Climate, Name: "Vaillant", Area: "Bedroom", Can: can(home.Main, home.Target, home.Current), State: home.State{home.Main: "heat", home.Target: 17.0, home.Current: 18.5}},
		degrees("t1", "Kitchen temperature", "Kitchen", 21), degrees("t2", "Bedroom temperature", "Bedroom", 18), degrees("t3", "Freezer", "Kitchen", -18),
	}
}

func TestWhatIsSpokenOfWithoutItsName(t *testing.T) {
	for _, c := range []struct{ calls, want, sent string }{
		{`{"action":"lower","name":"light","area":"here"}`, "The spots are at 30 percent.", `k1 {"brightness":30,"state":"on"}`},
		{`{"action":"off","name":"light"}`, "The spots are off.", `k1 {"state":"off"}`},
		{`{"action":"off","name":"lights","area":"Kitchen"} {"action":"on","name":"it"}`, "The spots are on.", `k1 {"state":"on"}`},
		{`{"action":"stop","name":"it"}`, "Please say which device you mean.", ""},
		{`{"action":"set","name":"spots","value":"blue","property":"color","percent":30}`, "The spots are blue at 30 percent.",
			`k1 {"brightness":30,"color":"#0000ff","state":"on"}`},
		{`{"action":"lower","name":"blind","property":"position","step":20,"unit":"percent"}`, "The blind is at 30 percent.", `c {"position":30}`},
		{`{"action":"set","name":"sonos","value":60,"unit":"percent"} {"action":"lower","property":"volume"}`, "The sonos are at 50 percent.",
			`s {"volume":50}`},
		{`{"action":"off","name":"spots"} {"action":"lower","property":"volume"}`, "own -10", ""},
		{`{"action":"off","name":"spots"} {"action":"raise","name":"it","property":"volume"}`, "own +10", ""},
		{`{"action":"raise","property":"temperature"}`, "The boiler is set to 21 degrees.", `h1 {"temperature":21}`},
		{`{"action":"set","name":"vaillant","value":19} {"action":"raise","name":"it","property":"temperature"}`, "The vaillant is set to 20 degrees.", `h2 {"temperature":20}`},
		{`{"action":"off","name":"spots"} {"name":"it","is":"on"}`, "No. The spots are off.", ""},
		{`{"name":"it","is":"on"}`, "Please say which device you mean.", ""},
		{`{"what":"temperature","which":"most"}`, "The kitchen temperature is 21 degrees.", ""},
		{`{"what":"temperature","which":"least"}`, "The bedroom temperature is 18 degrees.", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := newHouse(lately()...)
			h, err := New(Options{Devices: house, Area: "Kitchen", Louder: func(_ context.Context, step int) (tools.Result, error) {
				return tools.Result{Text: fmt.Sprintf("own %+d", step)}, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			for args := range strings.SplitSeq(c.calls, " {") {
				args = "{" + strings.TrimPrefix(args, "{")
				tool := map[bool]int{true: 0, false: 1}[strings.Contains(args, "action")]
				house.sent = nil
				said = call(t, h.Tools()[tool], args).Text
			}
			if sent := strings.Join(house.sent, " "); said != c.want || sent != c.sent {
				t.Errorf("%s: %q, sent %s; want %q, %s", c.calls, said, sent, c.want, c.sent)
			}
		})
	}
}
