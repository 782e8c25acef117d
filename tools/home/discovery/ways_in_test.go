package discovery

import (
	"testing"

	"hearthd/tools/home"
)

func TestAnnouncedDeviceIsAWayInByItsClassItsNameAndItsIdentifier(t *testing.T) {
	for _, c := range []struct {
		topic, payload string
		want           bool
	}{
		{"homeassistant/lock/0x1/config", `{"name":"Fritz","command_topic":"a/set"}`, true},
		{"homeassistant/cover/0x1/config", `{"name":"Big","device_class":"garage","command_topic":"a/set"}`, true},
		{"homeassistant/cover/0x1/config", `{"name":"Big","device_class":"gate","command_topic":"a/set"}`, true},
		{"homeassistant/cover/0x1/config", `{"name":"Big","device_class":"door","command_topic":"a/set"}`, true},
		{"homeassistant/cover/0x1/config", `{"name":"Haustür","device_class":"blind","command_topic":"a/set"}`, false},
		{"homeassistant/switch/0x1/config", `{"name":"Relay","command_topic":"a/set","device":{"name":"Hoftor",` +
			`"identifiers":["1"]}}`, true},
		{"homeassistant/switch/front_door_strike/config", `{"name":"Relay 3","command_topic":"a/set"}`, true},
		{"homeassistant/switch/0x1/config", `{"name":"Relay 3","object_id":"gate_relay","command_topic":"a/set"}`, true},
		{"homeassistant/switch/0x1/config", `{"name":"Relay 3","default_entity_id":"switch.haustur","command_topic":"a/set"}`, true},
		{"homeassistant/switch/0x1/config", `{"name":"Relay 3","command_topic":"a/set","device":{"name":"Shelly",` +
			`"suggested_area":"Garage","identifiers":["1"]}}`, true},
		{"homeassistant/button/0x1/config", `{"name":"Press","command_topic":"a/set","device":{"name":"Door release",` +
			`"identifiers":["1"]}}`, true},
		{"homeassistant/scene/0x1/config", `{"name":"Open the house","command_topic":"a/set","payload_on":"ON"}`, true},
		{"homeassistant/select/0x1/config", `{"name":"Lock mode","options":["a","b"],"command_topic":"a/set"}`, true},
		{"homeassistant/light/0x1/config", `{"name":"Front door","command_topic":"a/set"}`, false},
		{"homeassistant/switch/0x1/config", `{"name":"Child lock","command_topic":"a/set","device":{"name":"Radiator ` +
			`valve","identifiers":["1"]}}`, false},
		{"homeassistant/switch/garage_light/config", `{"name":"Garage light","command_topic":"a/set"}`, false},
		{"homeassistant/switch/0x1/config", `{"name":"Coffee machine","command_topic":"a/set"}`, false},
	} {
		h, _ := newHub(t)
		hear(h, c.topic, []byte(c.payload))
		all := h.Entities()
		if len(all) != 1 {
			t.Fatalf("%s: %d devices, skipped %v", c.payload, len(all), h.Skipped())
		}
		if w, is := new(home.Marks).WayIn(h, &all[0]); is != c.want {
			t.Errorf("%s %s: %t, %q", c.topic, c.payload, is, w.Why)
		}
	}
}
