package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tasmotaDevice is tasmota/discovery/MAC/config (xdrv_12_discovery.ino).
type tasmotaDevice struct {
	Name     string         `json:"dn"`
	Friendly []*string      `json:"fn"`
	Host     string         `json:"hn"`
	MAC      string         `json:"mac"`
	Tuya     int            `json:"ty"`
	IFan     int            `json:"if"`
	Offline  string         `json:"ofln"`
	Online   string         `json:"onln"`
	States   []string       `json:"state"` // off, on, toggle, hold
	Topic    string         `json:"t"`
	Full     string         `json:"ft"` // %prefix%/%topic%/
	Prefixes []string       `json:"tp"` // cmnd, stat, tele
	Relays   []int          `json:"rl"` // 0 none, 1 relay, 2 light, 3 half of a shutter
	Switches []int          `json:"swc"`
	Named    []*string      `json:"swn"`
	Options  map[string]int `json:"so"`
	Linked   int            `json:"lk"`    // colour and white are one light
	Subtype  int            `json:"lt_st"` // 1 dimmer, 2 cold and warm, 3 RGB, 4 RGBW, 5 RGB and both whites
	Shutters []int          `json:"sho"`   // options
	Tilts    [][]int        `json:"sht"`   // of each shutter: least, most, how long it takes

	cmnd, stat, tele string // the first parts of its topics
}

// Tasmota's own bounds are 32 relays and 28 switches; an ESP32 may have more.
const maxRelays = 64

// parseTasmota reads the description of a device; nil: it is gone.
func parseTasmota(mac string, payload []byte) (*tasmotaDevice, error) {
	if len(payload) == 0 {
		return nil, nil
	}
	if _, err := parseObject(payload); err != nil {
		return nil, err
	}
	t := &tasmotaDevice{}
	if err := json.Unmarshal(payload, t); err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	if !strings.EqualFold(t.MAC, mac) {
		return nil, errors.New("the address in it is another than that of the topic")
	}
	if t.Topic == "" || t.Full == "" || len(t.Prefixes) < 3 || len(t.States) < 2 ||
		len(t.Relays) > maxRelays || len(t.Switches) > maxRelays {
		return nil, errors.New("it is no description of a Tasmota device")
	}
	id := t.MAC[max(len(t.MAC)-6, 0):]
	for i, to := range []*string{&t.cmnd, &t.stat, &t.tele} {
		if len(t.Full) > maxTopic || max(len(t.Host), len(t.Prefixes[i]), len(t.Topic)) > maxTopic {
			return nil, errors.New("its topic is none")
		}
		parts := strings.NewReplacer("%hostname%", t.Host, "%id%", id, "%prefix%", t.Prefixes[i], "%topic%", t.Topic)
		*to = strings.TrimSuffix(parts.Replace(t.Full), "/") + "/"
		if _, err := (config{"topic": *to}).topics("topic"); err != nil {
			return nil, fmt.Errorf("its topic is none: %w", err)
		}
	}
	return t, nil
}

// part describes a part of the device as a discovery document would.
func (t *tasmotaDevice) part(platform, name string, c config) part {
	c["name"], c["device"] = name, map[string]any{"name": t.Name}
	c["availability_topic"], c["payload_available"], c["payload_not_available"] = t.tele+"LWT", t.Online, t.Offline
	if c["polls"] == nil {
		c["polls"] = []message{{t.cmnd + "STATE", ""}}
	}
	return part{platform, c}
}

// nameAt is the i-th of names, or that kind of thing with its number.
func nameAt(names []*string, i int, kind string) string {
	if i < len(names) && names[i] != nil && *names[i] != "" {
		return *names[i]
	}
	return fmt.Sprintf("%s %d", kind, i+1)
}

// told are the topics on which relays report, and measured those of sensors.
func (t *tasmotaDevice) told() []string     { return []string{t.tele + "STATE", t.stat + "RESULT"} }
func (t *tasmotaDevice) measured() []string { return []string{t.tele + "SENSOR", t.stat + "STATUS10"} }

// parts are those of the device by their IDs.
func (t *tasmotaDevice) parts(sensors []measured) (map[string]part, error) {
	out := map[string]part{}
	shutter, lights := 0, 0
	for i := 0; i < len(t.Relays); i++ {
		id := strconv.Itoa(i + 1)
		switch kind := t.Relays[i]; {
		case kind == 3 && i+1 < len(t.Relays) && t.Relays[i+1] == 3:
			out[fmt.Sprintf("cover/%d", shutter+1)] = t.shutter(shutter)
			shutter++
			i++ // two relays move one shutter
		case kind == 2 && t.IFan == 0:
			out["light/"+id] = t.light(i, lights)
			lights++
		case kind == 2 || kind == 1 && t.Options["30"] == 1:
			out["light/"+id] = t.part("light", nameAt(t.Friendly, i, "light"), t.power(i))
		case kind == 1:
			out["switch/"+id] = t.part("switch", nameAt(t.Friendly, i, "switch"), t.power(i))
		}
	}
	if t.IFan == 1 {
		out["fan/1"] = t.fan()
	}
	for i, mode := range t.Switches {
		if mode >= 0 {
			out[fmt.Sprintf("binary_sensor/%d", i+1)] = t.input(i)
		}
	}
	if len(out)+len(sensors) > maxComponents {
		return out, fmt.Errorf("sensors: more than %d", maxComponents)
	}
	for _, m := range sensors {
		out["sensor/"+strings.Join(m.path, "/")] = t.sensor(m)
	}
	return out, nil
}

// power is what switches a relay and reports its state.
func (t *tasmotaDevice) power(i int) config {
	name := fmt.Sprintf("POWER%d", i+1)
	say := "value_json." + name
	if i == 0 { // which a device with one relay leaves unnumbered
		say += " | default(value_json.POWER)"
	}
	return config{
		"state_topic": t.told(), "value_template": "{{ " + say + " }}",
		"command_topic": t.cmnd + name, "payload_on": t.States[1], "payload_off": t.States[0],
	}
}

// channel is what a light of the device is and how it is dimmed.
func (t *tasmotaDevice) channel(i, n int) (subtype int, dimmer, state, suffix string) {
	subtype, dimmer, state = t.Subtype, "Dimmer", "Dimmer"
	switch {
	case t.Options["68"] == 1: // each channel is a light of its own
		subtype, dimmer = 1, fmt.Sprintf("Channel%d", i+1)
		state = dimmer
	case t.Linked == 0 && t.Subtype >= 4: // colour and white apart
		dimmer = fmt.Sprintf("Dimmer%d", n+1)
		state = dimmer
		if n == 0 {
			subtype, suffix = 3, "="
		} else {
			subtype = map[int]int{4: 1, 5: 2}[t.Subtype]
		}
	case t.Tuya == 1:
		dimmer = "Dimmer3"
	}
	return subtype, dimmer, state, suffix
}

// light is the n-th of the device's lights, on relay i.
func (t *tasmotaDevice) light(i, n int) part {
	c := t.power(i)
	c["on_command_type"] = "first"
	if t.Options["20"] == 0 { // a brightness switches it on
		c["on_command_type"] = "dimmed"
	}
	has := func(prefix, template, command string) {
		c[prefix+"_state_topic"], c[prefix+"_value_template"] = t.told(), template
		c[prefix+"_command_topic"] = t.cmnd + command
	}
	subtype, dimmer, state, suffix := t.channel(i, n)
	if subtype >= 1 {
		has("brightness", "{{ value_json."+state+" }}", dimmer)
		c["brightness_scale"] = 100.0
	}
	if subtype == 2 || subtype == 5 {
		has("color_temp", "{{ value_json.CT }}", "CT")
		c["min_mireds"], c["max_mireds"] = 153.0, 500.0
		if t.Options["82"] == 1 {
			c["min_mireds"], c["max_mireds"] = 200.0, 380.0
		}
	}
	if subtype >= 3 {
		c["hs_state_topic"], c["hs_value_template"] = t.told(), "{{ value_json.HSBColor }}"
		c["rgb_command_topic"], c["rgb_command_template"] = t.cmnd+"Color2", "{{ value }}"+suffix
		has("effect", "{{ ['None', 'Wake up', 'Cycle up', 'Cycle down', 'Random'][value_json.Scheme] }}", "Scheme")
		c["effect_command_template"] =
			"{{ {'None': 0, 'Wake up': 1, 'Cycle up': 2, 'Cycle down': 3, 'Random': 4}[value] }}"
		c["effect_list"] = []any{"None", "Wake up", "Cycle up", "Cycle down", "Random"}
	}
	return t.part("light", nameAt(t.Friendly, i, "light"), c)
}

// fan is a Sonoff iFan, which has three speeds.
func (t *tasmotaDevice) fan() part {
	return t.part("fan", "", config{
		"state_topic":    t.told(),
		"value_template": "{% if value_json.FanSpeed is number %}{{ 2 if value_json.FanSpeed > 0 else 0 }}{% endif %}",
		"command_topic":  t.cmnd + "FanSpeed", "payload_on": "2", "payload_off": "0",
		"percentage_state_topic": t.told(), "percentage_value_template": "{{ value_json.FanSpeed }}",
		"percentage_command_topic": t.cmnd + "FanSpeed", "speed_range_max": 3.0,
	})
}

// shutter is the i-th of the device.
func (t *tasmotaDevice) shutter(i int) part {
	n := strconv.Itoa(i + 1)
	name := "shutter " + n
	if i == 0 && !slices.Contains(t.Relays[min(2, len(t.Relays)):], 3) {
		name = "" // the only one
	}
	topics, shutter := append(t.told(), t.tele+"SENSOR"), "value_json.Shutter"+n
	c := config{
		"device_class":   "shutter",
		"position_topic": topics, "position_template": "{{ " + shutter + ".Position }}",
		"set_position_topic": t.cmnd + "ShutterPosition" + n,
		"state_topic":        topics, "state_opening": "1", "state_stopped": "0", "state_closing": "-1",
		"value_template":     "{% if " + shutter + " is mapping %}{{ " + shutter + ".Direction | default(0) }}{% endif %}",
		"open_command_topic": t.cmnd + "ShutterOpen" + n, "close_command_topic": t.cmnd + "ShutterClose" + n,
		"stop_command_topic": t.cmnd + "ShutterStop" + n,
		"polls":              []message{{t.cmnd + "ShutterPosition" + n, ""}},
	}
	if i < len(t.Shutters) && t.Shutters[i]&1 == 1 { // it is inverted
		c["position_closed"], c["position_open"] = 100.0, 0.0
		c["state_opening"], c["state_closing"] = "-1", "1"
	}
	if i < len(t.Tilts) && len(t.Tilts[i]) == 3 && t.Tilts[i][0] != t.Tilts[i][1] {
		c["tilt_min"], c["tilt_max"] = float64(t.Tilts[i][0]), float64(t.Tilts[i][1])
		c["tilt_status_topic"], c["tilt_status_template"] = topics, "{{ "+shutter+".Tilt }}"
		c["tilt_command_topic"] = t.cmnd + "ShutterTilt" + n
	}
	return t.part("cover", name, c)
}

// input is a switch that is wired to the device and does not switch a relay.
func (t *tasmotaDevice) input(i int) part {
	n := fmt.Sprintf("Switch%d", i+1)
	return t.part("binary_sensor", nameAt(t.Named, i, "Switch"), config{
		"state_topic": append(t.measured(), t.stat+"RESULT", fmt.Sprintf("%sSWITCH%d", t.stat, i+1)),
		"value_template": "{{ value_json." + n + ".Action | default(value_json." + n + ")" +
			" | default(value_json.StatusSNS." + n + ") | default(value_json.STATE) }}",
		"payload_on": t.States[1], "payload_off": t.States[0],
		"polls": []message{{t.cmnd + "STATUS", "10"}},
	})
}
