package hass

import (
	"cmp"
	"errors"
	"strings"

	"hearthd/tools/home"
)

// Features (supported_features), by kind: covers and valves, media players, vacuums.
const (
	setPosition  = 4
	setVolume    = 4
	muteVolume   = 8
	selectSource = 2048
	cleanArea    = 16384 // Home Assistant 2026.3
)

// property is something that devices of a kind report as an attribute, or that a service sets. The
// attribute options lists its values.
type property struct {
	key                home.Key
	attribute, options string
	service, field     string  // empty: it cannot be set
	feature            int     // without which it cannot either
	scale              float64 // factor from our unit to Home Assistant's; 0: the same
}

// properties are in the order in which several are set.
var properties = map[home.Kind][]property{
	home.Light: {
		{key: home.Brightness, attribute: "brightness", scale: 100.0 / 255},
		{key: home.Kelvin, attribute: "color_temp_kelvin"},
		{key: home.Effect, attribute: "effect", options: "effect_list", service: "turn_on", field: "effect"},
	},
	home.Climate: {
		{key: home.Mode, options: "hvac_modes", service: "set_hvac_mode", field: "hvac_mode"},
		preset, target, fanMode, swingMode, targetHumidity,
		{key: home.TargetLow, attribute: "target_temp_low"},
		{key: home.TargetHigh, attribute: "target_temp_high"},
		current, currentHumidity,
		{key: home.Action, attribute: "hvac_action"},
	},
	home.WaterHeater: {
		{home.Mode, "operation_mode", "operation_list", "set_operation_mode", "operation_mode", 0, 0},
		preset, target, fanMode, swingMode, targetHumidity, current, currentHumidity,
	},
	home.Cover: {
		{home.Position, "current_position", "", "set_cover_position", "position", setPosition, 0},
		{home.Tilt, "current_tilt_position", "", "set_cover_tilt_position", "tilt_position", 0, 0},
	},
	home.Valve: {
		{home.Position, "current_position", "", "set_valve_position", "position", setPosition, 0},
	},
	home.Fan: {
		preset,
		{key: home.Speed, attribute: "percentage", service: "set_percentage", field: "percentage"},
	},
	home.Humidifier: {
		{key: home.Mode, attribute: "mode", options: "available_modes", service: "set_mode", field: "mode"},
		targetHumidity,
		currentHumidity,
	},
	home.Vacuum: {
		{home.FanMode, "fan_speed", "fan_speed_list", "set_fan_speed", "fan_speed", 0, 0},
		{key: home.Room, service: "clean_area", field: "cleaning_area_id", feature: cleanArea},
	},
	home.MediaPlayer: {
		{home.Volume, "volume_level", "", "volume_set", "volume_level", setVolume, 100},
		{home.Muted, "is_volume_muted", "", "volume_mute", "is_volume_muted", muteVolume, 0},
		{home.Source, "source", "source_list", "select_source", "source", selectSource, 0},
		{key: home.Title, attribute: "media_title"},
		{key: home.Artist, attribute: "media_artist"},
	},
}

// What several kinds have.
var (
	preset          = property{home.Preset, "preset_mode", "preset_modes", "set_preset_mode", "preset_mode", 0, 0}
	fanMode         = property{home.FanMode, "fan_mode", "fan_modes", "set_fan_mode", "fan_mode", 0, 0}
	swingMode       = property{home.SwingMode, "swing_mode", "swing_modes", "set_swing_mode", "swing_mode", 0, 0}
	target          = property{home.Target, "temperature", "", "set_temperature", "temperature", 0, 0}
	targetHumidity  = property{home.TargetHumidity, "humidity", "", "set_humidity", "humidity", 0, 0}
	current         = property{key: home.Current, attribute: "current_temperature"}
	currentHumidity = property{key: home.CurrentHumidity, attribute: "current_humidity"}
)

// limits are the attributes for the least and the most of a kind, and its steps.
var limits = map[home.Kind][]string{
	home.Climate:     {"min_temp", "max_temp"},
	home.WaterHeater: {"min_temp", "max_temp"},
	home.Light:       {"min_color_temp_kelvin", "max_color_temp_kelvin"},
	home.Number:      {"min", "max", "step"},
	home.Fan:         {"", "", "percentage_step"},
}

// mains are the services that set Main, by kind. The others are turned on and off.
var mains = map[home.Kind]map[any]string{
	home.Cover:     {"open": "open_cover", "closed": "close_cover", "stopped": "stop_cover"},
	home.Valve:     {"open": "open_valve", "closed": "close_valve", "stopped": "stop_valve"},
	home.Lock:      {"locked": "lock", "unlocked": "unlock", "open": "open"},
	home.Vacuum:    {"cleaning": "start", "paused": "pause", "stopped": "stop", "returning": "return_to_base"},
	home.LawnMower: {"mowing": "start_mowing", "paused": "pause", "returning": "dock"},
	home.MediaPlayer: {
		"on": "turn_on", "off": "turn_off", "paused": "media_pause", "playing": "media_play",
		"next": "media_next_track", "previous": "media_previous_track",
	},
	home.Sensor: {}, home.BinarySensor: {},
}

// service is one call.
type service struct {
	name string
	data map[string]any
}

var errWant = errors.New("there is no service of Home Assistant for this")

// services makes the calls for what is wanted of a device.
func services(e home.Entity, want home.State) ([]service, error) {
	domain, _, _ := strings.Cut(e.ID, ".")
	if e.Kind == home.Light && want[home.Main] != "off" {
		return []service{{"light.turn_on", lightData(want)}}, nil
	}
	if room, ok := want[home.Room]; ok { // and nothing else
		want = home.State{home.Room: []any{room}}
	}
	var out []service
	if v, ok := want[home.Main]; ok {
		s, err := mainService(e.Kind, v)
		if err != nil {
			return nil, err
		}
		s.name = domain + "." + s.name
		out = append(out, s)
	}
	for _, p := range properties[e.Kind] {
		v, ok := want[p.key]
		if !ok || p.service == "" {
			continue
		}
		if f, ok := v.(float64); ok {
			v = f / cmp.Or(p.scale, 1)
		}
		if p.key == home.Muted {
			v = v == "on"
		}
		out = append(out, service{domain + "." + p.service, map[string]any{p.field: v}})
	}
	if len(out) == 0 {
		return nil, errWant
	}
	return out, nil
}

func mainService(kind home.Kind, v any) (service, error) {
	name, known := mains[kind][v]
	switch {
	case known:
		return service{name, nil}, nil
	case kind == home.Button:
		return service{"press", nil}, nil
	case kind == home.Number || kind == home.Text:
		return service{"set_value", map[string]any{"value": v}}, nil
	case kind == home.Select:
		return service{"select_option", map[string]any{"option": v}}, nil
	case mains[kind] == nil && (v == "on" || v == "off"):
		return service{"turn_" + v.(string), nil}, nil
	}
	return service{}, errWant
}

func lightData(want home.State) map[string]any {
	data := map[string]any{}
	if v, ok := want[home.Brightness].(float64); ok {
		data["brightness_pct"] = v
	}
	if v, ok := want[home.Kelvin].(float64); ok {
		data["color_temp_kelvin"] = int(v)
	}
	if c, ok := want[home.Colour].(home.Color); ok {
		data["rgb_color"] = []int{int(c.R), int(c.G), int(c.B)}
	}
	if v, ok := want[home.Effect]; ok {
		data["effect"] = v
	}
	return data
}
