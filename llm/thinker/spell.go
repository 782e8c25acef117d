package thinker

import "strings"

// spelled writes out the abbreviations that a model uses, which voices spell or stumble over: words
// with a dot, and units after a number.
func spelled(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		opening := w[:len(w)-len(strings.TrimLeft(w, `("'`))]
		core := w[len(opening):]
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		words[i] = opening + spelledWord(core, before, i == len(words)-1)
	}
	return strings.Join(words, " ")
}

// spelledWord is spelled for one word with the punctuation after it; before is the word before it.
func spelledWord(w, before string, last bool) string {
	core := strings.TrimRight(w, `.,;:!?)"'`)
	rest := w[len(core):]
	one := before == "1"
	if strings.HasPrefix(rest, ".") {
		if long := abbreviation(core, one); long != "" {
			if !last || rest != "." { // otherwise it also ends the sentence
				rest = rest[1:]
			}
			return long + rest
		}
	}
	if number(before) {
		if long := unit(core, one, false); long != "" {
			return long + rest
		}
	}
	if n := len(core) - len(strings.TrimLeft(core, "0123456789.,-–")); n > 0 && n < len(core) && number(core[:n]) {
		if long := unit(core[n:], core[:n] == "1", true); long != "" {
			return core[:n] + " " + long + rest
		}
	}
	return w
}

// number reports whether w is figures.
func number(w string) bool {
	w = strings.TrimLeft(w, `("'-`)
	return w != "" && w[0] >= '0' && w[0] <= '9' && strings.Trim(w, "0123456789.,-–/½¼¾") == ""
}

// abbreviations are written with a dot.
var abbreviations = map[string]string{
	"e.g": "for example", "E.g": "for example", "i.e": "that is", "I.e": "that is", "approx": "about",
	"Approx": "about", "ca": "about",
	"etc": "and so on", "vs": "versus", "incl": "including", "Dr": "Doctor", "Mr": "Mister", "Prof": "Professor",
}

// abbreviation writes out a word that had a dot after it, "" for any other.
func abbreviation(w string, one bool) string {
	switch w {
	case "tbsp", "tsp", "oz", "lb", "lbs":
		return unit(w, one, false)
	}
	return abbreviations[w]
}

// measures are units of measure by how they are written, and loose those whose letters also mean
// other things where they are attached to a number (1m, 90s, 5l).
var measures, loose = map[string]string{
	"kg": "kilogram", "g": "gram", "mg": "milligram", "km": "kilometer", "cm": "centimeter", "mm": "millimeter",
	"ml": "milliliter", "min": "minute", "kWh": "kilowatt hour", "lb": "pound", "lbs": "pound", "oz": "ounce",
	"tsp": "teaspoon", "tbsp": "tablespoon", "°C": "degree", "°": "degree",
}, map[string]string{
	"m": "meter", "l": "liter", "L": "liter", "h": "hour", "hr": "hour", "hrs": "hour", "s": "second", "sec": "second",
}

// unit writes out a unit of measure, "" for any other word.
func unit(w string, one, attached bool) string {
	switch w {
	case "km/h", "kph":
		return plural("kilometer", one) + " per hour"
	case "mph":
		return plural("mile", one) + " per hour"
	case "°F":
		return plural("degree", one) + " Fahrenheit"
	}
	long := measures[w]
	if long == "" && !attached {
		long = loose[w]
	}
	if long == "" {
		return ""
	}
	return plural(long, one)
}

func plural(unit string, one bool) string {
	if one {
		return unit
	}
	return unit + "s"
}
