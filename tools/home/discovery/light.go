package discovery

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hearthd/tools/home"
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
	white := uint8(0)
	if strings.HasPrefix(name, "rgbw") {
		c, white = withWhite(c)
	}
	vars := map[string]any{"red": int(c.R), "green": int(c.G), "blue": int(c.B), "white": int(white), "cold_white": int(white), "warm_white": int(white)}
	rgb := fmt.Sprintf("%d,%d,%d", c.R, c.G, c.B)
	short := func(f float64) string { return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64) }
	switch name {
	case "rgbw":
		return vars, fmt.Sprintf("%s,%d", rgb, white)
	case "rgbww":
		return vars, fmt.Sprintf("%s,%d,%d", rgb, white, white)
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
