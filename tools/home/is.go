package home

import (
	"slices"
)

// condition says how a binary sensor is that is on, or not.
func condition(class string, on bool) string {
	switch {
	case on && onWords[class] != nil:
		return onWords[class][0]
	case !on && offWords[class] != nil:
		return offWords[class][0]
	case on:
		return "on"
	}
	return "off"
}

// opposites are those of what most devices are.
var opposites = map[string]string{"on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked"}

// isDenied reports whether a word asks whether something is not so: off, closed, dry.
func isDenied(is string) bool {
	if opposites[is] != "" {
		return is == "off" || is == "closed" || is == "locked"
	}
	for class := range offWords {
		if slices.Contains(offWords[class], is) {
			return true
		}
	}
	return false
}

// running is what devices do that are on; doing, what may be asked of their states.
var (
	running = []string{"cleaning", "mowing", "playing"}
	doing   = map[Kind][]string{
		Cover: {"opening", "closing"}, Valve: {"opening", "closing"}, Lock: {"locking", "unlocking", "jammed"}, Climate: {"heating", "cooling", "idle", "drying"},
		MediaPlayer: {"playing", "paused", "idle", "standby"}, Vacuum: {"cleaning", "docked", "returning", "paused", "idle"},
		LawnMower: {"mowing", "docked", "returning", "paused"},
	}
	switches = []Kind{Light, Switch, Fan, Humidifier, Siren, MediaPlayer, Vacuum, LawnMower, Climate, WaterHeater, Script}
)

// answers reports whether a device is so; ok is false where that is no question.
func answers(e *Entity, is string) (yes, ok bool) {
	now, _ := e.State[Main].(string)
	switch {
	case e.Kind == BinarySensor:
		return senses(e.Class, now, is)
	case isOpenness(is) && (e.Kind == Cover || e.Kind == Valve):
		return now != "" && (now == "closed") == (is == "closed"), true
	case e.Kind == Lock && (is == "locked" || is == "unlocked"):
		return now == is, true
	case slices.Contains(doing[e.Kind], is):
		return now == is || e.State[Action] == is, true
	case !slices.Contains(switches, e.Kind) || !isPower(is):
		return false, false
	}
	if m, has := e.State[Mode].(string); has && (e.Kind == Climate || e.Kind == WaterHeater) {
		now = map[bool]string{true: "off", false: "on"}[m == "off"]
	}
	if slices.Contains(running, now) {
		now = "on"
	}
	return now == is || is == "off" && now != "on" && now != "", true
}

func isPower(is string) bool    { return is == "on" || is == "off" }
func isOpenness(is string) bool { return is == "open" || is == "closed" }

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

// otherwise says how a device is that is not as was asked.
func (e *Entity) otherwise(asked string) string {
	now, _ := e.State[Main].(string)
	if e.Kind == BinarySensor && opposites[asked] == "" {
		return condition(e.Class, now == "on")
	}
	opposite := opposites[asked]
	if so, _ := answers(e, opposite); opposite != "" && (so || now == "" || now == "on" || now == "off") {
		return opposite
	}
	return plainWord(now)
}
