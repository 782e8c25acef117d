package discovery

import (
	"strings"
	"testing"

	"hearthd/tools/home"
)

// Zigbee2MQTT's bridge announces this in every house.
const bridge = `{"enabled_by_default":false,"json_attributes_template":"{{ value_json.data.value | tojson }}",` +
	`"json_attributes_topic":"zigbee2mqtt/bridge/response/networkmap",` +
	`"name":"Network map","object_id":"zigbee2mqtt_bridge_network_map",` +
	`"state_topic":"zigbee2mqtt/bridge/response/networkmap",` +
	`"value_template":"{{ now().strftime('%Y-%m-%d %H:%M:%S') }}","device":{"name":"Zigbee2MQTT Bridge"}}`

func TestBridgeOfZigbee2MQTTLeavesNoCondition(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "homeassistant/sensor/1221051039810110150109113116116_0x1/network_map/config", []byte(bridge))
	hear(h, "zigbee2mqtt/bridge/response/networkmap", []byte(`{"data":{"value":"x"}}`))
	if s := append(h.Skipped(), h.Aside()...); len(s) > 0 {
		t.Errorf("%q", s)
	}
	for _, e := range h.Entities() {
		if text, _ := e.State[home.Main].(string); e.Category == "" || len(text) != len("2026-01-01 00:00:00") {
			t.Errorf("%+v", e)
		}
	}
}

// What nobody talks of is no reason for a condition; what people use is.
func TestUnusedComponentsAreLeftOutSilently(t *testing.T) {
	const rest = `"name":"A","state_topic":"s","value_template":"{{ value | mystery }}"}`
	for doc, named := range map[string]int{
		`{` + rest:                                     1,
		`{"enabled_by_default":true,` + rest:           1,
		`{"enabled_by_default":false,` + rest:          0,
		`{"en":false,` + rest:                          0,
		`{"entity_category":"diagnostic",` + rest:      0,
		`{"ent_cat":"config",` + rest:                  0,
		`{"enabled_by_default":false,"state_topic":5}`: 0,
	} {
		h, _ := newHub(t)
		hear(h, "homeassistant/sensor/a/config", []byte(doc))
		whole := `{"dev":{"ids":"x"},"o":{"name":"x"},"cmps":{"b":` + strings.Replace(doc, "{", `{"p":"sensor",`, 1) + `}}`
		hear(h, "homeassistant/device/a/config", []byte(whole))
		if s := h.Skipped(); len(s) != 2*named || len(h.Entities()) != 0 {
			t.Errorf("%s: %q, %d devices", doc, s, len(h.Entities()))
		}
	}
}

// A disabled component is there to be asked for by its name alone, as settings are.
func TestDisabledComponentIsNoDeviceOfTheHouse(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "homeassistant/switch/a/config", []byte(`{"name":"A","command_topic":"a","enabled_by_default":false}`))
	if e, _ := h.Entity("switch/a"); e.Category == "" {
		t.Errorf("%+v", e)
	}
}

func TestTasmotasSensorsAreShown(t *testing.T) {
	const sensors = `{"sn":{"Time":"2026-01-01T00:00:00","ANALOG":{"Temperature1":21.5,"Illuminance3":312,"A2":5},` +
		`"DS18B20-1":{"Id":"01","Temperature":20.1},` +
		`"TX23":{"Speed":{"Act":14.8,"Avg":8.5},"Dir":{"Card":"WSW","Deg":247.5}},"SHUTTER":{"State":"moving"},` +
		`"PN532":{"UID":"FF"},` +
		`"ENERGY":{"TotalStartTime":"2026","Power1":null},"TempUnit":"F","SpeedUnit":"m/s"},"ver":1}`
	h, _ := newHub(t)
	hear(h, "tasmota/discovery/A020A6111111/config",
		[]byte(`{"dn":"Porch","fn":["Porch"],"hn":"porch","mac":"A020A6111111","ofln":"Offline","onln":"Online",`+
			`"state":["OFF","ON","TOGGLE","HOLD"],`+
			`"t":"porch","ft":"%prefix%/%topic%/","tp":["cmnd","stat","tele"],"rl":[0],"swc":[-1],"so":{}}`))
	hear(h, "tasmota/discovery/A020A6111111/sensors", []byte(sensors))
	hear(h, "tele/porch/SENSOR", []byte(`{"ANALOG":{"Temperature1":70.1,"Illuminance3":12},`+
		`"TX23":{"Speed":{"Act":3.5},"Dir":{"Card":"N","Deg":1}},"SHUTTER":{"State":"still"}}`))
	hear(h, "stat/porch/STATUS10", []byte(`{"StatusSNS":{"TX23":{"Dir":{"Card":"NNW"}}}}`))
	for id, want := range map[string]home.Entity{
		"ANALOG/Temperature1":   {Class: "temperature", Unit: "°F", State: home.State{home.Main: 70.1}},
		"ANALOG/Illuminance3":   {Class: "illuminance", Unit: "lx", State: home.State{home.Main: 12.0}},
		"ANALOG/A2":             {Category: "diagnostic"},
		"DS18B20-1/Temperature": {Class: "temperature", Unit: "°F"},
		"TX23/Speed/Act":        {Class: "wind_speed", Unit: "m/s", State: home.State{home.Main: 3.5}},
		"TX23/Dir/Deg":          {Class: "wind_direction", Unit: "°", State: home.State{home.Main: 1.0}},
		"TX23/Dir/Card":         {State: home.State{home.Main: "NNW"}},
		"SHUTTER/State":         {State: home.State{home.Main: "still"}},
		"ENERGY/TotalStartTime": {Category: "diagnostic"},
		"ENERGY/Power1":         {Class: "power", Unit: "W"},
	} {
		e, there := h.Entity("tasmota/A020A6111111/sensor/" + id)
		if !there || e.Class != want.Class || e.Unit != want.Unit || e.Category != want.Category ||
			e.State[home.Main] != want.State[home.Main] {
			t.Errorf("%s: %v %+v", id, there, e)
		}
	}
	for _, id := range []string{"PN532/UID", "Time"} {
		if _, there := h.Entity("tasmota/A020A6111111/sensor/" + id); there {
			t.Errorf("%s is shown", id)
		}
	}
	if s := h.Skipped(); len(s) > 0 {
		t.Errorf("%q", s)
	}
}

// What a sensor is called stands in a template, and is no part of it.
func TestNameOfASensorIsNoTemplate(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "tasmota/discovery/A020A6111111/config", []byte(`{"dn":"Porch","hn":"porch","mac":"A020A6111111",`+
		`"ofln":"Offline","onln":"Online","state":["OFF","ON"],"t":"porch","ft":"%prefix%/%topic%/","tp":["cmnd","stat","tele"]}`))
	const name = `a'] ~ value ~ ['\\\"}} {% x %}` + `\n`
	hear(h, "tasmota/discovery/A020A6111111/sensors", []byte(`{"sn":{"`+name+`":{"Temperature":1}}}`))
	hear(h, "tele/porch/SENSOR", []byte(`{"`+name+`":{"Temperature":21.5}}`))
	e := h.Entities()
	if len(e) != 1 || e[0].State[home.Main] != 21.5 || len(h.Skipped()) > 0 {
		t.Errorf("%+v, %q", e, h.Skipped())
	}
}
