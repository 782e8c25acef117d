package discovery

import (
	"math"
	"time"

	"hearthd/tools/home"
)

// platforms make the entities of the components that a person can use. The
// defaults of payloads and states are Home Assistant's.
var platforms = map[string]func(*builder){
	"alarm_control_panel": alarm,
	"binary_sensor":       binarySensor,
	"button":              button,
	"climate":             climate,
	"cover":               cover,
	"date":                textual,
	"datetime":            textual,
	"device_tracker":      tracker,
	"event":               event,
	"fan":                 fan,
	"humidifier":          humidifier,
	"lawn_mower":          lawnMower,
	"light":               light,
	"lock":                lock,
	"notify":              textual,
	"number":              numberInput,
	"scene":               scene,
	"select":              selection,
	"sensor":              sensor,
	"siren":               siren,
	"switch":              toggle,
	"text":                textual,
	"time":                textual,
	"update":              update,
	"vacuum":              vacuum,
	"valve":               valve,
	"water_heater":        waterHeater,
}

// unspoken are components that Home Assistant knows and a person cannot use by
// voice.
var unspoken = map[string]bool{"camera": true, "device_automation": true, "image": true, "infrared": true, "tag": true}

// onOff is Main of a device that is switched by the payloads of on and off.
func (b *builder) onOff() codec {
	on, off := b.str("payload_on", "ON"), b.str("payload_off", "OFF")
	return codec{either(b.str("state_on", on), b.str("state_off", off)).take, either(on, off).encode}
}

func toggle(b *builder) { b.property(home.Main, "", b.onOff()) }

// siren sends JSON unless it has a template, and reads JSON or a word. To be
// silent it may have a template of its own.
func siren(b *builder) {
	if b.str("command_template", "") == "" {
		b.config["command_template"] = "{{ {'state': value} | to_json }}"
	}
	b.read("state_topic", home.Main, b.tmpl("state_value_template", "value_template"), field("state", b.onOff().take))
	b.jobs(home.Main, map[string]job{
		"on":  {"command_topic", b.tmpl("command_template"), b.str("payload_on", "ON")},
		"off": {"command_topic", b.tmpl("command_off_template", "command_template"), b.str("payload_off", "OFF")},
	})
}

func (b *builder) seconds(key string) time.Duration {
	return time.Duration(max(b.num(key, 0), 0)) * time.Second
}

func sensor(b *builder) {
	b.e.expires = b.seconds("expire_after")
	take := plainText
	if b.e.Unit != "" || b.config["state_class"] != nil {
		take = func(text string) (any, error) {
			if v, err := numeric(text); err == nil {
				return v, nil
			}
			return plainText(text)
		}
	}
	b.property(home.Main, "", codec{take: take})
}

func binarySensor(b *builder) {
	b.e.expires, b.e.clears = b.seconds("expire_after"), b.seconds("off_delay")
	b.property(home.Main, "", b.onOff())
}

func tracker(b *builder) {
	places := words(map[string]string{
		b.str("payload_home", "home"): "home", b.str("payload_not_home", "not_home"): "away",
	})
	b.property(home.Main, "", codec{take: func(text string) (any, error) {
		if v, err := places(text); err == nil {
			return v, nil
		}
		return plainText(text)
	}})
}

func event(b *builder) { b.property(home.Main, "", codec{take: field("event_type", plainText)}) }

func update(b *builder) {
	b.property(home.Main, "", codec{take: field("installed_version", plainText)})
}

func alarm(b *builder) { b.property(home.Main, "", codec{take: plainText}) }

func button(b *builder) {
	b.property(home.Main, "", codec{encode: payloads(map[string]string{"on": b.str("payload_press", "PRESS")})})
}

func scene(b *builder) {
	b.property(home.Main, "", codec{encode: payloads(map[string]string{"on": b.str("payload_on", "ON")})})
}

func numberInput(b *builder) {
	b.e.Min, b.e.Max, b.e.Step = b.num("min", 1), b.num("max", 100), b.num("step", 1)
	b.property(home.Main, "", codec{unless(b.str("payload_reset", "None"), numeric), b.stepped()})
}

func selection(b *builder) {
	b.e.Options[home.Main] = b.list("options")
	b.property(home.Main, "", asText)
}

func textual(b *builder) {
	b.e.Kind = home.Text
	b.property(home.Main, "", asText)
}

func lock(b *builder) {
	b.property(home.Main, "", codec{
		words(map[string]string{
			b.str("state_locked", "LOCKED"): "locked", b.str("state_locking", "LOCKING"): "locking",
			b.str("state_unlocked", "UNLOCKED"): "unlocked", b.str("state_unlocking", "UNLOCKING"): "unlocking",
			b.str("state_open", "OPEN"): "open", b.str("state_opening", "OPENING"): "opening",
			b.str("state_jammed", "JAMMED"): "jammed",
		}),
		payloads(map[string]string{
			"locked": b.str("payload_lock", "LOCK"), "unlocked": b.str("payload_unlock", "UNLOCK"),
			"open": b.str("payload_open", ""),
		}),
	})
}

// chosen makes a choice from a list of words settable and readable.
func (b *builder) chosen(key home.Key, prefix, list string, otherwise ...string) {
	if b.topic(prefix+"command_topic") == "" && b.topic(prefix+"state_topic") == "" {
		return
	}
	b.e.Options[key] = otherwise
	if b.config[list] != nil {
		b.e.Options[key] = b.list(list)
	}
	b.property(key, prefix, asText, "value_template")
}

// told makes a value readable that can only be read.
func (b *builder) told(key home.Key, name string, take func(string) (any, error)) {
	b.read(name+"_topic", key, b.tmpl(name+"_template", "value_template"), take)
}

// bounds reads the bounds of a temperature. Where a document does not give them, Home Assistant's
// bounds apply, in its unit; without a unit either may be meant.
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

// heats is what climate devices and water heaters have in common.
func (b *builder) heats() {
	degrees := codec{numeric, b.stepped()}
	b.property(home.Target, "temperature_", degrees, "value_template")
	b.property(home.TargetLow, "temperature_low_", degrees, "value_template")
	b.property(home.TargetHigh, "temperature_high_", degrees, "value_template")
	b.told(home.Current, "current_temperature", numeric)
	b.property(home.Main, "power_", either(b.str("payload_on", "ON"), b.str("payload_off", "OFF")))
}

func climate(b *builder) {
	b.bounds([2]float64{7, 35}, [2]float64{44.6, 95})
	b.chosen(home.Mode, "mode_", "modes", "auto", "off", "cool", "heat", "dry", "fan_only")
	b.chosen(home.Preset, "preset_mode_", "preset_modes")
	b.chosen(home.FanMode, "fan_mode_", "fan_modes", "auto", "low", "medium", "high")
	b.chosen(home.SwingMode, "swing_mode_", "swing_modes", "on", "off")
	b.heats()
	b.moist()
}

// moist is what devices that know the humidity of the air have in common.
func (b *builder) moist() {
	b.property(home.TargetHumidity, "target_humidity_", codec{numeric, asIs}, "value_template")
	b.told(home.CurrentHumidity, "current_humidity", numeric)
	b.told(home.Action, "action", plainText)
}

func waterHeater(b *builder) {
	b.bounds([2]float64{43.3, 60}, [2]float64{110, 140})
	b.chosen(home.Mode, "mode_", "modes", "off", "eco", "electric", "gas", "heat_pump", "high_demand", "performance")
	b.heats()
}

func humidifier(b *builder) {
	b.property(home.Main, "", b.onOff())
	b.moist()
	b.chosen(home.Mode, "mode_", "modes")
}

func fan(b *builder) {
	b.property(home.Main, "", b.onOff())
	// The range counts the steps that are not off: 1 to 3 has three.
	least, most := b.num("speed_range_min", 1), b.num("speed_range_max", 100)
	b.property(home.Speed, "percentage_", codec{
		unless(b.str("payload_reset_percentage", "None"), scaled(least-1, most)),
		number(func(f float64) int { return int(math.Ceil(f/100*(most-least+1) + least - 1 - 1e-9)) }),
	})
	b.e.Options[home.Preset] = b.list("preset_modes")
	b.property(home.Preset, "preset_mode_", asText)
	b.property(home.Oscillation, "oscillation_",
		either(b.str("payload_oscillation_on", "oscillate_on"), b.str("payload_oscillation_off", "oscillate_off")))
	b.property(home.Direction, "direction_", asText)
}

// vacuum reads the JSON of its state.
func vacuum(b *builder) {
	t := b.tmpl("value_template")
	b.read("state_topic", home.Main, t, field("state", plainText))
	b.read("state_topic", home.Battery, t, within("battery_level", numeric))
	b.read("state_topic", home.FanMode, t, within("fan_speed", plainText))
	b.send("command_topic", home.Main, nil, payloads(map[string]string{
		"cleaning": b.str("payload_start", "start"), "paused": b.str("payload_pause", "pause"),
		"stopped": b.str("payload_stop", "stop"), "returning": b.str("payload_return_to_base", "return_to_base"),
	}))
	if b.topic("set_fan_speed_topic") != "" {
		b.e.Options[home.FanMode] = b.list("fan_speed_list")
		b.send("set_fan_speed_topic", home.FanMode, nil, asIs)
	}
}

// lawnMower has a topic of its own for each of its commands.
func lawnMower(b *builder) {
	b.read("activity_state_topic", home.Main, b.tmpl("activity_value_template"), plainText)
	b.jobs(home.Main, map[string]job{
		"mowing":    {"start_mowing_command_topic", b.tmpl("start_mowing_command_template"), "start_mowing"},
		"paused":    {"pause_command_topic", b.tmpl("pause_command_template"), "pause"},
		"returning": {"dock_command_topic", b.tmpl("dock_command_template"), "dock"},
	})
}
