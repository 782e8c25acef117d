package hass

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/tools/home"
)

func TestServicesAreCalled(t *testing.T) {
	c, a, told := run(t, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	changed := c.Changed()
	for id, want := range map[string]home.State{
		"light.kitchen": {home.Main: "on", home.Brightness: 50.0, home.Colour: home.Color{R: 255}},
	} {
		if err := c.Send(t.Context(), id, want); err != nil {
			t.Error(err)
		}
	}
	<-changed
	if l, _ := c.Entity("light.kitchen"); l.State[home.Main] != "on" || l.State[home.Colour] != (home.Color{R: 255}) {
		t.Errorf("%+v", l.State)
	}
	for _, w := range []struct {
		id   string
		want home.State
	}{
		{"cover.garage", home.State{home.Main: "open"}}, {"cover.garage", home.State{home.Position: 30.0}},
		{"climate.bath", home.State{home.Mode: "off"}},
		{"climate.bath", home.State{home.Target: 22.0}}, {"climate.bath", home.State{home.Preset: "eco"}},
		{"input_boolean.guest", home.State{home.Main: "off"}},
	} {
		if err := c.Send(t.Context(), w.id, w.want); err != nil {
			t.Error(err)
		}
	}
	// As of 2026.2, one that nobody has set since it was plugged in says no target.
	if h, _ := c.Entity("humidifier.bath"); !h.Can[home.TargetHumidity] {
		t.Errorf("%+v", h.Can)
	}
	var got []string
	for _, call := range a.calls {
		var m struct {
			Domain, Service string
			Data            json.RawMessage `json:"service_data"`
			Target          struct {
				ID string `json:"entity_id"`
			}
		}
		if err := json.Unmarshal([]byte(call), &m); err != nil {
			t.Error(err)
		}
		got = append(got, m.Target.ID+" "+m.Domain+"."+m.Service+" "+string(m.Data))
	}
	want := []string{
		`light.kitchen light.turn_on {"brightness_pct":50,"rgb_color":[255,0,0]}`, `cover.garage cover.open_cover {}`,
		`cover.garage cover.set_cover_position {"position":30}`,
		`climate.bath climate.set_hvac_mode {"hvac_mode":"off"}`, `climate.bath climate.set_temperature {"temperature":22}`,
		`climate.bath climate.set_preset_mode {"preset_mode":"eco"}`,
		`input_boolean.guest input_boolean.turn_off {}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for want, e := range map[string]struct {
		entity home.Entity
		want   home.State
	}{
		`media_player.volume_set map[volume_level:0.4]`: {home.Entity{ID: "media_player.radio",
			Kind: home.MediaPlayer}, home.State{home.Volume: 40.0}},
		`media_player.volume_mute map[is_volume_muted:true]`: {home.Entity{ID: "media_player.radio",
			Kind: home.MediaPlayer}, home.State{home.Muted: "on"}},
		`media_player.media_next_track map[]`: {home.Entity{ID: "media_player.radio",
			Kind: home.MediaPlayer}, home.State{home.Main: "next"}},
		`vacuum.clean_area map[cleaning_area_id:[kitchen_room]]`: {home.Entity{ID: "vacuum.rover", Kind: home.Vacuum},
			home.State{home.Main: "cleaning", home.Room: "kitchen_room"}},
	} {
		calls, err := services(e.entity, e.want)
		if got := fmt.Sprintf("%s %v", calls[0].name, calls[0].data); err != nil || len(calls) != 1 || got != want {
			t.Errorf("%v: %v %v, want %s", e.want, calls, err, want)
		}
	}
	if id, err := c.area("Kitchen"); err != nil || id == "" {
		t.Errorf("%q %v", id, err)
	}
	if err := c.Send(t.Context(), "vacuum.rover", home.State{home.Room: "attic"}); err == nil {
		t.Error("a room that there is not was sent to")
	}
	if err := c.Send(t.Context(), "lock.front", home.State{home.Main: "locked"}); err == nil {
		t.Error("a service that failed is taken for done")
	}
	if err := c.Send(t.Context(), "light.none", home.State{home.Main: "on"}); err == nil {
		t.Error("a device that there is not was sent to")
	}
}
