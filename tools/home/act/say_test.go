package act

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/tools/home"
	"hearthd/tools/phrase"
)

// A house of Germans, and what they are told.
func TestAnswersInGerman(t *testing.T) {
	german, err := phrase.New(phrase.Options{Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	lamp := func(id, name, area string) home.Entity { return lit(id, name, area, "off") }
	house := func() *fakeHouse {
		return newHouse(
			lamp("1", "Deckenlampe", "Küche"), lamp("2", "Stehlampe", "Wohnzimmer"), lamp("3", "Leselampe", "Wohnzimmer"),
			light("4", "Licht", "Flur", home.Brightness, home.Colour),
			part("5", home.Cover, "shutter", "Rollläden", "", "Schlafzimmer", home.State{home.Main: "open", home.Position: 100.0}, home.Main, home.Position),
			home.Entity{ID: "6", Kind: home.Climate, Name: "Heizung", Area: "Bad", Min: 5, Max: 30, Can: can(home.Mode, home.Target), Reports: can(home.Mode, home.Target, home.Current),
				Options: map[home.Key][]string{home.Mode: {"off", "heat"}}, State: home.State{home.Mode: "heat", home.Target: 20.0, home.Current: 19.5}},
			part("7", home.Lock, "", "Haustür", "", "Flur", home.State{home.Main: "unlocked"}, home.Main), part("8", home.Vacuum, "", "Staubsauger", "", "", home.State{home.Main: "docked"}, home.Main),
			part("9", home.Sensor, "temperature", "Temperatur", "", "Keller", home.State{home.Main: 17.5}),
			part("10", home.BinarySensor, "window", "Fenster", "", "Bad", home.State{home.Main: "on"}), part("11", home.BinarySensor, "presence", "Mia", "", "", home.State{home.Main: "off"}),
			part("12", home.Light, "", "Strahler 2", "", "Garten", home.State{home.Main: "on"}, home.Main),
		)
	}
	for _, c := range [][2]string{
		{`{"action":"on","name":"deckenlampe"}`, "Die Deckenlampe ist an."},
		{`{"action":"off","name":"strahler 2"}`, "Strahler 2 ist aus."},
		{`{"action":"off","name":"licht","area":"flur"}`, "Das Licht ist aus."},
		{`{"action":"on","name":"lampen","area":"wohnzimmer"}`, "Beide Lichter sind an."},
		{`{"action":"on","name":"lichter","which":"all","except":"garten"}`, "Alle vier Lichter sind an."},
		{`{"action":"on","name":"lampe","area":"wohnzimmer"}`, "Welches Gerät meinst du: die Leselampe oder die Stehlampe?"},
		{`{"action":"set","name":"licht","area":"flur","value":"blue"}`, "Das Licht ist blau."},
		{`{"action":"set","name":"stehlampe","value":30,"unit":"percent"}`, "Die Stehlampe ist auf 30 Prozent."},
		{`{"action":"set","name":"stehlampe","value":"blue"}`, "Die Stehlampe kann nicht auf blau gestellt werden."},
		{`{"action":"set","name":"heizung","value":21.5}`, "Die Heizung ist auf 21,5 Grad gestellt."},
		{`{"action":"set","name":"heizung","value":45}`, "Die Heizung kann nur auf 5 bis 30 Grad gestellt werden."},
		{`{"action":"close","name":"rollläden"}`, "Die Rollläden sind geschlossen."},
		{`{"action":"start","name":"staubsauger"}`, "Der Staubsauger ist am Saugen."},
		{`{"action":"on","name":"hubschrauber","area":"keller"}`, "Ich finde im Keller kein Gerät namens Hubschrauber."},
		{`{"name":"haustür","is":"locked"}`, "Nein. Die Haustür ist aufgeschlossen."},
		{`{"name":"haustür","is":"open"}`, "Ja, die Haustür ist aufgeschlossen."},
		{`{"name":"lichter","is":"on","which":"any"}`, "Ja, Strahler 2 ist an. Was mit dem Licht ist, weiß ich nicht."},
		{`{"name":"lichter","area":"wohnzimmer","is":"on","which":"any"}`, "Nein, nichts davon ist an."},
		{`{"name":"lichter","is":"off","which":"number"}`, "Drei von fünf: die Deckenlampe, die Leselampe und die Stehlampe sind aus. Was mit dem Licht ist, weiß ich nicht."},
		{`{"name":"heizung"}`, "Die Heizung ist im Heizbetrieb, auf 20 Grad gestellt und jetzt bei 19,5 Grad."},
		{`{"area":"keller","what":"temperature"}`, "Die Temperatur ist 17,5."},
		{`{"name":"fenster","is":"open","which":"list"}`, "Das Fenster ist offen."},
		{`{"name":"mia","is":"home"}`, "Nein. Mia ist nicht zu Hause."},
		{`{"action":"unlock","name":"haustür"}`, "Soll ich die Haustür aufschließen?"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h, err := New(Options{Devices: house(), Book: german})
			if err != nil {
				t.Fatal(err)
			}
			got := h.confirms("home.shall", "")([]byte(c[0]))
			if !strings.Contains(c[0], `"action"`) {
				got = call(t, h.Tools()[1], c[0]).Text
			} else if got == "" {
				got = call(t, h.Tools()[0], c[0]).Text
			}
			if got != c[1] {
				t.Errorf("%s: %q, want %q", c[0], got, c[1])
			}
		})
	}
}

func TestTheLightOfTheHouseIsAllOfIt(t *testing.T) {
	for args, want := range map[string]string{
		`{"action":"lower","name":"licht","area":"house","property":"brightness"}`: `l1 {"brightness":40,"state":"on"}, l2 {"brightness":40,"state":"on"}`,
		`{"action":"off","name":"licht","area":"house"}`:                           `l1 {"state":"off"}, l2 {"state":"off"}, l3 {"state":"off"}`,
		`{"action":"set","name":"licht","area":"house","value":30}`:                `l1 {"brightness":30,"state":"on"}, l2 {"brightness":30,"state":"on"}, l3 {"brightness":30,"state":"on"}`,
	} {
		a, b, c := light("l1", "Deckenlampe", "Küche", home.Brightness), light("l2", "Flurlicht", "Flur", home.Brightness), light("l3", "Badlicht", "Bad", home.Brightness)
		a.State, b.State, c.State = home.State{home.Main: "on", home.Brightness: 60.0}, home.State{home.Main: "on", home.Brightness: 60.0}, home.State{home.Main: "off"}
		house := newHouse(a, b, c)
		out := run(t, house)("home_control", args)
		slices.Sort(house.sent)
		if got := strings.Join(house.sent, ", "); got != want {
			t.Errorf("%s: %s, want %s: %+v", args, got, want, out)
		}
	}
}

func TestLichtThatIsDimmedIsWhatShines(t *testing.T) {
	lamp, dark := light("l1", "Deckenlampe", "Küche", home.Brightness), light("l2", "Arbeitslicht", "Küche", home.Brightness)
	lamp.State, dark.State = home.State{home.Main: "on", home.Brightness: 60.0}, home.State{home.Main: "off"}
	house := newHouse(lamp, dark)
	h, err := New(Options{Devices: house, Area: "Küche"})
	if err != nil {
		t.Fatal(err)
	}
	call(t, h.Tools()[0], `{"action":"lower","name":"licht","property":"brightness"}`)
	if len(house.sent) != 1 || house.sent[0] != `l1 {"brightness":40,"state":"on"}` {
		t.Errorf("sent %q", house.sent)
	}
}
