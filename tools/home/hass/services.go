package hass

import (
	"errors"
	"fmt"
	"strings"

	"hearthd/tools/home"
)

// service is one call.
type service struct {
	name string
	data map[string]any
}

var errWant = errors.New("there is no service of Home Assistant for this")

// mains are the services that set Main, by kind.
var mains = map[home.Kind]map[any]string{
	home.Cover:     {"open": "cover.open_cover", "closed": "cover.close_cover", "stopped": "cover.stop_cover"},
	home.Valve:     {"open": "valve.open_valve", "closed": "valve.close_valve", "stopped": "valve.stop_valve"},
	home.Lock:      {"locked": "lock.lock", "unlocked": "lock.unlock", "open": "lock.open"},
	home.Vacuum:    {"cleaning": "vacuum.start", "paused": "vacuum.pause", "stopped": "vacuum.stop", "returning": "vacuum.return_to_base"},
	home.LawnMower: {"mowing": "lawn_mower.start_mowing", "paused": "lawn_mower.pause", "returning": "lawn_mower.dock"},
	home.MediaPlayer: {
		"on": "media_player.turn_on", "off": "media_player.turn_off", "paused": "media_player.media_pause", "playing": "media_player.media_play",
		"next": "media_player.media_next_track", "previous": "media_player.media_previous_track",
	},
}

// settings are the services of the other keys, and the name of their value.
var settings = map[home.Key][2]string{
	home.Position: {"set_%s_position", "position"}, home.Tilt: {"set_%s_tilt_position", "tilt_position"}, home.Speed: {"set_percentage", "percentage"},
	home.Target: {"set_temperature", "temperature"}, home.TargetHumidity: {"set_humidity", "humidity"}, home.Preset: {"set_preset_mode", "preset_mode"},
	home.Volume: {"volume_set", "volume_level"}, home.Muted: {"volume_mute", "is_volume_muted"}, home.FanMode: {"set_fan_mode", "fan_mode"}, home.SwingMode: {"set_swing_mode", "swing_mode"}, home.Mode: {"set_mode", "mode"},
}

// services makes the calls for what is wanted of a device.
func services(e home.Entity, want home.State) ([]service, error) {
	domain, _, _ := strings.Cut(e.ID, ".")
	if e.Kind == home.Light && want[home.Main] != "off" {
		return []service{{"light.turn_on", lightData(want)}}, nil
	}
	var out []service
	if room, ok := want[home.Room]; ok {
		return []service{{"vacuum.clean_area", map[string]any{"cleaning_area_id": []any{room}}}}, nil
	}
	if v, ok := want[home.Main]; ok {
		s, err := mainService(e, domain, v)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	for _, k := range []home.Key{home.Mode, home.Preset, home.Target, home.FanMode, home.SwingMode, home.TargetHumidity, home.Speed, home.Position, home.Tilt, home.Volume, home.Muted} {
		v, ok := want[k]
		if !ok {
			continue
		}
		name, value := settings[k][0], settings[k][1]
		switch {
		case k == home.Mode && e.Kind == home.Climate:
			name, value = "set_hvac_mode", "hvac_mode"
		case k == home.Mode && e.Kind == home.WaterHeater:
			name, value = "set_operation_mode", "operation_mode"
		case k == home.FanMode && e.Kind == home.Vacuum:
			name, value = "set_fan_speed", "fan_speed"
		case k == home.Volume:
			level, _ := v.(float64)
			v = level / 100
		case k == home.Muted:
			v = v == "on"
		case strings.Contains(name, "%s"):
			name = fmt.Sprintf(name, domain)
		}
		out = append(out, service{domain + "." + name, map[string]any{value: v}})
	}
	if len(out) == 0 {
		return nil, errWant
	}
	return out, nil
}

func mainService(e home.Entity, domain string, v any) (service, error) {
	if name, ok := mains[e.Kind][v]; ok {
		return service{name, nil}, nil
	}
	switch e.Kind {
	case home.Button:
		return service{domain + ".press", nil}, nil
	case home.Number, home.Text:
		return service{domain + ".set_value", map[string]any{"value": v}}, nil
	case home.Select:
		return service{domain + ".select_option", map[string]any{"option": v}}, nil
	case home.Cover, home.Valve, home.Lock, home.Vacuum, home.LawnMower, home.Sensor, home.BinarySensor:
		return service{}, errWant
	}
	switch v {
	case "on":
		return service{domain + ".turn_on", nil}, nil
	case "off":
		return service{domain + ".turn_off", nil}, nil
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
