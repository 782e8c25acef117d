package discovery

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/tools/home"
)

// fakeBroker writes down what is published and followed.
type fakeBroker struct {
	mu      sync.Mutex
	watched map[string]bool
	sent    []string
	flags   []string
	err     error
}

func (b *fakeBroker) Watch(filters ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range filters {
		b.watched[f] = true
	}
}

func (b *fakeBroker) Unwatch(filters ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range filters {
		delete(b.watched, f)
	}
}

func (b *fakeBroker) Online() bool { return true }

func (b *fakeBroker) Publish(_ context.Context, topic string, payload []byte, qos byte, retain bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	b.sent = append(b.sent, topic+" "+string(payload))
	b.flags = append(b.flags, fmt.Sprintf("%d %v", qos, retain))
	return nil
}

func (b *fakeBroker) taken() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	sent := b.sent
	b.sent = nil
	return sent
}

func newHub(t testing.TB) (*Hub, *fakeBroker) {
	t.Helper()
	b := &fakeBroker{watched: map[string]bool{}}
	h, err := New(Options{Broker: b, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return h, b
}

// documents reads testdata: a topic and a payload on each line.
func documents(t testing.TB, name string) (docs [][2]string) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxDocument*2)
	for lines.Scan() {
		topic, payload, _ := strings.Cut(lines.Text(), " ")
		docs = append(docs, [2]string{topic, payload})
	}
	return docs
}

func learn(t testing.TB, h *Hub, names ...string) {
	t.Helper()
	for _, n := range names {
		for _, d := range documents(t, n) {
			hear(h, d[0], []byte(d[1]))
		}
	}
	if s := h.Skipped(); len(s) > 0 {
		t.Fatalf("skipped: %s", strings.Join(s, "\n"))
	}
}

var everyFile = []string{"zigbee2mqtt.txt", "esphome.txt", "tasmota.txt", "others.txt"}

func TestDocumentsAreUnderstood(t *testing.T) {
	h, b := newHub(t)
	learn(t, h, everyFile...)
	kinds := map[home.Kind]int{}
	for _, e := range h.Entities() {
		kinds[e.Kind]++
		if e.Spoken() == "" {
			t.Errorf("%s has no name", e.ID)
		}
	}
	want := map[home.Kind]int{
		home.Light: 15, home.Switch: 11, home.Cover: 9, home.Fan: 3, home.Lock: 2, home.Climate: 3, home.WaterHeater: 1,
		home.Humidifier: 1, home.Valve: 3, home.Vacuum: 1,
		home.LawnMower: 1, home.Scene: 1, home.Button: 2, home.Sensor: 26, home.BinarySensor: 5, home.Number: 2,
		home.Select: 2, home.Text: 2, home.Siren: 2, home.Alarm: 1,
		"update": 2, "event": 1,
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	for _, topic := range []string{"homeassistant/+/+/config", "tasmota/discovery/+/config", "zigbee2mqtt/kitchen_light",
		"zigbee2mqtt/bridge/state", "stat/tasmota_111111/RESULT", "shelf/tele/STATE"} {
		if !b.watched[topic] {
			t.Errorf("%s is not followed", topic)
		}
	}
}

func TestStatesAreRead(t *testing.T) {
	h, _ := newHub(t)
	learn(t, h, everyFile...)
	for _, tt := range []struct {
		topic, payload, id string
		want               home.State
	}{
		{"zigbee2mqtt/kitchen_light", `{"state":"ON","brightness":127,"color_mode":"color_temp","color_temp":370,` +
			`"color":{"x":0.46,"y":0.41},"linkquality":120,"update":{"state":"idle","installed_version":1,"latest_version":2}}`,
			"light/0x000b57fffec6a5b2/light", home.State{home.Main: "on", home.Brightness: 50.0, home.Kelvin: 2703.0}},
		{"zigbee2mqtt/kitchen_light", `{"color_mode":"xy","color":{"x":0.7006,"y":0.2993,"hue":0,"saturation":100}}`,
			"light/0x000b57fffec6a5b2/light", home.State{home.Main: "on", home.Brightness: 50.0,
				home.Colour: home.Color{R: 255}}},
		{"zigbee2mqtt/kitchen_light", `{"color_mode":"color_temp","color_temp":370,"color":{"x":0.46,"y":0.41}}`,
			"light/0x000b57fffec6a5b2/light", home.State{home.Main: "on", home.Brightness: 50.0, home.Kelvin: 2703.0}},
		{"zigbee2mqtt/freezer", `{"temperature":-18.4,"humidity":45.1,"battery":91,"pressure":1012}`,
			"sensor/0x00158d000222bbbb/temperature", home.State{home.Main: -18.4}},
		{"zigbee2mqtt/freezer", `{"battery":90}`, "sensor/0x00158d000222bbbb/temperature", home.State{home.Main: -18.4}},
		{"zigbee2mqtt/freezer", `{"temperature":null}`, "sensor/0x00158d000222bbbb/temperature", home.State{}},
		{"zigbee2mqtt/garage_contact", `{"contact":false}`, "binary_sensor/0x00158d000333cccc/contact",
			home.State{home.Main: "on"}},
		{"zigbee2mqtt/hall motion", `{"occupancy":true}`, "binary_sensor/0x00158d000444dddd/occupancy",
			home.State{home.Main: "on"}},
		{"zigbee2mqtt/coffee_plug", `{"state":"OFF","power":1.5}`, "switch/0x00124b00226f9b12/switch",
			home.State{home.Main: "off"}},
		{"zigbee2mqtt/living room blind", `{"state":"OPEN","position":30}`, "cover/0x54ef441000000001/cover",
			home.State{home.Main: "open", home.Position: 30.0}},
		{"zigbee2mqtt/bedroom curtain", `{"position":0,"moving":"","tilt":20}`, "cover/0x54ef441000000002/cover",
			home.State{home.Main: "closed", home.Position: 0.0, home.Tilt: 20.0}},
		{"zigbee2mqtt/office shade", `{"position":10,"running":true}`, "cover/0x54ef441000000003/cover",
			home.State{home.Main: "closing", home.Position: 10.0}},
		{"zigbee2mqtt/front door", `{"state":"LOCK"}`, "lock/0x000d6f0000000001/lock", home.State{home.Main: "locked"}},
		{"zigbee2mqtt/bathroom thermostat", `{"system_mode":"heat","current_heating_setpoint":21,` +
			`"local_temperature":19.5,"running_state":"heat","preset":"eco"}`, "climate/0x842e14fffe000001/climate",
			home.State{home.Mode: "heat", home.Target: 21.0, home.Current: 19.5, home.Action: "heating", home.Preset: "eco"}},
		{"zigbee2mqtt/bedroom fan", `{"fan_state":"ON","fan_mode":"medium"}`, "fan/0x000d6f0000000009/fan",
			home.State{home.Main: "on", home.Speed: 66.66666666666667}},
		{"desk/light/ceiling_light/state", `{"state":"ON","color_mode":"rgbw","brightness":255,"color":{"r":0,"g":0,` +
			`"b":255,"w":0},"effect":"None"}`, "light/desk/ceiling_light",
			home.State{home.Main: "on", home.Brightness: 100.0, home.Colour: home.Color{B: 255}, home.Effect: "None"}},
		{"desk/cover/garage/position/state", "0", "cover/desk/garage", home.State{home.Main: "closed", home.Position: 0.0}},
		{"desk/climate/heater/target_temperature/state", "21.5", "climate/desk/heater", home.State{home.Target: 21.5}},
		{"desk/fan/fan/speed_level/state", "3", "fan/desk/fan", home.State{home.Speed: 100.0}},
		{"desk/sensor/freezer_temperature/state", "8.2", "sensor/desk/freezer_temperature", home.State{home.Main: 8.2}},
		{"tele/tasmota_222222/STATE", `{"Time":"2026-11-21T10:00:00","POWER":"ON","Dimmer":40,"Color":"255,0,0,0,0",` +
			`"HSBColor":"0,100,40","CT":370}`, "tasmota/A020A6222222/light/1",
			home.State{home.Main: "on", home.Brightness: 40.0, home.Colour: home.Color{R: 255}, home.Kelvin: 2703.0}},
		{"stat/tasmota_111111/RESULT", `{"POWER":"ON"}`, "tasmota/A020A6111111/switch/1", home.State{home.Main: "on"}},
		{"tele/tasmota_111111/SENSOR", `{"Time":"x","ENERGY":{"Power":123}}`, "tasmota/A020A6111111/sensor/ENERGY/Power",
			home.State{home.Main: 123.0}},
		{"stat/tasmota_444444/RESULT", `{"Shutter1":{"Position":30,"Direction":0,"Target":30}}`,
			"tasmota/A020A6444444/cover/1", home.State{home.Main: "open", home.Position: 30.0}},
		{"stat/tasmota_444444/RESULT", `{"Shutter1":{"Position":20,"Direction":-1,"Target":0}}`,
			"tasmota/A020A6444444/cover/1", home.State{home.Main: "closing", home.Position: 20.0}},
		{"stat/tasmota_666666/STATUS10", `{"StatusSNS":{"Switch1":"ON","AM2301":{"Temperature":13.5}}}`,
			"tasmota/A020A6666666/sensor/AM2301/Temperature", home.State{home.Main: 13.5}},
		{"stat/tasmota_666666/STATUS10", `{"StatusSNS":{"Switch1":"ON"}}`, "tasmota/A020A6666666/binary_sensor/1",
			home.State{home.Main: "on"}},
		{"shelf/tele/STATE", `{"POWER":"ON","Dimmer":70,"Color":"0,255,0,0","CT":250}`, "light/49A3BD_LI_1",
			home.State{home.Main: "on", home.Brightness: 70.0, home.Colour: home.Color{G: 255}, home.Kelvin: 4000.0}},
		{"sensorBedroom/state", `{"temperature":17}`, "device/0AFFD2/t1", home.State{home.Main: 17.0}},
		{"rl/state", `{"state":"on","brightness":255,"color":[0,0,255]}`, "light/template_lamp",
			home.State{home.Main: "on", home.Brightness: 100.0, home.Colour: home.Color{B: 255}}},
		{"vac/state", `{"state":"docked","battery_level":88,"fan_speed":"max"}`, "vacuum/robo",
			home.State{home.Main: "docked", home.Battery: 88.0, home.FanMode: "max"}},
		{"rv/state", `{"state":"opening","position":25}`, "valve/pos", home.State{home.Main: "opening", home.Position: 25.0}},
		{"roof/pos", "100", "cover/inverted", home.State{home.Main: "closed", home.Position: 0.0}},
		{"bell/state", `{"state":"ON"}`, "siren/bell", home.State{home.Main: "on"}},
	} {
		hear(h, tt.topic, []byte(tt.payload))
		e, ok := h.Entity(tt.id)
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
		if diff := cmp.Diff(tt.want, e.State, near); !ok || diff != "" {
			t.Errorf("%s %s: %s: %s", tt.topic, tt.payload, tt.id, diff)
		}
	}
}

func TestDevicesComeAndGo(t *testing.T) {
	h, b := newHub(t)
	learn(t, h, "zigbee2mqtt.txt")
	const id = "light/0x000b57fffec6a5b2/light"
	hear(h, "zigbee2mqtt/bridge/state", []byte(`{"state":"online"}`))
	offline := func() bool { e, _ := h.Entity(id); return e.Offline }
	for _, tt := range []struct {
		topic, payload string
		offline        bool
	}{
		{"zigbee2mqtt/kitchen_light/availability", `{"state":"offline"}`, true},
		{"zigbee2mqtt/bridge/state", `{"state":"online"}`, true},
		{"zigbee2mqtt/kitchen_light/availability", `{"state":"online"}`, false},
		{"zigbee2mqtt/bridge/state", `{"state":"offline"}`, true},
		{"zigbee2mqtt/bridge/state", `{"state":"online"}`, false},
	} {
		if hear(h, tt.topic, []byte(tt.payload)); offline() != tt.offline {
			t.Errorf("after %s %s: offline %v", tt.topic, tt.payload, offline())
		}
	}
	before := len(h.Entities())
	hear(h, "homeassistant/light/0x000b57fffec6a5b2/light/config", nil)
	if _, ok := h.Entity(id); ok || len(h.Entities()) != before-1 {
		t.Error("the light is still there")
	}
	if !b.watched["zigbee2mqtt/kitchen_light"] {
		t.Error("the topic that others follow was given up")
	}
	for _, d := range documents(t, "zigbee2mqtt.txt") {
		hear(h, d[0], nil)
	}
	if n := len(h.Entities()); n != 0 || len(b.watched) != 4 || h.house.size != 0 {
		t.Errorf("%d devices, %d topics and %d bytes are left", n, len(b.watched), h.house.size)
	}
}

func TestStateThatCameBeforeTheDocumentCounts(t *testing.T) {
	h, _ := newHub(t)
	docs := documents(t, "zigbee2mqtt.txt")
	hear(h, docs[0][0], []byte(docs[0][1]))
	hear(h, "zigbee2mqtt/kitchen_light", []byte(`{"state":"ON","linkquality":99}`))
	hear(h, docs[1][0], []byte(docs[1][1])) // its link quality
	if e, _ := h.Entity("sensor/0x000b57fffec6a5b2/linkquality"); e.State[home.Main] != 99.0 {
		t.Errorf("%+v", e.State)
	}
}

// hear has the hub read a message at once.
func hear(h *Hub, topic string, payload []byte) {
	h.Receive(topic, payload)
	h.readAll(context.Background())
}
