package act

import (
	"encoding/json"
	"testing"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

func TestWhatDoesHarmOrIsForMoreThanOneRoomIsGrave(t *testing.T) {
	rooms := newHouse(lit("k1", "left lamp", "Kitchen", "on"), lit("k2", "right lamp", "Kitchen", "on"), lit("h", "hall light", "Hall", "on"),
		part("b", home.Cover, "blind", "", "kitchen blinds", "Kitchen", nil, home.Main), part("f", home.Lock, "", "", "front door", "Hall", nil, home.Main),
		part("t", home.Climate, "", "", "heating", "Hall", nil, home.Mode), part("m", home.MediaPlayer, "", "", "radio", "Hall", nil, home.Volume))
	bare := newHouse(lit("k1", "left lamp", "", "on"), lit("k2", "right lamp", "", "on"))
	for _, c := range []struct {
		house      *fakeHouse
		room, args string
		want       bool
	}{
		{rooms, "", `{"action":"open","name":"kitchen blinds"}`, true},
		{rooms, "", `{"action":"unlock","name":"front door"}`, true},
		{rooms, "", `{"action":"close","name":"kitchen blinds"}`, false},
		{rooms, "", `{"action":"off","name":"heating"}`, true},
		{rooms, "", `{"action":"set","name":"heating","property":"mode","value":"off"}`, true},
		{rooms, "", `{"action":"on","name":"heating"}`, false},
		{rooms, "", `{"action":"set","name":"radio","property":"volume","value":100}`, true},
		{rooms, "", `{"action":"set","name":"radio","property":"volume","value":20}`, false},
		{rooms, "Kitchen", `{"action":"off","name":"lights","which":"all"}`, true},
		{rooms, "", `{"action":"off","name":"lights","which":"all","area":"kitchen"}`, false},
		{rooms, "", `{"action":"off","name":"hall light"}`, false},
		{rooms, "", `{"action":"off","name":"lights"}`, true},
		{rooms, "Kitchen", `{"action":"off","name":"lights"}`, false},
		{rooms, "", `{"action":"off","name":"everything"}`, true},
		{rooms, "", `{"action":"off","name":"everything","area":"kitchen"}`, false},
		{bare, "", `{"action":"off","name":"everything"}`, true},
		{bare, "", `{"action":"off","name":"left lamp"}`, false},
	} {
		h, err := New(Options{Devices: c.house, Area: c.room})
		if err != nil {
			t.Fatal(err)
		}
		if got := h.grave(json.RawMessage(c.args)); got != c.want {
			t.Errorf("in %q %s: %v", c.room, c.args, got)
		}
	}
}

func TestTheAnswerAllOfThemIsGraveInMoreThanOneRoom(t *testing.T) {
	h, err := New(Options{Devices: newHouse(lit("k", "lamp", "Kitchen", "on"), lit("h", "lamp", "Hall", "on"))})
	if err != nil {
		t.Fatal(err)
	}
	a := meaning.Request{Action: "off", Name: "lamp"}
	targets, choice := h.targets(&a)
	if !choice {
		t.Fatalf("it is not asked which: %+v", targets)
	}
	h.which(h.teller(&a), targets, &a, false)
	for answer, want := range map[string]bool{"all of them": true, "the kitchen one": false, "the shed": false} {
		args, err := json.Marshal(map[string]string{"name": answer})
		if err != nil {
			t.Fatal(err)
		}
		if got := h.graveChoice(args); got != want {
			t.Errorf("%s: %v", answer, got)
		}
	}
}
