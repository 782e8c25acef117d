package home

import (
	"slices"
	"strings"
)

// opposites are the opposite states of most devices.
var opposites = map[string]string{
	"on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked",
}

// IsDenied reports whether a word asks for the opposite: off, closed, dry.
func IsDenied(is string) bool {
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

func IsPower(is string) bool { return is == "on" || is == "off" }

// Answers reports whether a device is in a state; ok is false where it has no such state.
func Answers(e *Entity, is string) (yes, ok bool) {
	now, _ := e.State[Main].(string)
	if e.Kind == BinarySensor {
		return senses(e.Class, now, is)
	}
	use := uses[e.Kind]
	left, charge := e.State[Main].(float64)
	switch {
	case e.Kind == Sensor && e.Class == "battery" && slices.Contains(onWords["battery"], is):
		return left <= lowBattery, charge
	case !slices.Contains(use.asks, is) && !(use.power && IsPower(is)):
		return false, false
	case (is == "open" || is == "closed") && now != "":
		return (now == "closed") == (is == "closed"), true
	case is == "armed":
		return strings.HasPrefix(now, is), true
	case is == "unlocked":
		return now == is || now == "open", true
	case !IsPower(is):
		return now == is || e.State[Action] == is, true
	}
	if m, has := e.State[Mode].(string); has && e.Kind.Sets(Target) {
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
	return now == is, IsPower(is) && !opens
}

// Condition is the state of a binary sensor that is on, or not.
func Condition(class string, on bool) string {
	words, plain := offWords, "off"
	if on {
		words, plain = onWords, "on"
	}
	if said := words[class]; said != nil {
		return said[0]
	}
	return plain
}

// Otherwise is the state of a device that is not in the state that was asked about.
func (e *Entity) Otherwise(asked string) string {
	now, _ := e.State[Main].(string)
	if e.Kind == BinarySensor && opposites[asked] == "" {
		return Condition(e.Class, now == "on")
	}
	opposite := opposites[asked]
	if so, _ := Answers(e, opposite); opposite != "" && (so || now == "" || IsPower(now)) {
		return opposite
	}
	return strings.ReplaceAll(now, "_", " ")
}

// TellsOf reports whether a device reports what is asked for.
func (e *Entity) TellsOf(what []string) bool {
	fits := func(words ...string) bool {
		return !slices.ContainsFunc(what, func(w string) bool { return Covered([]string{w}, words) == 0 })
	}
	switch uses := uses[e.Kind]; {
	case slices.Contains(uses.sets, Target):
		return e.Reports[Current] && fits(classWords["temperature"]...) || fits("mode") ||
			e.Reports[CurrentHumidity] && fits(classWords["humidity"]...)
	case uses.verbs != nil && len(uses.verbs) == 0 && e.Kind != Text && e.Kind != Alarm:
		return fits(append(Tokens(e.Name), classWords[e.Class]...)...)
	case e.Kind == Light:
		return fits("brightness", "color", "colour")
	case e.Kind == MediaPlayer && slices.Equal(what, []string{Playback}):
		return true
	case e.Kind.Level() != "":
		return fits(string(e.Kind.Level()))
	}
	return e.State[Battery] != nil && fits(classWords["battery"]...)
}

// known are the states whose words are not the device's own.
var known = func() map[string]bool {
	all := map[string]bool{"on": true, "off": true}
	for _, use := range uses {
		for _, w := range use.asks {
			all[w] = true
		}
	}
	for _, words := range []map[string][]string{onWords, offWords} {
		for class := range words {
			for _, w := range words[class] {
				all[w] = true
			}
		}
	}
	return all
}()

// IsKnown reports whether a word for a state is not the device's own.
func IsKnown(state string) bool { return known[state] }
