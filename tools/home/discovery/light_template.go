package discovery

import (
	"errors"
	"slices"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

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
	tmpls := []*tmpl{b.tmpl("red_template"), b.tmpl("green_template"), b.tmpl("blue_template")}
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
