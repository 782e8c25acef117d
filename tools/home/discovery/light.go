package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
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
func (b *builder) temperature() codec {
	unit := "mireds"
	if b.flag("color_temp_kelvin", false) {
		unit = "kelvin"
	}
	least, most := b.num("min_"+unit, 0), b.num("max_"+unit, 0)
	return codec{
		func(text string) (any, error) {
			f, err := finite(text)
			switch {
			case err != nil:
				return nil, err
			case f <= 0:
				return nil, errors.New("the colour temperature is not above zero")
			case unit == "mireds":
				f = math.Round(1e6 / f)
			}
			return f, nil
		},
		func(v any) (any, error) {
			k, ok := v.(float64)
			if !ok || k <= 0 {
				return nil, errWant
			}
			if unit == "mireds" {
				k = 1e6 / k
			}
			if most > least {
				k = min(max(k, least), most)
			}
			return int(math.Round(k)), nil
		},
	}
}

// brightness is a level in the device's unit: never off while light is wanted.
func brightness(scale float64) codec {
	return codec{scaled(0, scale), number(func(f float64) int { return int(max(1, math.Round(f/100*scale))) })}
}

// basicLight has topics of its own for everything.
func (b *builder) basicLight() {
	b.property(home.Main, "", b.onOff())
	b.property(home.Brightness, "brightness_", brightness(b.num("brightness_scale", 255)))
	b.property(home.Kelvin, "color_temp_", b.temperature())
	b.property(home.Effect, "effect_", asText)
	for _, f := range colourForms {
		b.read(f.name+"_state_topic", home.Colour, b.tmpl(f.name+"_value_template"), f.take)
		if !b.e.Can[home.Colour] { // the first way to set its colour is used
			b.sendWith(f.name+"_command_topic", home.Colour, b.tmpl(f.name+"_command_template"), f.encode)
		}
	}
	b.e.compose = b.basicOrder(b.str("on_command_type", "last"))
}

// basicOrder sends what is wanted in the order of on_command_type: "on" before
// or after the rest, or no "on" where there is a brightness to send. For "dimmed", which
// is Tasmota's, a brightness that is wanted switches the light on, and "on" is sent first.
func (b *builder) basicOrder(kind string) func(want, have home.State) ([]message, error) {
	e := b.e
	return func(want, have home.State) ([]message, error) {
		v, switched := want[home.Main]
		_, dims := want[home.Brightness]
		if v == "on" && kind == "brightness" && e.Can[home.Brightness] && !dims {
			now, ok := have[home.Brightness]
			if !ok || now == 0.0 {
				now = 100.0
			}
			want, dims = maps.Clone(want), true
			want[home.Brightness] = now
		}
		keys := []home.Key{home.Brightness, home.Kelvin, home.Colour, home.Effect}
		switch implied := v == "on" && dims; {
		case !switched, implied && (kind == "brightness" || kind == "dimmed"):
		case kind == "first" || kind == "dimmed":
			keys = slices.Insert(keys, 0, home.Main)
		default:
			keys = append(keys, home.Main)
		}
		return e.inOrder(keys, want)
	}
}

// stated are the templates that take the state of a light out of its JSON, where it is not
// described by templates of its own.
var stated = map[string]string{
	"state_template":      `{{ value_json.state if value_json is mapping else value }}`,
	"brightness_template": `{{ value_json.brightness }}`,
	"effect_template":     `{{ value_json.effect }}`,
	"color_temp_template": `{% set mode = value_json.color_mode %}` +
		`{{ value_json.color_temp if not mode or mode == 'color_temp' else none }}`,
	"rgb_template": `{% set c = value_json.color %}{% if c.b is defined and value_json.color_mode != 'color_temp' %}` +
		`{{ c.r }},{{ c.g }},{{ c.b }}{% elif value_json.color_mode == 'color_temp' %}None{% endif %}`,
	// Zigbee2MQTT sends x and y beside hue and saturation: the mode says which of them count.
	"xy_template": `{% set c = value_json.color %}{% if c.y is defined and c.b is not defined ` +
		`and value_json.color_mode not in ['hs', 'color_temp'] %}{{ c.x }},{{ c.y }}{% endif %}`,
	"hs_template": `{% set c = value_json.color %}{% set h = c.h | default(c.hue) %}{% if h is defined ` +
		`and c.b is not defined and (c.y is not defined or value_json.color_mode == 'hs') ` +
		`and value_json.color_mode != 'color_temp' %}{{ h }},{{ c.s | default(c.saturation) }}{% endif %}`,
}

// jsonLight sends and reads one object.
func (b *builder) jsonLight() {
	modes := b.list("supported_color_modes")
	mode := ""
	for _, m := range []string{"xy", "hs", "rgb", "rgbw", "rgbww"} {
		if slices.Contains(modes, m) || b.config[m] == true {
			mode = m
			break
		}
	}
	dims := b.flag("brightness", false) ||
		slices.ContainsFunc(modes, func(m string) bool { return m != "onoff" && m != "unknown" })
	temp, level := b.temperature(), brightness(b.num("brightness_scale", 255))
	for key, source := range stated {
		b.config[key] = source
	}
	b.oneTopic(level, temp, map[home.Key]bool{
		home.Brightness: dims, home.Kelvin: slices.Contains(modes, "color_temp") || b.config["color_temp"] == true,
		home.Colour: mode != "", home.Effect: b.flag("effect", false),
	})
	topic := b.topic("command_topic")
	b.e.compose = func(want, _ home.State) ([]message, error) {
		if want[home.Main] == "off" {
			return []message{{topic, `{"state":"OFF"}`}}, nil
		}
		o, err := lit(want, level, temp)
		if err != nil {
			return nil, err
		}
		o["state"] = "ON"
		if c, ok := want[home.Colour].(home.Color); ok {
			o["color"] = colourObject(mode, c)
		}
		data, err := json.Marshal(o)
		return []message{{topic, string(data)}}, err
	}
}

// templateLight has a template for each direction of everything.
func (b *builder) templateLight() {
	on, off := b.tmpl("command_on_template"), b.tmpl("command_off_template")
	if on == nil || off == nil {
		b.fail(errors.New("command_on_template and command_off_template are needed"))
	}
	var rgb []string
	for _, part := range []string{"red", "green", "blue"} {
		if source := b.str(part+"_template", ""); source != "" {
			rgb = append(rgb, source)
		}
	}
	if len(rgb) == 3 {
		b.config["rgb_template"] = strings.Join(rgb, ",")
	}
	temp, level := b.temperature(), brightness(255)
	b.oneTopic(level, temp, map[home.Key]bool{
		home.Brightness: b.str("brightness_template", "") != "", home.Kelvin: b.str("color_temp_template", "") != "",
		home.Colour: len(rgb) == 3, home.Effect: true,
	})
	topic := b.topic("command_topic")
	b.e.compose = func(want, _ home.State) ([]message, error) {
		t, vars := off, map[string]any{}
		if want[home.Main] != "off" {
			var err error
			if vars, err = lit(want, level, temp); err != nil {
				return nil, err
			}
			if c, ok := want[home.Colour].(home.Color); ok {
				h, s := c.HS()
				vars["red"], vars["green"], vars["blue"], vars["hue"], vars["sat"] = int(c.R), int(c.G), int(c.B), h, s
			}
			t = on
		}
		vars["state"] = want[home.Main] != "off"
		text, err := t.commandOr("", vars)
		return []message{{topic, text}}, err
	}
}

// oneTopic makes a light read these properties by templates, from one topic.
func (b *builder) oneTopic(level, temp codec, can map[home.Key]bool) {
	if b.topic("command_topic") == "" {
		b.fail(errors.New("command_topic is missing"))
	}
	can[home.Main] = true
	maps.Copy(b.e.Can, can)
	maps.DeleteFunc(b.e.Can, func(_ home.Key, can bool) bool { return !can })
	b.read("state_topic", home.Main, b.tmpl("state_template"),
		words(map[string]string{"ON": "on", "OFF": "off", "True": "on", "False": "off"}))
	says := func(key home.Key, name string, take func(string) (any, error)) {
		if t := b.tmpl(name); t != nil && can[key] {
			b.read("state_topic", key, t, take)
		}
	}
	says(home.Brightness, "brightness_template", level.take)
	says(home.Kelvin, "color_temp_template", temp.take)
	says(home.Effect, "effect_template", plainText)
	for _, f := range colourForms[:3] {
		says(home.Colour, f.name+"_template", f.take)
	}
}

// lit is the wanted state of a light that is on, without its colour.
func lit(want home.State, level, temp codec) (map[string]any, error) {
	out := map[string]any{}
	var err, err2 error
	if v, ok := want[home.Brightness]; ok {
		out["brightness"], err = level.encode(v)
	}
	if v, ok := want[home.Kelvin]; ok {
		out["color_temp"], err2 = temp.encode(v)
	}
	if v, ok := want[home.Effect]; ok {
		out["effect"] = v
	}
	return out, errors.Join(err, err2)
}
