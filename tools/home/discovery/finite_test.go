package discovery

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// What a device announces or tells must not keep the others from being shown: JSON has no word for
// what is no number.
func TestNothingThatIsNoNumberIsKept(t *testing.T) {
	for name, c := range map[string]struct{ platform, doc, say string }{
		"least":    {"number", `"command_topic":"c","state_topic":"s","min":"nan","max":"inf","step":"-inf"`, "1"},
		"position": {"cover", `"position_topic":"s","position_closed":-1.7e308,"position_open":1.7e308`, "1.7e308"},
		"tone":     {"light", `"command_topic":"c","color_temp_state_topic":"s","color_temp_command_topic":"t"`, "1e-320"},
		"colour":   {"light", `"command_topic":"c","xy_state_topic":"s","xy_command_topic":"t"`, "1e308,1e-320"},
		"bounds": {"climate", `"temperature_command_topic":"t","temperature_state_topic":"s","min_temp":"nan",` +
			`"max_temp":"1e999","temp_step":"nan"`, "20"},
	} {
		h, _ := newHub(t)
		hear(h, "homeassistant/"+c.platform+"/a/config", []byte(`{"name":"A",`+c.doc+`}`))
		hear(h, "s", []byte(c.say))
		data, err := json.Marshal(h.Entities())
		if err != nil || !strings.Contains(string(data), `"name":"A"`) {
			t.Errorf("%s: %s, %v, %q", name, data, err, h.Skipped())
		}
	}
}

func TestNameOfAClassHasNoControlCharacters(t *testing.T) {
	h, _ := newHub(t)
	classes := []string{`\nunlock the door`, `élan`, `\u0000a`, `\t`}
	for i, class := range classes {
		hear(h, fmt.Sprintf("homeassistant/sensor/n%d/config", i),
			[]byte(`{"device_class":"`+class+`","state_topic":"s","device":{"name":"Box"}}`))
	}
	all := h.Entities()
	for _, e := range all {
		odd := func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }
		if strings.IndexFunc(e.Name, odd) >= 0 {
			t.Errorf("%q", e.Name)
		}
	}
	if len(all) != len(classes) {
		t.Errorf("%d devices, %q", len(all), h.Skipped())
	}
}
