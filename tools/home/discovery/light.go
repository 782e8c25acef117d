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

// light reads the three ways in which a light may be described.
func light(b *builder) {
	switch schema := b.str("schema", "basic"); schema {
	case "json":
		b.jsonLight()
	case "template":
		b.templateLight()
	case "basic", "default", "":
		b.basicLight()
	default:
		b.fail(fmt.Errorf("the schema %.40q is not known", schema))
	}
	b.e.Options[home.Effect] = b.list("effect_list")
	if len(b.e.Options[home.Effect]) == 0 {
		delete(b.e.Can, home.Effect)
	}
}

// temperature converts between kelvin and what the light counts in: mireds, which
// are a million over kelvin, or kelvin. Bounds of the light are kept.
type temperature struct {
	kelvin      bool
	least, most float64
}

func (b *builder) temperature() temperature {
	t := temperature{kelvin: b.flag("color_temp_kelvin", false)}
	if t.kelvin {
		t.least, t.most = b.num("min_kelvin", 0), b.num("max_kelvin", 0)
	} else {
		t.least, t.most = b.num("min_mireds", 0), b.num("max_mireds", 0)
	}
	return t
}

func (t temperature) of(v any) (any, error) {
	k, ok := v.(float64)
	if !ok || k <= 0 {
		return nil, errWant
	}
	if !t.kelvin {
		k = 1e6 / k
	}
	if t.most > t.least {
		k = min(max(k, t.least), t.most)
	}
	return int(math.Round(k)), nil
}

func (t temperature) read(f float64) (any, error) {
	switch {
	case f <= 0:
		return nil, errors.New("the colour temperature is not above zero")
	case t.kelvin:
		return f, nil
	}
	return math.Round(1e6 / f), nil
}

// level is a brightness as the device counts it: never off while it is wanted.
func level(v any, scale float64) int {
	f, _ := v.(float64)
	return int(max(1, math.Round(f/100*scale)))
}

// basicLight has topics of its own for everything.
func (b *builder) basicLight() {
	on, off := b.str("payload_on", "ON"), b.str("payload_off", "OFF")
	b.read("state_topic", home.Main, b.tmpl("state_value_template", "value_template"), words(map[string]string{on: "on", off: "off"}))
	b.send("command_topic", home.Main, nil, payloads(map[string]string{"on": on, "off": off}))
	scale := b.num("brightness_scale", 255)
	b.read("brightness_state_topic", home.Brightness, b.tmpl("brightness_value_template"), scaled(0, scale))
	b.send("brightness_command_topic", home.Brightness, b.tmpl("brightness_command_template"), func(v any) (any, error) { return level(v, scale), nil })
	b.readBasicColours()
	b.sendBasicColours()
	b.read("effect_state_topic", home.Effect, b.tmpl("effect_value_template"), plainText)
	b.send("effect_command_topic", home.Effect, b.tmpl("effect_command_template"), asIs)
	b.e.compose = b.basicOrder(b.str("on_command_type", "last"), b.topic("brightness_command_topic") != "")
}

func (b *builder) readBasicColours() {
	t := b.temperature()
	b.read("color_temp_state_topic", home.Kelvin, b.tmpl("color_temp_value_template"), func(text string) (any, error) {
		f, err := finite(text)
		if err != nil {
			return nil, err
		}
		return t.read(f)
	})
	for name, make := range map[string]func([]float64) home.Color{
		"rgb": fromRGB, "rgbw": fromRGB, "rgbww": fromRGB,
		"hs": func(v []float64) home.Color { return home.FromHS(v[0], v[1]) }, "xy": func(v []float64) home.Color { return home.FromXY(v[0], v[1]) },
	} {
		need := map[string]int{"rgb": 3, "rgbw": 4, "rgbww": 5, "hs": 2, "xy": 2}[name]
		b.read(name+"_state_topic", home.Colour, b.tmpl(name+"_value_template"), func(text string) (any, error) {
			v, err := numbers(text)
			if err != nil || len(v) < need {
				return nil, errors.Join(err, errIf(len(v) < need, "the colour has too few parts"))
			}
			return make(v), nil
		})
	}
}

func fromRGB(v []float64) home.Color {
	part := func(f float64) uint8 { return uint8(min(max(f, 0), 255)) }
	return home.Color{R: part(v[0]), G: part(v[1]), B: part(v[2])}
}

// numbers reads "255,128,0".
func numbers(text string) ([]float64, error) {
	var out []float64
	for _, t := range strings.SplitN(text, ",", 8) {
		f, err := finite(t)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// sendBasicColours takes the first of the light's ways to be given a colour.
func (b *builder) sendBasicColours() {
	t := b.temperature()
	b.send("color_temp_command_topic", home.Kelvin, b.tmpl("color_temp_command_template"), t.of)
	for _, name := range []string{"rgb", "hs", "xy", "rgbw", "rgbww"} {
		topic := b.topic(name + "_command_topic")
		if topic == "" || b.e.Can[home.Colour] {
			continue
		}
		tmpl := b.tmpl(name + "_command_template")
		b.e.Can[home.Colour] = true
		b.e.senders[home.Colour] = sender{topic, func(v any) (string, error) {
			c, ok := v.(home.Color)
			if !ok {
				return "", errWant
			}
			vars, text := parts(name, c)
			if tmpl == nil {
				return text, nil
			}
			vars["value"] = text
			return tmpl.Command(vars)
		}}
	}
}

// parts are the numbers of a colour by the names that templates know them by, and
// as the text that is sent without a template.
func parts(name string, c home.Color) (map[string]any, string) {
	hue, sat := c.HS()
	x, y := c.XY()
	vars := map[string]any{"red": int(c.R), "green": int(c.G), "blue": int(c.B), "white": 0, "cold_white": 0, "warm_white": 0}
	rgb := fmt.Sprintf("%d,%d,%d", c.R, c.G, c.B)
	short := func(f float64) string { return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64) }
	switch name {
	case "rgbw":
		return vars, rgb + ",0"
	case "rgbww":
		return vars, rgb + ",0,0"
	case "hs":
		return map[string]any{"hue": hue, "sat": sat}, short(hue) + "," + short(sat)
	case "xy":
		return map[string]any{"x": x, "y": y}, short(x) + "," + short(y)
	}
	return vars, rgb
}

// basicOrder sends what is wanted in the order of on_command_type: "on" before
// or after the rest, or no "on" where there is a brightness to send.
func (b *builder) basicOrder(kind string, dims bool) func(want, have home.State) ([]message, error) {
	e := b.e
	return func(want, have home.State) ([]message, error) {
		var rest []message
		for _, k := range []home.Key{home.Brightness, home.Kelvin, home.Colour, home.Effect} {
			if v, ok := want[k]; ok {
				text, err := e.senders[k].make(v)
				if err != nil {
					return nil, err
				}
				rest = append(rest, message{e.senders[k].topic, text})
			}
		}
		v, switched := want[home.Main]
		if !switched {
			return rest, nil
		}
		if kind == "brightness" && v == "on" && dims {
			if _, ok := want[home.Brightness]; ok {
				return rest, nil
			}
			now, ok := have[home.Brightness]
			if !ok || now == 0.0 {
				now = 100.0
			}
			text, err := e.senders[home.Brightness].make(now)
			return append([]message{{e.senders[home.Brightness].topic, text}}, rest...), err
		}
		text, err := e.senders[home.Main].make(v)
		if err != nil {
			return nil, err
		}
		main := message{e.senders[home.Main].topic, text}
		if kind == "first" {
			return append([]message{main}, rest...), nil
		}
		return append(rest, main), nil
	}
}

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
	o := map[string]any{"r": c.R, "g": c.G, "b": c.B}
	switch j.color {
	case "rgbw":
		o["w"] = 0
	case "rgbww":
		o["c"], o["w"] = 0, 0
	}
	return o
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
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// templateLight has a template for each direction of everything.
func (b *builder) templateLight() {
	topic, on, off := b.topic("command_topic"), b.tmpl("command_on_template"), b.tmpl("command_off_template")
	if topic == "" || on == nil || off == nil {
		b.fail(errors.New("command_topic, command_on_template and command_off_template are needed"))
		return
	}
	b.e.Can[home.Main] = true
	b.e.Can[home.Effect] = true
	temp := b.temperature()
	b.read("state_topic", home.Main, b.tmpl("state_template"), words(map[string]string{"on": "on", "off": "off"}))
	if t := b.tmpl("brightness_template"); t != nil {
		b.e.Can[home.Brightness] = true
		b.read("state_topic", home.Brightness, t, scaled(0, 255))
	}
	if t := b.tmpl("color_temp_template"); t != nil {
		b.e.Can[home.Kelvin] = true
		b.read("state_topic", home.Kelvin, t, func(text string) (any, error) {
			f, err := finite(text)
			if err != nil {
				return nil, err
			}
			return temp.read(f)
		})
	}
	if t := b.tmpl("effect_template"); t != nil {
		b.read("state_topic", home.Effect, t, plainText)
	}
	b.templateColour()
	b.e.compose = func(want, _ home.State) ([]message, error) {
		vars := map[string]any{"state": want[home.Main] != "off"}
		if want[home.Main] == "off" {
			text, err := off.Command(vars)
			return []message{{topic, text}}, err
		}
		if v, ok := want[home.Brightness]; ok {
			vars["brightness"] = level(v, 255)
		}
		if v, ok := want[home.Kelvin]; ok {
			t, err := temp.of(v)
			if err != nil {
				return nil, err
			}
			vars["color_temp"] = t
		}
		if c, ok := want[home.Colour].(home.Color); ok {
			h, s := c.HS()
			vars["red"], vars["green"], vars["blue"], vars["hue"], vars["sat"] = int(c.R), int(c.G), int(c.B), h, s
		}
		if v, ok := want[home.Effect]; ok {
			vars["effect"] = v
		}
		text, err := on.Command(vars)
		return []message{{topic, text}}, err
	}
}

func (b *builder) templateColour() {
	topic := b.topic("state_topic")
	tmpls := []*template.Template{b.tmpl("red_template"), b.tmpl("green_template"), b.tmpl("blue_template")}
	if slices.Contains(tmpls, nil) {
		return
	}
	b.e.Can[home.Colour] = true
	if topic == "" {
		return
	}
	b.e.Reports[home.Colour] = true
	b.e.reads = append(b.e.reads, read{topic, func(m template.Message, s home.State) error {
		var v []float64
		for _, t := range tmpls {
			text, err := t.Value(m)
			if err != nil || text == "" || text == "None" {
				return err
			}
			f, err := finite(text)
			if err != nil {
				return err
			}
			v = append(v, f)
		}
		s[home.Colour] = fromRGB(v)
		return nil
	}})
}
