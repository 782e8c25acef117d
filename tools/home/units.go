package home

import (
	"fmt"
	"strconv"
	"strings"
)

// reading says a value with its unit.
func reading(e *Entity, v any) string {
	switch v := v.(type) {
	case float64:
		return number(v) + unitWord(e.Unit)
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return number(f) + unitWord(e.Unit)
		}
		return plainWord(v)
	}
	return plainWord(fmt.Sprint(v))
}

// units are how units are spoken.
var units = map[string]string{
	"%": "percent", "°C": "degrees", "°F": "degrees Fahrenheit", "K": "kelvin", "W": "watts", "kW": "kilowatts", "Wh": "watt hours", "kWh": "kilowatt hours",
	"V": "volts", "mV": "millivolts", "A": "amperes", "mA": "milliamperes", "lx": "lux", "hPa": "hectopascals", "kPa": "kilopascals", "Pa": "pascals", "mbar": "millibars",
	"ppm": "parts per million", "ppb": "parts per billion", "dB": "decibels", "dBm": "decibel milliwatts", "s": "seconds", "min": "minutes", "h": "hours", "d": "days",
	"m": "meters", "cm": "centimeters", "mm": "millimeters", "km": "kilometers", "kg": "kilograms", "g": "grams", "L": "liters", "m³": "cubic meters",
	"km/h": "kilometers per hour", "m/s": "meters per second", "mph": "miles per hour", "µg/m³": "micrograms per cubic meter", "Hz": "hertz", "VA": "volt amperes", "lqi": "",
}

func unitWord(unit string) string {
	if unit == "" {
		return ""
	}
	if w, ok := units[unit]; ok {
		return strings.TrimRight(" "+w, " ")
	}
	return " " + Clean(unit)
}

// conditions say what on and off of a binary sensor mean, by class
// (developers.home-assistant.io, binary sensor).
var conditions = map[string][2]string{
	"battery": {"low", "fine"}, "battery_charging": {"charging", "not charging"}, "cold": {"cold", "fine"}, "connectivity": {"connected", "disconnected"},
	"door": {"open", "closed"}, "garage_door": {"open", "closed"}, "window": {"open", "closed"}, "opening": {"open", "closed"},
	"gas": {"reporting gas", "clear"}, "carbon_monoxide": {"reporting carbon monoxide", "clear"}, "smoke": {"reporting smoke", "clear"},
	"heat": {"hot", "fine"}, "light": {"reporting light", "reporting no light"}, "lock": {"unlocked", "locked"}, "moisture": {"wet", "dry"},
	"motion": {"reporting motion", "clear"}, "moving": {"moving", "still"}, "occupancy": {"reporting somebody", "clear"}, "presence": {"home", "away"},
	"plug": {"plugged in", "unplugged"}, "power": {"powered", "without power"}, "problem": {"reporting a problem", "fine"}, "running": {"running", "not running"},
	"safety": {"unsafe", "safe"}, "sound": {"reporting sound", "silent"}, "tamper": {"tampered with", "untouched"}, "update": {"out of date", "up to date"},
	"vibration": {"vibrating", "still"},
}

func condition(class string, on bool) string {
	words, ok := conditions[class]
	if !ok {
		words = [2]string{"on", "off"}
	}
	if on {
		return words[0]
	}
	return words[1]
}
