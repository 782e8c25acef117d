package hass

import (
	"testing"

	"hearthd/tools/home"
)

func TestDeviceOfHomeAssistantIsAWayInByItsClassItsNameItsIDAndItsMembers(t *testing.T) {
	a := &assistant{t: t, many: `{"entity_id":"lock.fritz","state":"locked","attributes":{}},
		{"entity_id":"cover.big","state":"closed","attributes":{"device_class":"garage"}},
		{"entity_id":"cover.rollo","state":"closed","attributes":{"device_class":"shade","friendly_name":"Haustür Rollo"}},
		{"entity_id":"input_boolean.front_gate","state":"off","attributes":{"friendly_name":"Toggle 7"}},
		{"entity_id":"input_button.x","state":"unknown","attributes":{"friendly_name":"Türöffner"}},
		{"entity_id":"button.x","state":"unknown","attributes":{"friendly_name":"Front door identify","device_class":"identify"}},
		{"entity_id":"script.x","state":"off","attributes":{"friendly_name":"Ouvrir le portail"}},
		{"entity_id":"scene.evening","state":"unknown","attributes":{"friendly_name":"Evening","entity_id":["light.kitchen","lock.fritz"]}},
		{"entity_id":"scene.morning","state":"unknown","attributes":{"friendly_name":"Morning","entity_id":["light.kitchen"]}},
		{"entity_id":"switch.all","state":"off","attributes":{"friendly_name":"All","entity_id":["switch.all","input_boolean.front_gate"]}},
		{"entity_id":"input_select.x","state":"a","attributes":{"friendly_name":"Lock mode","options":["a","b"]}},
		{"entity_id":"light.garage","state":"off","attributes":{"friendly_name":"Garage"}},
		{"entity_id":"switch.garage_light","state":"off","attributes":{"friendly_name":"Garage light"}},`}
	c, told := runWith(t, a, token)
	if err := await(t, told); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{
		"lock.fritz": true, "cover.big": true, "cover.rollo": false, "input_boolean.front_gate": true,
		"input_button.x": true, "button.x": false, "script.x": true,
		"scene.evening": true, "scene.morning": false, "switch.all": true, "input_select.x": true, "light.garage": false,
		"switch.garage_light": false,
	} {
		e, ok := c.Entity(id)
		if !ok {
			t.Errorf("%s is not known", id)
			continue
		}
		if w, is := new(home.Marks).WayIn(c, &e); is != want {
			t.Errorf("%s: %t, %q", id, is, w.Why)
		}
	}
}
