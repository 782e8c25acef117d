package home

import (
	"slices"
	"strings"
)

// opposites are the opposite states of most devices.
var opposites = map[string]string{
	"on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked",
}

// isDenied reports whether a word asks for the opposite: off, closed, dry.
func isDenied(is string) bool {
	if opposites[is] != "" {
		return is == "off" || is == "closed" || is == "locked"
	}
	for _, words := range offWords {
		if slices.Contains(words, is) {
			return true
		}
	}
	return false
}

// lowBattery is the charge, in percent, at which people call a battery low: Home Assistant's default.
const lowBattery = 20

func isPower(is string) bool { return is == "on" || is == "off" }

// answers reports whether a device is in a state; ok is false where it has no such state.
func answers(e *Entity, is string) (yes, ok bool) {
	now, _ := e.State[Main].(string)
	if e.Kind == BinarySensor {
		return senses(e.Class, now, is)
	}
	use := uses[e.Kind]
	left, charge := e.State[Main].(float64)
	switch {
	case e.Kind == Sensor && e.Class == "battery" && slices.Contains(onWords["battery"], is):
		return left <= lowBattery, charge
	case !slices.Contains(use.asks, is) && !(use.power && isPower(is)):
		return false, false
	case (is == "open" || is == "closed") && now != "":
		return (now == "closed") == (is == "closed"), true
	case is == "armed":
		return strings.HasPrefix(now, is), true
	case is == "unlocked":
		return now == is || now == "open", true
	case !isPower(is):
		return now == is || e.State[Action] == is, true
	}
	if m, has := e.State[Mode].(string); has && slices.Contains(use.sets, Target) {
		return (m == "off") == (is == "off"), true
	}
	on := slices.Contains([]string{"on", "cleaning", "mowing", "playing"}, now)
	return now != "" && on == (is == "on"), true
}

// senses is answers for a binary sensor.
func senses(class, now, is string) (yes, ok bool) {
	switch {
	case slices.Contains(onWords[class], is):
		return now == "on", true
	case slices.Contains(offWords[class], is):
		return now == "off", true
	}
	opens := class == "lock" || slices.Contains(onWords[class], "open")
	return now == is, isPower(is) && !opens
}

// condition is the state of a binary sensor that is on, or not.
func condition(class string, on bool) string {
	words, plain := offWords, "off"
	if on {
		words, plain = onWords, "on"
	}
	if said := words[class]; said != nil {
		return said[0]
	}
	return plain
}

// otherwise is the state of a device that is not in the state that was asked about.
func (e *Entity) otherwise(asked string) string {
	now, _ := e.State[Main].(string)
	if e.Kind == BinarySensor && opposites[asked] == "" {
		return condition(e.Class, now == "on")
	}
	opposite := opposites[asked]
	if so, _ := answers(e, opposite); opposite != "" && (so || now == "" || isPower(now)) {
		return opposite
	}
	return strings.ReplaceAll(now, "_", " ")
}
