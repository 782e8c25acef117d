package discovery

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// jsonLight sends and reads one object.
func (b *builder) jsonLight() {
	j := &jsonLight{topic: b.topic("command_topic"), scale: b.num("brightness_scale", 255), temp: b.temperature()}
	if j.topic == "" {
		b.fail(errors.New("command_topic is missing"))
	}
	modes := b.list("supported_color_modes")
	for _, m := range []string{"xy", "hs", "rgb", "rgbw", "rgbww"} {
		if slices.Contains(modes, m) || b.config[m] == true {
			j.color = m
			break
		}
	}
	b.e.Can[home.Main] = true
	dims := b.flag("brightness", false) || slices.ContainsFunc(modes, func(m string) bool { return m != "onoff" && m != "unknown" })
	for k, can := range map[home.Key]bool{
		home.Brightness: dims, home.Kelvin: slices.Contains(modes, "color_temp") || b.config["color_temp"] == true,
		home.Colour: j.color != "", home.Effect: b.flag("effect", false),
	} {
		if can {
			b.e.Can[k] = true
		}
	}
	if topic := b.topic("state_topic"); topic != "" {
		for k := range b.e.Can {
			b.e.Reports[k] = true
		}
		b.e.reads = append(b.e.reads, read{topic, j.take})
	}
	b.e.compose = j.compose
}

type jsonLight struct {
	topic string
	scale float64
	color string // xy, hs, rgb, rgbw or rgbww; empty: none
	temp  temperature
}

func (j *jsonLight) compose(want, _ home.State) ([]message, error) {
	if want[home.Main] == "off" {
		return []message{{j.topic, `{"state":"OFF"}`}}, nil
	}
	o := map[string]any{"state": "ON"}
	if v, ok := want[home.Brightness]; ok {
		o["brightness"] = level(v, j.scale)
	}
	if v, ok := want[home.Kelvin]; ok {
		t, err := j.temp.of(v)
		if err != nil {
			return nil, err
		}
		o["color_temp"] = t
	}
	if c, ok := want[home.Colour].(home.Color); ok {
		o["color"] = j.colored(c)
	}
	if v, ok := want[home.Effect]; ok {
		o["effect"] = v
	}
	data, err := json.Marshal(o)
	return []message{{j.topic, string(data)}}, err
}

func (j *jsonLight) colored(c home.Color) map[string]any {
	switch j.color {
	case "xy":
		x, y := c.XY()
		return map[string]any{"x": x, "y": y}
	case "hs":
		h, s := c.HS()
		return map[string]any{"h": math.Round(h*1000) / 1000, "s": math.Round(s*1000) / 1000}
	}
	white := uint8(0)
	if j.color != "rgb" {
		c, white = withWhite(c)
	}
	o := map[string]any{"r": c.R, "g": c.G, "b": c.B}
	switch j.color {
	case "rgbw":
		o["w"] = white
	case "rgbww":
		o["c"], o["w"] = white, white
	}
	return o
}

// withWhite takes out of a colour what white lamps do better, and makes the rest
// as strong as the colour was.
func withWhite(c home.Color) (home.Color, uint8) {
	white, most := min(c.R, c.G, c.B), max(c.R, c.G, c.B)
	if white == most {
		return home.Color{}, white
	}
	part := func(v uint8) uint8 { return uint8(int(v-white) * int(most) / int(most-white)) }
	return home.Color{R: part(c.R), G: part(c.G), B: part(c.B)}, white
}

// take reads the state, of which a light may send any part.
func (j *jsonLight) take(m template.Message, s home.State) error {
	v, ok := m.JSON()
	o, isObject := v.(map[string]any)
	if !ok || !isObject {
		switch strings.ToUpper(strings.TrimSpace(m.Text())) {
		case "ON":
			s[home.Main] = "on"
			return nil
		case "OFF":
			s[home.Main] = "off"
			return nil
		}
		return errors.New("the state is no JSON object")
	}
	switch o["state"] {
	case "ON", "on", true:
		s[home.Main] = "on"
	case "OFF", "off", false:
		s[home.Main] = "off"
	}
	if f, ok := float(o["brightness"]); ok && j.scale > 0 {
		s[home.Brightness] = min(max(f/j.scale*100, 0), 100)
	}
	mode, _ := o["color_mode"].(string)
	if f, ok := float(o["color_temp"]); ok && f > 0 && (mode == "" || mode == "color_temp") {
		if k, err := j.temp.read(f); err == nil {
			s[home.Kelvin] = k
		}
	}
	if c, ok := o["color"].(map[string]any); ok && mode != "color_temp" {
		j.takeColor(c, mode, s)
	}
	if e, ok := o["effect"].(string); ok && len(e) <= maxText {
		s[home.Effect] = e
	}
	return nil
}

// takeColor reads the part of a colour that its mode names, or the first there
// is: Zigbee2MQTT sends x and y beside hue and saturation.
func (j *jsonLight) takeColor(c map[string]any, mode string, s home.State) {
	get := func(names ...string) ([]float64, bool) {
		var v []float64
		for _, n := range names {
			f, ok := float(c[n])
			if !ok {
				return nil, false
			}
			v = append(v, f)
		}
		return v, true
	}
	if v, ok := get("r", "g", "b"); ok {
		s[home.Colour] = fromRGB(v)
		return
	}
	if v, ok := get("x", "y"); ok && mode != "hs" {
		s[home.Colour] = home.FromXY(v[0], v[1])
		return
	}
	for _, names := range [][]string{{"h", "s"}, {"hue", "saturation"}} {
		if v, ok := get(names...); ok {
			s[home.Colour] = home.FromHS(v[0], v[1])
			return
		}
	}
}

func float(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
