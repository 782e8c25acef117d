package discovery

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/tools/home"
)

func TestCommandsReachTheirTopics(t *testing.T) {
	red, half := home.Color{R: 255}, 50.0
	for _, tt := range []struct {
		id   string
		want home.State
		sent []string
	}{
		{"light/0x000b57fffec6a5b2/light", home.State{home.Main: "on"},
			[]string{`zigbee2mqtt/kitchen_light/set {"state":"ON"}`}},
		{"light/0x000b57fffec6a5b2/light", home.State{home.Main: "off"},
			[]string{`zigbee2mqtt/kitchen_light/set {"state":"OFF"}`}},
		{"light/0x000b57fffec6a5b2/light", home.State{home.Main: "on", home.Brightness: half},
			[]string{`zigbee2mqtt/kitchen_light/set {"brightness":127,"state":"ON"}`}},
		{"light/0x000b57fffec6a5b2/light", home.State{home.Main: "on", home.Kelvin: 2700.0},
			[]string{`zigbee2mqtt/kitchen_light/set {"color_temp":370,"state":"ON"}`}},
		{"light/0x000b57fffec6a5b2/light", home.State{home.Main: "on", home.Colour: red},
			[]string{`zigbee2mqtt/kitchen_light/set {"color":{"x":0.7006,"y":0.2993},"state":"ON"}`}},
		{"switch/0x00124b00226f9b12/switch", home.State{home.Main: "on"}, []string{"zigbee2mqtt/coffee_plug/set ON"}},
		{"switch/0x00124b00226f9b12/switch_child_lock", home.State{home.Main: "on"},
			[]string{"zigbee2mqtt/coffee_plug/set/child_lock LOCK"}},
		{"switch/0x00124b0000000002/switch_left", home.State{home.Main: "off"},
			[]string{"zigbee2mqtt/two gang/left/set OFF"}},
		{"cover/0x54ef441000000001/cover", home.State{home.Main: "open"}, []string{"zigbee2mqtt/living room blind/set OPEN"}},
		{"cover/0x54ef441000000001/cover", home.State{home.Main: "stopped"},
			[]string{"zigbee2mqtt/living room blind/set STOP"}},
		{"cover/0x54ef441000000001/cover", home.State{home.Position: 30.0},
			[]string{`zigbee2mqtt/living room blind/set { "position": 30 }`}},
		{"cover/0x54ef441000000002/cover", home.State{home.Tilt: 70.0}, []string{"zigbee2mqtt/bedroom curtain/set/tilt 70"}},
		{"lock/0x000d6f0000000001/lock", home.State{home.Main: "unlocked"}, []string{"zigbee2mqtt/front door/set UNLOCK"}},
		{"climate/0x842e14fffe000001/climate", home.State{home.Mode: "heat", home.Target: 21.5},
			[]string{"zigbee2mqtt/bathroom thermostat/set/system_mode heat",
				"zigbee2mqtt/bathroom thermostat/set/current_heating_setpoint 21.5"}},
		{"climate/0x842e14fffe000001/climate", home.State{home.Preset: "eco"},
			[]string{"zigbee2mqtt/bathroom thermostat/set/preset eco"}},
		{"fan/0x000d6f0000000009/fan", home.State{home.Speed: 66.0}, []string{"zigbee2mqtt/bedroom fan/set/fan_mode medium"}},
		{"fan/0x000d6f0000000009/fan", home.State{home.Main: "on"}, []string{"zigbee2mqtt/bedroom fan/set/fan_state ON"}},
		{"scene/1221051039810110150109113116116_1/scene_3", home.State{home.Main: "on"},
			[]string{`zigbee2mqtt/living room/set { "scene_recall": 3 }`}},
		{"siren/0x000d6f000000000a/siren", home.State{home.Main: "on"},
			[]string{`zigbee2mqtt/hall siren/set {"warning": {"duration": 10, "mode": "emergency", "level": "low", ` +
				`"strobe": true, "strobe_duty_cycle": 10 }}`}},
		{"number/0x842e14fffe000001/local_temperature_calibration", home.State{home.Main: -1.5},
			[]string{"zigbee2mqtt/bathroom thermostat/set/local_temperature_calibration -1.5"}},
		{"valve/0x1/valve", home.State{home.Main: "open"}, []string{"zigbee2mqtt/garden tap/set ON"}},

		{"light/desk/ceiling_light", home.State{home.Main: "on", home.Colour: red, home.Brightness: 100.0},
			[]string{`desk/light/ceiling_light/command {"brightness":255,"color":{"b":0,"g":0,"r":255,"w":0},"state":"ON"}`}},
		{"light/desk/strip", home.State{home.Main: "on", home.Kelvin: 4000.0},
			[]string{`desk/light/strip/command {"color_temp":250,"state":"ON"}`}},
		{"switch/desk/relay", home.State{home.Main: "on"}, []string{"desk/switch/relay/command ON"}},
		{"cover/desk/garage", home.State{home.Main: "closed"}, []string{"desk/cover/garage/command CLOSE"}},
		{"cover/desk/garage", home.State{home.Position: 40.0}, []string{"desk/cover/garage/position/command 40"}},
		{"fan/desk/fan", home.State{home.Speed: 100.0}, []string{"desk/fan/fan/speed_level/command 3"}},
		{"fan/desk/fan", home.State{home.Oscillation: "on"}, []string{"desk/fan/fan/oscillation/command oscillate_on"}},
		{"climate/desk/heater", home.State{home.Target: 21.0}, []string{"desk/climate/heater/target_temperature/command 21"}},
		{"climate/desk/heater", home.State{home.FanMode: "low"}, []string{"desk/climate/heater/fan_mode/command low"}},
		{"number/desk/threshold", home.State{home.Main: 12.3}, []string{"desk/number/threshold/command 12.5"}},
		{"select/desk/mode", home.State{home.Main: "Turbo"}, []string{"desk/select/mode/command Turbo"}},
		{"button/desk/restart", home.State{home.Main: "on"}, []string{"desk/button/restart/command PRESS"}},
		{"lock/desk/door", home.State{home.Main: "locked"}, []string{"desk/lock/door/command LOCK"}},

		{"tasmota/A020A6111111/switch/1", home.State{home.Main: "on"}, []string{"cmnd/tasmota_111111/POWER1 ON"}},
		{"tasmota/A020A6222222/light/1", home.State{home.Main: "on", home.Brightness: half},
			[]string{"cmnd/tasmota_222222/Dimmer 50"}},
		{"tasmota/A020A6222222/light/1", home.State{home.Main: "on", home.Colour: red},
			[]string{"cmnd/tasmota_222222/POWER1 ON", "cmnd/tasmota_222222/Color2 255,0,0"}},
		{"tasmota/A020A6222222/light/1", home.State{home.Main: "on", home.Kelvin: 2700.0},
			[]string{"cmnd/tasmota_222222/POWER1 ON", "cmnd/tasmota_222222/CT 370"}},
		{"tasmota/A020A6333333/light/2", home.State{home.Main: "on", home.Brightness: half},
			[]string{"cmnd/tasmota_333333/Dimmer2 50"}},
		{"tasmota/A020A6333333/light/1", home.State{home.Colour: red}, []string{"cmnd/tasmota_333333/Color2 255,0,0="}},
		{"tasmota/A020A6444444/cover/1", home.State{home.Main: "open"}, []string{"cmnd/tasmota_444444/ShutterOpen1 "}},
		{"tasmota/A020A6444444/cover/1", home.State{home.Position: 30.0},
			[]string{"cmnd/tasmota_444444/ShutterPosition1 30"}},
		{"tasmota/A020A6999999/cover/1", home.State{home.Position: 30.0},
			[]string{"cmnd/tasmota_999999/ShutterPosition1 70"}},
		{"tasmota/A020A6555555/fan/1", home.State{home.Speed: 100.0}, []string{"cmnd/tasmota_555555/FanSpeed 3"}},
		{"tasmota/A020A6555555/light/1", home.State{home.Main: "off"}, []string{"cmnd/tasmota_555555/POWER1 OFF"}},
		{"tasmota/A020A6777777/switch/3", home.State{home.Main: "on"}, []string{"home/tasmota_777777/cmnd/POWER3 ON"}},
		{"switch/49A3BC_RL_1", home.State{home.Main: "off"}, []string{"cmnd/heater/POWER OFF"}},
		{"light/49A3BD_LI_1", home.State{home.Main: "on", home.Brightness: half}, []string{"shelf/cmnd/Dimmer 50"}},
		{"light/49A3BD_LI_1", home.State{home.Main: "on"}, []string{"shelf/cmnd/Dimmer 100"}},
		{"light/49A3BD_LI_1", home.State{home.Main: "off"}, []string{"shelf/cmnd/POWER OFF"}},
		{"light/49A3BD_LI_1", home.State{home.Colour: red}, []string{"shelf/cmnd/Color2 255,0,0"}},

		{"device/0AFFD2/lamp", home.State{home.Main: "on"}, []string{"pantry/lamp/set ON"}},
		{"device/node1/panel/bk", home.State{home.Main: "on"}, []string{"panel/1/set 1"}},
		{"light/template_lamp", home.State{home.Main: "on", home.Brightness: half, home.Colour: red},
			[]string{`rl/set {"state":"on", "brightness": 128, "color": [255, 0, 0]}`}},
		{"light/template_lamp", home.State{home.Main: "off"}, []string{`rl/set {"state": "off"}`}},
		{"light/basic_rgb", home.State{home.Main: "on", home.Brightness: half, home.Colour: red},
			[]string{"porch/cmnd ON", "porch/bri/set 128", "porch/hs/set 0,100"}},
		{"light/kelvin", home.State{home.Main: "on", home.Kelvin: 3000.0},
			[]string{`attic/set {"color_temp":3000,"state":"ON"}`}},
		{"vacuum/robo", home.State{home.Main: "cleaning"}, []string{"vac/command start"}},
		{"vacuum/robo", home.State{home.Main: "returning"}, []string{"vac/command return_to_base"}},
		{"vacuum/robo", home.State{home.FanMode: "max"}, []string{"vac/set_fan_speed max"}},
		{"humidifier/bedroom", home.State{home.TargetHumidity: 45.0}, []string{"hum/target/set 45"}},
		{"lawn_mower/m", home.State{home.Main: "mowing"}, []string{`mow/cmd {"activity": "start_mowing"}`}},
		{"lawn_mower/m", home.State{home.Main: "returning"}, []string{"mow/cmd dock"}},
		{"water_heater/boiler", home.State{home.Target: 55.0}, []string{"boiler/t/set 55"}},
		{"valve/pos", home.State{home.Position: 25.0}, []string{"rv/set 25"}},
		{"siren/bell", home.State{home.Main: "on"}, []string{`bell/set {"state":"ON"}`}},
		{"cover/inverted", home.State{home.Position: 100.0}, []string{"roof/pos/set 0"}},
		{"climate/ac", home.State{home.Main: "on"}, []string{"ac/power/set ON"}},
		{"climate/ac", home.State{home.Target: 22.0}, []string{`ac/temp/set {"set": 22}`}},
	} {
		h, b := newHub(t)
		learn(t, h, everyFile...)
		if err := h.Send(t.Context(), tt.id, tt.want); err != nil {
			t.Errorf("%s %v: %v", tt.id, tt.want, err)
		}
		if diff := cmp.Diff(tt.sent, b.taken()); diff != "" {
			t.Errorf("%s %v: %s", tt.id, tt.want, diff)
		}
	}
}

func TestOptimisticDeviceIsTakenAtItsWord(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "homeassistant/switch/x/config", []byte(`{"name":"Blind plug","command_topic":"x/set"}`))
	if err := h.Send(t.Context(), "switch/x", home.State{home.Main: "on"}); err != nil {
		t.Fatal(err)
	}
	if e, _ := h.Entity("switch/x"); e.State[home.Main] != "on" || e.Reports[home.Main] {
		t.Errorf("%+v", e)
	}
}

func TestTopicsAreFollowedOnce(t *testing.T) {
	h, b := newHub(t)
	learn(t, h, everyFile...)
	for topic := range b.watched {
		if strings.ContainsAny(topic, "+#") && !slices.Contains([]string{"homeassistant/+/+/config",
			"homeassistant/+/+/+/config", "tasmota/discovery/+/config", "tasmota/discovery/+/sensors"}, topic) {
			t.Errorf("%s is followed", topic)
		}
	}
}

func BenchmarkStateOfADeviceWithFifteenParts(b *testing.B) {
	h, _ := newHub(b)
	for i := range 15 {
		hear(h, fmt.Sprintf("homeassistant/sensor/x/s%d/config", i),
			fmt.Appendf(nil, `{"name":"S %d","state_topic":"x","value_template":"{{ value_json.s%d }}"}`, i, i))
	}
	payload := []byte(`{"s0":1,"s1":2,"s2":3,"s3":4,"s4":5,"s5":6,"s6":7,"s7":8,"s8":9,"s9":10,"s10":11,"s11":12,` +
		`"s12":13,"s13":14,"s14":15}`)
	for b.Loop() {
		hear(h, "x", payload)
	}
}
