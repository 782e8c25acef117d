package act

import (
	"strings"
	"testing"

	"hearthd/tools/home"
	"hearthd/tools/phrase"
)

// strangers is a house as people speak of one that they do not know: by kind, by a part of a name, by a brand.
func strangers() []home.Entity {
	floor := func(e home.Entity, name string) home.Entity { e.Floors = []string{name}; return e }
	player := func(id, class, name, area string) home.Entity {
		return part(id, home.MediaPlayer, class, name, "", area, home.State{home.Main: "playing", home.Volume: 40.0}, home.Main, home.Volume)
	}
	heat := func(id, name, area string, aliases ...string) home.Entity {
		return home.Entity{ID: id, Kind: home.Climate, Name: name, Area: area, Aliases: aliases, Min: 7, Max: 30, Can: can(home.Mode, home.Target),
			Options: map[home.Key][]string{home.Mode: {"off", "heat"}}, State: home.State{home.Mode: "heat", home.Target: 20.0}}
	}
	charge := func(id, name string, v float64) home.Entity {
		return part(id, home.Sensor, "battery", name, "", "", home.State{home.Main: v})
	}
	garden := part("t", home.Sensor, "temperature", "Temperature", "", "Garden", home.State{home.Main: 6.2})
	garden.Unit = "°C"
	return []home.Entity{
		garden, player("s", "speaker", "Sonos", "Kitchen"), player("tv", "tv", "Samsung", "Lounge"), player("r", "", "Radio", "Hall"),
		lit("k1", "Spots", "Kitchen", "on"), lit("l1", "Corner lamp", "Lounge", "on"), lit("l2", "Ceiling", "Lounge", "on"),
		floor(lit("b1", "Mum's lamp", "Bedroom", "off"), "First floor"), floor(lit("h1", "Hall light", "Hall", "on"), "Ground floor"),
		heat("nest", "Nest", "Hall", "heating"), heat("rad", "Radiator", "Bedroom"),
		charge("c1", "Door battery", 14), charge("c2", "Remote battery", 80),
	}
}

func TestStrangersAreUnderstood(t *testing.T) {
	for _, c := range []asked{
		{"Kitchen", `{"action":"off","name":"television"}`, "tv=off"},
		{"Kitchen", `{"action":"off","name":"telly"}`, "tv=off"},
		{"Kitchen", `{"action":"off","name":"box"}`, "tv=off"},
		{"Kitchen", `{"action":"off","name":"speaker"}`, "s=off"},
		{"Kitchen", `{"action":"off","name":"lamp"}`, "which"},
		{"Lounge", `{"action":"off","name":"lamp"}`, "l1=off"},
		{"Kitchen", `{"action":"off","name":"lamps"}`, "l1=off b1=off"},
		{"Bedroom", `{"action":"set","name":"heating","value":21}`, "nest{temperature:21}"},
		{"Kitchen", `{"action":"set","name":"nest","value":68}`, "nest{temperature:20}"},
		{"Kitchen", `{"action":"set","name":"nest","value":70,"unit":"fahrenheit"}`, "nest{temperature:21}"},
		{"Kitchen", `{"action":"set","name":"nest","value":45}`, "no"},
		{"Kitchen", `{"action":"set","name":"nest","value":60,"unit":"percent"}`, "no"},
		{"Kitchen", `{"action":"set","name":"nest","value":85}`, "no"},
		{"Kitchen", `{"action":"set","name":"spots","property":"brightness","value":0.5,"unit":"times"}`, "k1{brightness:20,state:on}"},
		{"Kitchen", `{"action":"set","name":"sonos","property":"volume","value":2,"unit":"times"}`, "s{volume:80}"},
		{"Kitchen", `{"action":"set","name":"corner lamp","value":4,"unit":"times"}`, "l1{brightness:100,state:on}"},
		{"Kitchen", `{"action":"off","name":"lights","area":"downstairs"}`, "h1=off"},
		{"Kitchen", `{"action":"on","name":"lights","area":"upstairs"}`, "b1=on"},
		{"Kitchen", `{"name":"battery","is":"low","which":"list"}`, "The door battery is low."},
	} {
		if happened, text := happens(t, strangers(), c); happened != "" {
			t.Errorf("%s %s\n  said %q\n  did  %s\n  want %s", c.room, c.args, text, happened, c.want)
		}
	}
}

func TestAThermometerTellsHowColdItIsOutside(t *testing.T) {
	r, ok := Outside(newHouse(strangers()...), phrase.English())
	if want := "temperature is 6.2 degrees."; !ok || !strings.HasSuffix(r.Text, want) {
		t.Errorf("outside: %q, %v; want %q", r.Text, ok, want)
	}
	if r, ok := Outside(newHouse(kitchen().Entities()...), phrase.English()); ok {
		t.Errorf("outside of a house without such a thermometer: %q", r.Text)
	}
}
