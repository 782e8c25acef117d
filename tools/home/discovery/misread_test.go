package discovery

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/tools/home"
)

func TestDocumentThatWasMendedIsNotNamedAnyMore(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "homeassistant/switch/a/config", []byte(`{`))
	if len(h.Skipped()) != 1 {
		t.Fatal(h.Skipped())
	}
	hear(h, "homeassistant/switch/a/config", []byte(`{"name":"Fan","command_topic":"a/set"}`))
	if s := h.Skipped(); len(s) > 0 {
		t.Error(s)
	}
}

func TestDevicesAreOfferedThoughDocumentsNeverCease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &fakeBroker{watched: map[string]bool{}}
		found := 0
		h, _ := newHub(t)
		h.opt.Broker, h.opt.Found = b, func() { found++ }
		ctx, cancel := context.WithCancel(t.Context())
		go h.Run(ctx) //nolint:errcheck
		for i := range 400 {
			hear(h, fmt.Sprintf("homeassistant/switch/s%d/config", i%60),
				fmt.Appendf(nil, `{"name":"S %d","command_topic":"a/%d"}`, i%60, i%60))
			time.Sleep(900 * time.Millisecond)
		}
		if found == 0 {
			t.Error("six minutes, 60 devices, and none is offered")
		}
		cancel()
	})
}

func sentFor(t *testing.T, topic, doc string, want home.State) string {
	t.Helper()
	h, b := newHub(t)
	hear(h, topic, []byte(doc))
	if s := h.Skipped(); len(s) > 0 {
		t.Fatal(s)
	}
	es := h.Entities()
	if err := h.Send(t.Context(), es[0].ID, want); err != nil {
		return err.Error()
	}
	return strings.Join(b.taken(), "; ")
}

func TestNumberStaysWithinItsBounds(t *testing.T) {
	if got := sentFor(t, "homeassistant/number/a/config",
		`{"name":"Timeout","command_topic":"n/set","min":0,"max":255,"step":10}`,
		home.State{home.Main: 255.0}); got != "n/set 255" {
		t.Error(got)
	}
	if got := sentFor(t, "homeassistant/number/a/config",
		`{"name":"Timeout","command_topic":"n/set","min":5,"max":50,"step":10}`,
		home.State{home.Main: 25.0}); got != "n/set 25" {
		t.Error(got)
	}
}

func TestThermostatHasHomeAssistantsBounds(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "homeassistant/climate/a/config",
		[]byte(`{"name":"Heating","temperature_command_topic":"t/set","mode_command_topic":"m/set"}`))
	hear(h, "homeassistant/water_heater/a/config", []byte(`{"name":"Boiler","temperature_command_topic":"w/set"}`))
	for _, e := range h.Entities() {
		t.Log(e.Kind, e.Min, e.Max, e.Options)
		if e.Max <= e.Min {
			t.Errorf("%s takes any number", e.Kind)
		}
	}
}

func TestFanAndSwingModesHaveDefaults(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "homeassistant/climate/a/config",
		[]byte(`{"name":"AC","fan_mode_command_topic":"f/set","swing_mode_command_topic":"s/set"}`))
	e := h.Entities()[0]
	if len(e.Options[home.FanMode]) != 4 || len(e.Options[home.SwingMode]) != 2 {
		t.Error(e.Options)
	}
}

func TestMotionThatIsNeverToldToEndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newHub(t)
		hear(h, "homeassistant/binary_sensor/a/config",
			[]byte(`{"name":"Hall motion","device_class":"motion","state_topic":"pir","off_delay":30}`))
		hear(h, "pir", []byte("ON"))
		time.Sleep(10 * time.Minute)
		if s := h.Entities()[0].State[home.Main]; s != "off" {
			t.Error(s)
		}
	})
}

func TestPositionMayBeJSON(t *testing.T) {
	h, _ := newHub(t)
	hear(h, "homeassistant/cover/a/config", []byte(`{"name":"Blind","command_topic":"c/set",`+
		`"position_topic":"c/pos","set_position_topic":"c/setpos","tilt_command_topic":"c/tilt"}`))
	hear(h, "c/pos", []byte(`{"position":40,"tilt_position":70}`))
	t.Log(h.Entities()[0].State)
	if h.Entities()[0].State[home.Position] != 40.0 {
		t.Error("no position")
	}
}

func TestPositionalValveOpensAsItsTemplateSays(t *testing.T) {
	doc := `{"name":"Tap","command_topic":"v/set","state_topic":"v","reports_position":true,"payload_stop":"STOP",` +
		`"command_template":"{\"pos\": {{ value }} }"}`
	if got := sentFor(t, "homeassistant/valve/a/config", doc,
		home.State{home.Main: "open"}); got != `v/set {"pos": 100 }` {
		t.Error(got)
	}
	if got := sentFor(t, "homeassistant/valve/a/config", doc,
		home.State{home.Position: 100.0}); got != `v/set {"pos": 100 }` {
		t.Error(got)
	}
}

func TestTiltTemplateKnowsThePositionsOfTheCover(t *testing.T) {
	doc := `{"name":"B","command_topic":"c","position_open":50,"position_closed":10,"tilt_min":0,"tilt_max":90,` +
		`"tilt_command_topic":"tilt","tilt_command_template":"{{ position_open }} {{ tilt_max }} {{ tilt_position }}",` +
		`"set_position_topic":"pos","set_position_template":"{{ tilt_max }} {{ position_open }}"}`
	if got := sentFor(t, "homeassistant/cover/a/config", doc, home.State{home.Tilt: 50.0}); got != "tilt 50 90 50" {
		t.Error(got)
	}
	if got := sentFor(t, "homeassistant/cover/a/config", doc, home.State{home.Position: 50.0}); got != "pos 90 50" {
		t.Error(got)
	}
}
