package hass

import (
	"cmp"
	"strconv"
	"strings"

	"hearthd/tools/home"
)

// kinds are the kinds of helpers that are called otherwise.
var kinds = map[string]home.Kind{
	"input_boolean": home.Switch, "input_number": home.Number, "input_select": home.Select, "input_button": home.Button, "input_text": home.Text,
}

// spoken are the domains that a person can use.
var spoken = map[home.Kind]bool{
	home.Light: true, home.Switch: true, home.Cover: true, home.Fan: true, home.Lock: true, home.Climate: true, home.WaterHeater: true, home.Humidifier: true, home.Valve: true,
	home.Vacuum: true, home.LawnMower: true, home.Scene: true, home.Script: true, home.Button: true, home.Sensor: true, home.BinarySensor: true, home.Number: true, home.Select: true,
	home.Text: true, home.Siren: true, home.MediaPlayer: true, home.Alarm: true,
}

// take puts a state into the place of the one before.
func (c *Client) take(s state) {
	domain, name, ok := strings.Cut(s.ID, ".")
	if !ok || len(s.ID) > 255 || len(c.entities) >= maxEntities && c.entities[s.ID].ID == "" {
		return
	}
	kind := home.Kind(domain)
	if k, helper := kinds[domain]; helper {
		kind = k
	}
	r := c.registry.entities[s.ID]
	if !spoken[kind] || r.hidden || !c.registry.exposure.allows(s.ID) {
		return
	}
	e := home.Entity{ID: s.ID, Kind: kind, Name: home.Clean(name), Category: r.category, Can: map[home.Key]bool{}, Reports: map[home.Key]bool{}, Options: map[home.Key][]string{}, State: home.State{}}
	in := c.registry.areas[cmp.Or(r.area, c.registry.devices[r.device])]
	e.Area, e.AreaAliases, e.Floors, e.Aliases = in.name, in.aliases, in.floors, r.aliases
	a := attributes(s.Attributes)
	if n := home.Clean(a.text("friendly_name")); n != "" {
		e.Name = n
	}
	e.Class, e.Unit = a.text("device_class"), a.text("unit_of_measurement")
	e.Offline = s.State == "unavailable"
	e.Members = a.list("entity_id")
	describe(&e, s.State, a)
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

// percent has a number of attribute name, of a scale, read as key.
func (a attributes) number(e *home.Entity, key home.Key, name string, scale float64) {
	if v, known := a[name]; known {
		e.Reports[key] = true
		if f, ok := v.(float64); ok {
			e.State[key] = f * scale
		}
	}
}

func (a attributes) word(e *home.Entity, key home.Key, name, options string) {
	if list := a.list(options); len(list) > 0 {
		e.Options[key] = list
		e.Can[key] = true
		e.Reports[key] = true
	}
	if t := a.text(name); t != "" {
		e.State[key] = t
	}
}

// describe says what a device can, and how it is.
func describe(e *home.Entity, now string, a attributes) {
	known := now != "" && now != "unknown" && now != "unavailable"
	main := func() {
		e.Can[home.Main], e.Reports[home.Main] = true, true
		if known {
			e.State[home.Main] = now
		}
	}
	switch e.Kind {
	case home.Sensor, home.BinarySensor, home.Alarm:
		main()
		clear(e.Can)
		if f, err := strconv.ParseFloat(now, 64); err == nil && e.Kind == home.Sensor {
			e.State[home.Main] = f
		}
	case home.Scene, home.Button:
		e.Can[home.Main] = true
	case home.Script:
		e.Can[home.Main] = true
	case home.Climate, home.WaterHeater:
		describeClimate(e, now, known, a)
	case home.Number:
		main()
		if f, err := strconv.ParseFloat(now, 64); err == nil {
			e.State[home.Main] = f
		}
		e.Min, _ = a["min"].(float64)
		e.Max, _ = a["max"].(float64)
		e.Step, _ = a["step"].(float64)
	case home.Select:
		main()
		e.Options[home.Main] = a.list("options")
	default:
		main()
		describeRest(e, a)
	}
	a.number(e, home.Battery, "battery_level", 1)
}

func describeClimate(e *home.Entity, now string, known bool, a attributes) {
	modes := map[home.Kind]string{home.Climate: "hvac_modes", home.WaterHeater: "operation_list"}[e.Kind]
	a.word(e, home.Mode, "operation_mode", modes)
	if known && e.Kind == home.Climate {
		e.State[home.Mode] = now
	}
	a.word(e, home.Preset, "preset_mode", "preset_modes")
	a.word(e, home.FanMode, "fan_mode", "fan_modes")
	a.word(e, home.SwingMode, "swing_mode", "swing_modes")
	a.number(e, home.Target, "temperature", 1)
	a.number(e, home.TargetLow, "target_temp_low", 1)
	a.number(e, home.TargetHigh, "target_temp_high", 1)
	a.number(e, home.TargetHumidity, "humidity", 1)
	for _, k := range []home.Key{home.Target, home.TargetLow, home.TargetHigh, home.TargetHumidity} {
		e.Can[k] = e.Reports[k]
	}
	a.number(e, home.Current, "current_temperature", 1)
	a.number(e, home.CurrentHumidity, "current_humidity", 1)
	if t := a.text("hvac_action"); t != "" {
		e.State[home.Action] = t
	}
	e.Min, _ = a["min_temp"].(float64)
	e.Max, _ = a["max_temp"].(float64)
}

// Features, by what they are of (supported_features): covers and valves, media players, vacuums.
const (
	setPosition = 4
	setVolume   = 4
	muteVolume  = 8
	cleanArea   = 16384 // Home Assistant 2026.3
)

func describeRest(e *home.Entity, a attributes) {
	features, _ := a["supported_features"].(float64)
	switch e.Kind {
	case home.Light:
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
		a.number(e, home.Brightness, "brightness", 100.0/255)
		a.number(e, home.Kelvin, "color_temp_kelvin", 1)
		e.Min, _ = a["min_color_temp_kelvin"].(float64)
		e.Max, _ = a["max_color_temp_kelvin"].(float64)
		if rgb, ok := a["rgb_color"].([]any); ok && len(rgb) == 3 {
			part := func(i int) uint8 { f, _ := rgb[i].(float64); return uint8(min(max(f, 0), 255)) }
			e.State[home.Colour] = home.Color{R: part(0), G: part(1), B: part(2)}
		}
		a.word(e, home.Effect, "effect", "effect_list")
	case home.Cover, home.Valve:
		a.number(e, home.Position, "current_position", 1)
		a.number(e, home.Tilt, "current_tilt_position", 1)
		e.Can[home.Position] = int(features)&setPosition != 0
		e.Can[home.Tilt] = e.Reports[home.Tilt]
	case home.Fan:
		a.number(e, home.Speed, "percentage", 1)
		e.Can[home.Speed] = e.Reports[home.Speed]
		e.Step, _ = a["percentage_step"].(float64)
		a.word(e, home.Preset, "preset_mode", "preset_modes")
	case home.Humidifier:
		a.number(e, home.TargetHumidity, "humidity", 1)
		e.Can[home.TargetHumidity] = e.Reports[home.TargetHumidity]
		a.number(e, home.CurrentHumidity, "current_humidity", 1)
		a.word(e, home.Mode, "mode", "available_modes")
	case home.Vacuum:
		a.word(e, home.FanMode, "fan_speed", "fan_speed_list")
		e.Can[home.Room] = int(features)&cleanArea != 0
	case home.MediaPlayer:
		a.number(e, home.Volume, "volume_level", 100)
		e.Can[home.Volume] = int(features)&setVolume != 0
		e.Can[home.Muted] = int(features)&muteVolume != 0
		if muted, known := a["is_volume_muted"].(bool); known {
			e.Reports[home.Muted] = true
			e.State[home.Muted] = map[bool]string{true: "on", false: "off"}[muted]
		}
	}
}
