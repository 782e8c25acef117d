package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
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
}

// Tasmota's own bounds are 32 relays and 28 switches.
const maxRelays = 32

// tasmota builds the entities of one device.
type tasmota struct {
	tasmotaDevice
	cmnd, stat, tele string
	cache            func(string) (*template.Template, error)
}

func parseTasmota(mac string, payload []byte, cache func(string) (*template.Template, error)) (*tasmota, error) {
	if _, err := parseObject(payload); err != nil {
		return nil, err
	}
	t := &tasmota{cache: cache}
	if err := json.Unmarshal(payload, &t.tasmotaDevice); err != nil {
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

func (t *tasmota) entities(sensors []byte) (map[string]*entity, error) {
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
	return out, t.sensors(sensors, out)
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

// light is the n-th of the device's lights, on relay i.
func (t *tasmota) light(i, n int, name string) *entity {
	b := t.builder(home.Light, name)
	t.power(b, i)
	subtype, dimmer, state, suffix := t.Subtype, "Dimmer", "Dimmer", ""
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
	if subtype >= 1 {
		b.value(home.Brightness, []string{state}, amount, "state", "result")
		b.set(home.Brightness, t.cmnd+dimmer, asNumber(0, 100))
	}
	if subtype == 2 || subtype == 5 {
		temp := temperature{least: 153, most: 500}
		if t.Options["82"] == 1 {
			temp = temperature{least: 200, most: 380}
		}
		b.value(home.Kelvin, []string{"CT"}, func(v any) (any, bool) {
			f, ok := float(v)
			k, err := temp.read(f)
			return k, ok && err == nil
		}, "state", "result")
		b.set(home.Kelvin, t.cmnd+"CT", temp.of)
	}
	if subtype >= 3 {
		b.value(home.Colour, []string{"HSBColor"}, func(v any) (any, bool) {
			text, _ := v.(string)
			p, err := numbers(text)
			if err != nil || len(p) != 3 {
				return nil, false
			}
			return home.FromHS(p[0], p[1]), true
		}, "state", "result")
		b.set(home.Colour, t.cmnd+"Color2", func(v any) (any, error) {
			c, ok := v.(home.Color)
			if !ok {
				return nil, errWant
			}
			return fmt.Sprintf("%d,%d,%d%s", c.R, c.G, c.B, suffix), nil
		})
	}
	linked := t.Options["20"] == 0 // a brightness switches it on
	b.e.compose = func(want, _ home.State) ([]message, error) {
		var out []message
		for _, k := range []home.Key{home.Main, home.Brightness, home.Kelvin, home.Colour} {
			v, ok := want[k]
			if _, dims := want[home.Brightness]; !ok || k == home.Main && v == "on" && dims && linked {
				continue
			}
			text, err := b.e.senders[k].make(v)
			if err != nil {
				return nil, err
			}
			out = append(out, message{b.e.senders[k].topic, text})
		}
		return out, nil
	}
	return b.e
}

func (t *tasmota) shutter(i int) *entity {
	b := t.builder(home.Cover, fmt.Sprintf("shutter %d", i+1))
	if !slices.Contains(t.Relays[min(2*(i+1), len(t.Relays)):], 3) && i == 0 {
		b.e.Name = "" // the only one
	}
	b.e.Class = "shutter"
	n := strconv.Itoa(i + 1)
	inverted := i < len(t.Shutters) && t.Shutters[i]&1 == 1
	closed, open := 0.0, 100.0
	if inverted {
		closed, open = open, closed
	}
	place := func(v any) (float64, bool) {
		f, ok := float(v)
		return (f - closed) / (open - closed) * 100, ok
	}
	b.value(home.Position, []string{"Shutter" + n, "Position"}, func(v any) (any, bool) { p, ok := place(v); return p, ok }, "state", "result", "sensor")
	b.e.reads = append(b.e.reads, b.shutterState(n, inverted)...)
	b.e.Reports[home.Main] = true
	b.set(home.Position, t.cmnd+"ShutterPosition"+n, asNumber(closed, open))
	b.e.Can[home.Main] = true
	commands := map[any]string{"open": "ShutterOpen", "closed": "ShutterClose", "stopped": "ShutterStop"}
	b.e.compose = func(want, _ home.State) ([]message, error) {
		if p, ok := want[home.Position]; ok {
			text, err := b.e.senders[home.Position].make(p)
			return []message{{b.e.senders[home.Position].topic, text}}, err
		}
		c, ok := commands[want[home.Main]]
		if !ok {
			return nil, errWant
		}
		return []message{{t.cmnd + c + n, ""}}, nil
	}
	b.e.polls = []message{{t.cmnd + "ShutterPosition" + n, ""}}
	return b.e
}

// shutterState says what a shutter does of its direction and position.
func (b *builder) shutterState(n string, inverted bool) []read {
	var out []read
	for _, k := range []string{"state", "result", "sensor"} {
		out = append(out, read{b.str(k, ""), func(m template.Message, s home.State) error {
			v, _ := m.JSON()
			o, _ := v.(map[string]any)
			sh, ok := o["Shutter"+n].(map[string]any)
			if !ok {
				return nil
			}
			d, _ := float(sh["Direction"])
			if inverted {
				d = -d
			}
			p, known := s[home.Position].(float64)
			switch {
			case d > 0:
				s[home.Main] = "opening"
			case d < 0:
				s[home.Main] = "closing"
			case known && p == 0:
				s[home.Main] = "closed"
			case known:
				s[home.Main] = "open"
			}
			return nil
		}})
	}
	return out
}

// fan is a Sonoff iFan, which has three speeds.
func (t *tasmota) fan() *entity {
	b := t.builder(home.Fan, "")
	b.value(home.Speed, []string{"FanSpeed"}, func(v any) (any, bool) { f, ok := float(v); return f / 3 * 100, ok }, "state", "result")
	b.value(home.Main, []string{"FanSpeed"}, func(v any) (any, bool) {
		f, ok := float(v)
		return map[bool]string{true: "on", false: "off"}[f > 0], ok
	}, "state", "result")
	topic := t.cmnd + "FanSpeed"
	b.set(home.Main, topic, payloads(map[string]string{"on": "2", "off": "0"}))
	b.set(home.Speed, topic, func(v any) (any, error) {
		f, ok := v.(float64)
		if !ok {
			return nil, errWant
		}
		return int(math.Ceil(f / 100 * 3)), nil
	})
	return b.e
}
