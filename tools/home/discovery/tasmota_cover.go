package discovery

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// shutter is the i-th of the device.
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
	if i < len(t.Tilts) && len(t.Tilts[i]) == 3 && t.Tilts[i][0] != t.Tilts[i][1] {
		least, most := float64(t.Tilts[i][0]), float64(t.Tilts[i][1])
		b.value(home.Tilt, []string{"Shutter" + n, "Tilt"}, func(v any) (any, bool) {
			f, ok := float(v)
			return min(max((f-least)/(most-least)*100, 0), 100), ok
		}, "state", "result", "sensor")
		b.set(home.Tilt, t.cmnd+"ShutterTilt"+n, asNumber(least, most))
	}
	b.e.Can[home.Main] = true
	commands := map[any]string{"open": "ShutterOpen", "closed": "ShutterClose", "stopped": "ShutterStop"}
	b.e.compose = func(want, _ home.State) ([]message, error) {
		for _, k := range []home.Key{home.Position, home.Tilt} {
			if p, ok := want[k]; ok {
				text, err := b.e.senders[k].make(p)
				return []message{{b.e.senders[k].topic, text}}, err
			}
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
