package act

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"hearthd/tools"
	"hearthd/tools/home"
)

func player(id, name, area, state string) home.Entity {
	return home.Entity{ID: id, Kind: home.MediaPlayer, Name: name, Area: area, Can: can(home.Main, home.Volume), State: home.State{home.Main: state, home.Volume: 40.0}}
}

func TestWhatPlaysInTheRoomOfTheBoxIsItsOwnUnlessAnotherPlayerSounds(t *testing.T) {
	const pause = `{"action":"set","property":"playback","value":"pause"`
	for _, c := range []struct {
		radio, args string
		own         bool // the box plays something
		text, sent  string
	}{
		{"playing", pause + `,"area":"kitchen"}`, true, "The radio is paused.", `r {"state":"paused"}`},
		{"idle", pause + `,"area":"Kitchen"}`, true, "own pause", ""},
		{"idle", pause + `,"area":"here"}`, true, "own pause", ""},
		{"idle", pause + `,"area":"bedroom"}`, true, "The speaker is paused.", `s {"state":"paused"}`},
		{"idle", pause + `,"name":"radio"}`, true, "The radio is paused.", `r {"state":"paused"}`},
		{"idle", pause + `,"area":"kitchen"}`, false, "The radio is paused.", `r {"state":"paused"}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := newHouse(player("r", "Radio", "Kitchen", c.radio), player("s", "Speaker", "Bedroom", "playing"))
			h, err := New(Options{Devices: house, Area: "Kitchen", Own: func(_ context.Context, do string) (tools.Result, bool, error) {
				return tools.Result{Text: "own " + do}, c.own, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			got := call(t, h.Tools()[0], c.args).Text
			var sent []string
			if c.sent != "" {
				sent = []string{c.sent}
			}
			if got != c.text || !slices.Equal(house.sent, sent) {
				t.Errorf("%s %s: %q, sent %s; want %q, %s", c.radio, c.args, got, house.sent, c.text, c.sent)
			}
		})
	}
}

func TestWhatNamesNothingMeansThePlayerThatWasSpokenOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		house := newHouse(player("r", "Radio", "Kitchen", "playing"), player("s", "Speaker", "Bedroom", "playing"))
		h, err := New(Options{Devices: house, Area: "Kitchen"})
		if err != nil {
			t.Fatal(err)
		}
		call(t, h.Tools()[0], `{"action":"set","name":"bedroom speaker","property":"volume","value":30}`)
		for _, do := range []string{"louder", "pause"} {
			house.sent = nil
			if _, ok, err := h.Playing(t.Context(), do, 10); err != nil || !ok || len(house.sent) != 1 || house.sent[0][0] != 's' {
				t.Errorf("%s: %v, %v, sent %s", do, ok, err, house.sent)
			}
		}
	})
}

func TestWhatNamesNoPlaceMeansThePlayersOfTheRoomThatSound(t *testing.T) {
	for _, c := range []struct{ room, do, text, sent string }{
		{"Kitchen", "next", "I sent that to the radio.", `r {"state":"next"}`},
		{"Kitchen", "what", "The radio is playing at 40 percent.", ""},
		{"Bedroom", "pause", "", ""},
		{"Bedroom", "resume", "The speaker is playing.", `s {"state":"playing"}`},
		{"Attic", "pause", "", ""},
		{"", "pause", "The radio is paused.", `r {"state":"paused"}`},
		{"Kitchen", "louder", "The radio is at 50 percent.", `r {"volume":50}`},
		{"Kitchen", "volume", "The radio is at 10 percent.", `r {"volume":10}`},
		{"Attic", "louder", "", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := newHouse(player("r", "Radio", "Kitchen", "playing"), player("s", "Speaker", "Bedroom", "paused"),
				light("l", "Lamp", "Attic"))
			h, err := New(Options{Devices: house, Area: c.room})
			if err != nil {
				t.Fatal(err)
			}
			r, ok, err := h.Playing(t.Context(), c.do, 10)
			if err != nil || ok != (c.text != "") || r.Text != c.text {
				t.Errorf("%s in %s: %q, %v, %v, want %q", c.do, c.room, r.Text, ok, err, c.text)
			}
			if (c.sent == "") != (len(house.sent) == 0) || c.sent != "" && house.sent[0] != c.sent {
				t.Errorf("%s in %s: sent %s, want %s", c.do, c.room, house.sent, c.sent)
			}
		})
	}
}

func TestWhatWasSpokenOfGoesBeforeWhatPlaysInTheRoom(t *testing.T) {
	for _, c := range []struct{ order, do, sent string }{
		{`{"action":"on","name":"telly"}`, "pause", `s {"state":"paused"}`},
		{`{"action":"on","name":"telly"}`, "volume", `s {"volume":10}`},
		{`{"action":"on","name":"lamp"}`, "volume", `r {"volume":10}`},
		{`{"action":"start","name":"robot"}`, "pause", `v {"state":"paused"}`},
		{`{"action":"start","name":"robot"}`, "volume", `r {"volume":10}`},
		{`{"action":"start","name":"robot"}`, "resume", `v {"state":"cleaning"}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			house := newHouse(player("r", "Radio", "Kitchen", "playing"), player("s", "Telly", "Bedroom", "playing"), light("l", "Lamp", "Kitchen"),
				part("v", home.Vacuum, "", "Robot", "", "Hall", home.State{home.Main: "docked"}, home.Main))
			h, err := New(Options{Devices: house, Area: "Kitchen"})
			if err != nil {
				t.Fatal(err)
			}
			call(t, h.Tools()[0], c.order)
			house.sent = nil
			if r, ok, err := h.Playing(t.Context(), c.do, 10); err != nil || !ok || !slices.Equal(house.sent, []string{c.sent}) {
				t.Errorf("%s, %s: %q, %v, %v, sent %s, want %s", c.order, c.do, r.Text, ok, err, house.sent, c.sent)
			}
		})
	}
}
