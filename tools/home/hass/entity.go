package hass

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"hearthd/tools/home"
)

// kinds are the kinds of helpers, whose domains have other names.
var kinds = map[string]home.Kind{
	"input_boolean": home.Switch, "input_number": home.Number, "input_select": home.Select,
	"input_button": home.Button, "input_text": home.Text, "person": home.BinarySensor,
}

// spoken are the domains that a person can use.
var spoken = map[home.Kind]bool{
	home.Light: true, home.Switch: true, home.Cover: true, home.Fan: true, home.Lock: true, home.Climate: true,
	home.WaterHeater: true, home.Humidifier: true, home.Valve: true, home.Vacuum: true, home.LawnMower: true,
	home.Scene: true, home.Script: true, home.Button: true, home.Sensor: true, home.BinarySensor: true,
	home.Number: true, home.Select: true, home.Text: true, home.Siren: true, home.MediaPlayer: true, home.Alarm: true,
}

// take replaces the state.
func (c *Client) take(s state) {
	domain, name, ok := strings.Cut(s.ID, ".")
	if !ok || len(s.ID) > 255 || len(c.entities) >= maxEntities && c.entities[s.ID].ID == "" {
		return
	}
	kind := cmp.Or(kinds[domain], home.Kind(domain))
	r := c.registry.entities[s.ID]
	if _, is := sources[domain]; is {
		c.takeSource(s, domain, home.Clean(name), r)
		return
	}
	if !spoken[kind] || r.hidden || !c.registry.exposure.allows(s.ID) {
		return
	}
	a := attributes(s.Attributes)
	device := c.registry.devices[r.device]
	in := c.registry.areas[cmp.Or(r.area, device.Area)]
	e := home.Entity{
		ID: s.ID, Kind: kind, Name: cmp.Or(home.Clean(a.text("friendly_name")), home.Clean(name)),
		Category: r.category, Class: a.text("device_class"), Unit: a.text("unit_of_measurement"),
		Area: in.name, AreaAliases: in.aliases, Floors: in.floors, Aliases: r.aliases, Members: a.list("entity_id"),
		Labels:  c.registry.labelled(slices.Concat(r.labels, device.Labels, in.labels)...),
		Offline: s.State == "unavailable",
		Can:     map[home.Key]bool{}, Reports: map[home.Key]bool{}, Options: map[home.Key][]string{}, State: home.State{},
	}
	if domain == "person" { // whose state is a zone
		e.Class = "presence"
		if !slices.Contains([]string{"home", "unknown", "unavailable"}, s.State) {
			s.State = "off"
		}
		s.State = strings.Replace(s.State, "home", "on", 1)
	}
	a.describe(&e, s.State)
	c.entities[s.ID] = e
}

// attributes are those of a state.
type attributes map[string]any

func (a attributes) text(key string) string {
	t, _ := a[key].(string)
	if len(t) > 255 {
		return ""
	}
	return t
}

func (a attributes) list(key string) []string {
	var out []string
	l, _ := a[key].([]any)
	for _, v := range l {
		if t, ok := v.(string); ok && len(t) <= 200 && len(out) < 200 {
			out = append(out, t)
		}
	}
	return out
}

func (a attributes) number(key string) float64 {
	f, _ := a[key].(float64)
	return f
}

// describe says what a device can do, and its state.
func (a attributes) describe(e *home.Entity, now string) {
	a.main(e, now)
	if e.Kind == home.Light {
		a.light(e)
	}
	features := int(a.number("supported_features"))
	for _, p := range append(properties[e.Kind], property{key: home.Battery, attribute: "battery_level"}) {
		if list := a.list(p.options); len(list) > 0 {
			e.Options[p.key] = list
			e.Reports[p.key] = true
		}
		switch v := a[p.attribute].(type) {
		case float64:
			e.State[p.key] = v * cmp.Or(p.scale, 1)
		case string:
			if t := a.text(p.attribute); t != "" {
				e.State[p.key] = t
			}
		case bool:
			e.State[p.key] = map[bool]string{true: "on", false: "off"}[v]
		}
		if _, told := a[p.attribute]; told && p.options == "" {
			e.Reports[p.key] = true
		}
		if p.service != "" {
			e.Can[p.key] = e.Reports[p.key]
			if p.feature != 0 {
				e.Can[p.key] = features&p.feature != 0
			}
		}
	}
	if e.Kind == home.Humidifier { // every one can be set, but it reports a target only once it has one
		e.Can[home.TargetHumidity], e.Reports[home.TargetHumidity] = true, true
	}
	for to, attribute := range limits[e.Kind] {
		*[]*float64{&e.Min, &e.Max, &e.Step}[to] = a.number(attribute)
	}
}

// main is the state of a device, which Home Assistant keeps outside of its attributes.
func (a attributes) main(e *home.Entity, now string) {
	var v any = now
	f, err := strconv.ParseFloat(now, 64)
	counts := (e.Kind == home.Sensor || e.Kind == home.Number) && err == nil
	if counts && !math.IsNaN(f) && !math.IsInf(f, 0) {
		v = f
	}
	known, key := now != "" && now != "unknown" && now != "unavailable", home.Main
	switch e.Kind {
	case home.Sensor, home.BinarySensor, home.Alarm:
		e.Reports[key] = true
	case home.Scene, home.Button, home.Script:
		e.Can[key], known = true, false
	case home.Climate:
		key = home.Mode
	case home.WaterHeater:
		known = false // it comes as an attribute too
	default:
		e.Can[key], e.Reports[key] = true, true
	}
	if known {
		e.State[key] = v
	}
	if e.Kind == home.Select {
		e.Options[home.Main] = a.list("options")
	}
}

// light says what can be set by the modes of a light, and its colour.
func (a attributes) light(e *home.Entity) {
	for _, m := range a.list("supported_color_modes") {
		if m != "onoff" {
			e.Can[home.Brightness], e.Reports[home.Brightness] = true, true
		}
		switch m {
		case "color_temp":
			e.Can[home.Kelvin], e.Reports[home.Kelvin] = true, true
		case "hs", "xy", "rgb", "rgbw", "rgbww":
			e.Can[home.Colour], e.Reports[home.Colour] = true, true
		}
	}
	if rgb, ok := a["rgb_color"].([]any); ok && len(rgb) == 3 {
		part := func(i int) uint8 { f, _ := rgb[i].(float64); return uint8(min(max(f, 0), 255)) }
		e.State[home.Colour] = home.Color{R: part(0), G: part(1), B: part(2)}
	}
}
