package home

import (
	"fmt"
	"math"
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

// number writes a number for speech: at most two digits behind the point.
func number(f float64) string {
	if math.Abs(f) >= 100 {
		f = math.Round(f)
	}
	return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
}

func plainWord(v string) string { return Clean(strings.ReplaceAll(v, "_", " ")) }
