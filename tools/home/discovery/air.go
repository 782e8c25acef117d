package discovery

import (
	"math"

	"hearthd/tools/home"
)

// chosen has one of a list of words set and read.
func (b *builder) chosen(key home.Key, name, list, stateTmpl string) {
	if b.topic(name+"_command_topic") == "" && b.topic(name+"_state_topic") == "" {
		return
	}
	b.e.Options[key] = b.list(list)
	b.read(name+"_state_topic", key, b.tmpl(stateTmpl, "value_template"), plainText)
	b.send(name+"_command_topic", key, b.tmpl(name+"_command_template"), asIs)
}

// degrees has a temperature set and read.
func (b *builder) degrees(key home.Key, name string) {
	b.read(name+"_state_topic", key, b.tmpl(name+"_state_template", "value_template"), numeric)
	b.send(name+"_command_topic", key, b.tmpl(name+"_command_template"), b.stepped())
}

// bounds reads what a temperature may be. Where a document does not say it, Home
// Assistant's bounds count, in its unit; without one either may be meant.
func (b *builder) bounds(celsius, fahrenheit [2]float64) {
	least, most := celsius[0], celsius[1]
	b.e.Unit = "°C"
	switch b.str("temperature_unit", "") {
	case "F":
		b.e.Unit, least, most = "°F", fahrenheit[0], fahrenheit[1]
	case "":
		most = fahrenheit[1]
	}
	b.e.Min, b.e.Max, b.e.Step = b.num("min_temp", least), b.num("max_temp", most), b.num("temp_step", 0)
}

// Home Assistant's modes where a document names none.
var climateModes = []string{"auto", "off", "cool", "heat", "dry", "fan_only"}

func climate(b *builder) {
	b.bounds([2]float64{7, 35}, [2]float64{44.6, 95})
	b.chosen(home.Mode, "mode", "modes", "mode_state_template")
	if b.config["modes"] == nil {
		b.e.Options[home.Mode] = climateModes
	}
	b.chosen(home.Preset, "preset_mode", "preset_modes", "preset_mode_value_template")
	b.chosen(home.FanMode, "fan_mode", "fan_modes", "fan_mode_state_template")
	if b.config["fan_modes"] == nil {
		b.e.Options[home.FanMode] = []string{"auto", "low", "medium", "high"}
	}
	b.chosen(home.SwingMode, "swing_mode", "swing_modes", "swing_mode_state_template")
	if b.config["swing_modes"] == nil {
		b.e.Options[home.SwingMode] = []string{"on", "off"}
	}
	b.degrees(home.Target, "temperature")
	b.degrees(home.TargetLow, "temperature_low")
	b.degrees(home.TargetHigh, "temperature_high")
	b.read("current_temperature_topic", home.Current, b.tmpl("current_temperature_template", "value_template"), numeric)
	b.read("current_humidity_topic", home.CurrentHumidity, b.tmpl("current_humidity_template", "value_template"), numeric)
	b.read("action_topic", home.Action, b.tmpl("action_template", "value_template"), plainText)
	b.read("target_humidity_state_topic", home.TargetHumidity, b.tmpl("target_humidity_state_template", "value_template"), numeric)
	b.send("target_humidity_command_topic", home.TargetHumidity, b.tmpl("target_humidity_command_template"), asIs)
	b.power()
}

// power has a thermostat switched as a whole, where it can be.
func (b *builder) power() {
	states := map[string]string{"on": b.str("payload_on", "ON"), "off": b.str("payload_off", "OFF")}
	b.read("power_state_topic", home.Main, b.tmpl("power_state_template"), words(map[string]string{states["on"]: "on", states["off"]: "off"}))
	b.send("power_command_topic", home.Main, b.tmpl("power_command_template"), payloads(states))
}

func waterHeater(b *builder) {
	b.bounds([2]float64{43.3, 60}, [2]float64{110, 140})
	b.chosen(home.Mode, "mode", "modes", "mode_state_template")
	if b.config["modes"] == nil {
		b.e.Options[home.Mode] = []string{"off", "eco", "electric", "gas", "heat_pump", "high_demand", "performance"}
	}
	b.degrees(home.Target, "temperature")
	b.read("current_temperature_topic", home.Current, b.tmpl("current_temperature_template", "value_template"), numeric)
	b.power()
}

func humidifier(b *builder) {
	b.onOff(b.tmpl("state_value_template"))
	b.read("target_humidity_state_topic", home.TargetHumidity, b.tmpl("target_humidity_state_template"), numeric)
	b.send("target_humidity_command_topic", home.TargetHumidity, b.tmpl("target_humidity_command_template"), asIs)
	b.read("current_humidity_topic", home.CurrentHumidity, b.tmpl("current_humidity_template"), numeric)
	b.read("action_topic", home.Action, b.tmpl("action_template"), plainText)
	b.chosen(home.Mode, "mode", "modes", "mode_state_template")
}

func fan(b *builder) {
	b.onOff(b.tmpl("state_value_template", "value_template"))
	// The range counts the steps that are not off: 1 to 3 has three.
	least, most := b.num("speed_range_min", 1), b.num("speed_range_max", 100)
	reset := b.str("payload_reset_percentage", "None")
	b.read("percentage_state_topic", home.Speed, b.tmpl("percentage_value_template"), func(text string) (any, error) {
		if text == reset {
			return nil, nil
		}
		return scaled(least-1, most)(text)
	})
	b.send("percentage_command_topic", home.Speed, b.tmpl("percentage_command_template"), func(v any) (any, error) {
		f, ok := v.(float64)
		if !ok {
			return nil, errWant
		}
		return int(math.Ceil(f/100*(most-least+1) + least - 1 - 1e-9)), nil
	})
	b.e.Options[home.Preset] = b.list("preset_modes")
	b.read("preset_mode_state_topic", home.Preset, b.tmpl("preset_mode_value_template"), plainText)
	b.send("preset_mode_command_topic", home.Preset, b.tmpl("preset_mode_command_template"), asIs)
	swing := map[string]string{"on": b.str("payload_oscillation_on", "oscillate_on"), "off": b.str("payload_oscillation_off", "oscillate_off")}
	b.read("oscillation_state_topic", home.Oscillation, b.tmpl("oscillation_value_template"), words(map[string]string{swing["on"]: "on", swing["off"]: "off"}))
	b.send("oscillation_command_topic", home.Oscillation, b.tmpl("oscillation_command_template"), payloads(swing))
	b.read("direction_state_topic", home.Direction, b.tmpl("direction_value_template"), plainText)
	b.send("direction_command_topic", home.Direction, b.tmpl("direction_command_template"), asIs)
}
