package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
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

	cmnd, stat, tele string // the beginnings of its topics
}

// Tasmota's own bounds are 32 relays and 28 switches; an ESP32 may have more.
const maxRelays = 64

// tasmota builds the entities of one device.
type tasmota struct {
	*tasmotaDevice
	cache func(string) (*template.Template, error)
}

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
	if t.Topic == "" || t.Full == "" || len(t.Prefixes) < 3 || len(t.States) < 2 || len(t.Relays) > maxRelays || len(t.Switches) > maxRelays {
		return nil, errors.New("it is no description of a Tasmota device")
	}
	for i, to := range []*string{&t.cmnd, &t.stat, &t.tele} {
		id := t.MAC[max(len(t.MAC)-6, 0):]
		for _, part := range []string{t.Full, t.Host, t.Prefixes[i], t.Topic} {
			if len(part) > maxTopic {
				return nil, errors.New("its topic is none")
			}
		}
		*to = strings.NewReplacer("%hostname%", t.Host, "%id%", id, "%prefix%", t.Prefixes[i], "%topic%", t.Topic).Replace(t.Full)
		if !strings.HasSuffix(*to, "/") {
			*to += "/"
		}
		if _, err := (config{"": *to}).topic(""); err != nil {
			return nil, errors.New("its topic is none")
		}
	}
	return t, nil
}

// builder begins an entity. Its topics are those that tell the state of relays.
func (t *tasmota) builder(kind home.Kind, name string) *builder {
	e := &entity{
		Entity:  home.Entity{Kind: kind, Device: home.Clean(t.Name), Name: home.Clean(name), Can: map[home.Key]bool{}, Reports: map[home.Key]bool{}, Options: map[home.Key][]string{}, State: home.State{}},
		senders: map[home.Key]sender{}, mode: "latest",
		places: []place{{topic: t.tele + "LWT", online: t.Online, off: t.Offline}},
		polls:  []message{{t.cmnd + "STATE", ""}},
	}
	if strings.EqualFold(e.Name, e.Device) {
		e.Name = ""
	}
	return &builder{e: e, cache: t.cache, config: config{"state": t.tele + "STATE", "result": t.stat + "RESULT", "sensor": t.tele + "SENSOR", "status": t.stat + "STATUS10"}}
}

// value reads what lies at a path of the JSON on the topics of keys.
func (b *builder) value(key home.Key, path []string, take func(any) (any, bool), keys ...string) {
	b.e.Reports[key] = true
	for _, k := range keys {
		at := path
		if k == "status" {
			at = append([]string{"StatusSNS"}, path...)
		}
		b.e.reads = append(b.e.reads, read{b.str(k, ""), func(m template.Message, s home.State) error {
			v, _ := m.JSON()
			for _, p := range at {
				switch o := v.(type) {
				case map[string]any:
					v = o[p]
				case []any:
					i, err := strconv.Atoi(p)
					if err != nil || i >= len(o) {
						return nil
					}
					v = o[i]
				default:
					return nil // another message of the topic
				}
			}
			if got, ok := take(v); v != nil && ok {
				s[key] = got
			}
			return nil
		}})
	}
}

// set sends what encode makes to a command.
func (b *builder) set(key home.Key, topic string, encode func(v any) (any, error)) {
	b.config["set"] = topic
	b.send("set", key, nil, encode)
}

func (t *tasmota) entities(sensors []measured) (map[string]*entity, error) {
	out := map[string]*entity{}
	friendly := func(i int, kind string) string {
		if i < len(t.Friendly) && t.Friendly[i] != nil && *t.Friendly[i] != "" {
			return *t.Friendly[i]
		}
		return fmt.Sprintf("%s %d", kind, i+1)
	}
	shutter, lights := 0, 0
	for i := 0; i < len(t.Relays); i++ {
		switch kind := t.Relays[i]; {
		case kind == 3 && i+1 < len(t.Relays) && t.Relays[i+1] == 3:
			out[fmt.Sprintf("cover/%d", shutter+1)] = t.shutter(shutter)
			shutter++
			i++ // two relays move one shutter
		case kind == 2 && t.IFan == 0:
			out[fmt.Sprintf("light/%d", i+1)] = t.light(i, lights, friendly(i, "light"))
			lights++
		case kind == 2 || kind == 1 && t.Options["30"] == 1:
			out[fmt.Sprintf("light/%d", i+1)] = t.relay(i, home.Light, friendly(i, "light"))
		case kind == 1:
			out[fmt.Sprintf("switch/%d", i+1)] = t.relay(i, home.Switch, friendly(i, "switch"))
		}
	}
	if t.IFan == 1 {
		out["fan/1"] = t.fan()
	}
	for i, mode := range t.Switches {
		if mode >= 0 {
			name := fmt.Sprintf("Switch %d", i+1)
			if i < len(t.Named) && t.Named[i] != nil && *t.Named[i] != "" {
				name = *t.Named[i]
			}
			out[fmt.Sprintf("binary_sensor/%d", i+1)] = t.input(i, name)
		}
	}
	return out, t.measure(sensors, out)
}

// measure adds the sensors to the entities.
func (t *tasmota) measure(sensors []measured, out map[string]*entity) error {
	for _, m := range sensors {
		if len(out) >= maxComponents {
			return fmt.Errorf("sensors: more than %d", maxComponents)
		}
		out["sensor/"+strings.Join(m.path, "/")] = t.sensor(m)
	}
	for _, e := range out {
		e.weighed(nil)
	}
	return nil
}

// power has Main of a relay switched and read.
func (t *tasmota) power(b *builder, i int) {
	off, on := t.States[0], t.States[1]
	take := func(v any) (any, bool) {
		switch v {
		case on:
			return "on", true
		case off:
			return "off", true
		}
		return nil, false
	}
	b.value(home.Main, []string{fmt.Sprintf("POWER%d", i+1)}, take, "state", "result")
	if i == 0 { // which a device with one relay leaves unnumbered
		b.value(home.Main, []string{"POWER"}, take, "state", "result")
	}
	b.set(home.Main, fmt.Sprintf("%sPOWER%d", t.cmnd, i+1), payloads(map[string]string{"on": on, "off": off}))
}

func (t *tasmota) relay(i int, kind home.Kind, name string) *entity {
	b := t.builder(kind, name)
	t.power(b, i)
	return b.e
}

func amount(v any) (any, bool) {
	f, ok := float(v)
	return f, ok
}
