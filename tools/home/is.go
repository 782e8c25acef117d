package home

import (
	"slices"
	"strings"
)

// conditions say what on and off of a binary sensor mean, by class
// (developers.home-assistant.io, binary sensor): first as it is said, then as it may be asked.
var conditions = map[string][2]string{
	"battery": {"low|empty", "fine|normal|full|charged"}, "battery_charging": {"charging", "not charging"}, "cold": {"cold|freezing", "fine|normal"},
	"connectivity": {"connected|online", "disconnected|offline"}, "door": {"open", "closed"}, "garage_door": {"open", "closed"},
	"window": {"open", "closed"}, "opening": {"open", "closed"}, "gas": {"reporting gas|detected|on", "clear"},
	"carbon_monoxide": {"reporting carbon monoxide|detected|on", "clear"}, "smoke": {"reporting smoke|detected|on|triggered", "clear"},
	"heat": {"hot", "fine|normal"}, "light": {"reporting light|detected|light|bright", "reporting no light|dark|clear"},
	"lock": {"unlocked", "locked"}, "moisture": {"wet|leaking|damp|detected", "dry|clear"}, "motion": {"reporting motion|detected|moving|triggered", "clear"},
	"moving": {"moving", "still|stopped"}, "occupancy": {"reporting somebody|occupied|detected", "clear|not occupied|empty|unoccupied|vacant"},
	"presence": {"home|at home|present", "away|not home|out|gone"}, "plug": {"plugged in|plugged", "unplugged|not plugged in"},
	"power": {"powered|on", "without power|off|not powered"}, "problem": {"reporting a problem|detected|broken", "fine|ok|okay|normal"},
	"running": {"running", "not running|stopped|idle"}, "safety": {"unsafe", "safe"}, "sound": {"reporting sound|detected|noisy", "silent|clear|quiet"},
	"tamper": {"tampered with|tampered|detected", "untouched|clear"}, "update": {"out of date|available|outdated", "up to date|updated"},
	"vibration": {"vibrating|detected", "still|not vibrating|clear"},
}

// condition says how a binary sensor is that is on, or not.
func condition(class string, on bool) string {
	words, known := conditions[class]
	switch {
	case known && on:
		return strings.Split(words[0], "|")[0]
	case known:
		return strings.Split(words[1], "|")[0]
	case on:
		return "on"
	}
	return "off"
}

// conditionIs reports whether a word asks for one side of a class, 0 for on; -1: for none.
func conditionIs(class, is string) int {
	words := conditions[class]
	return slices.IndexFunc(words[:], func(words string) bool { return slices.Contains(strings.Split(words, "|"), is) })
}

// opposites are those of what most devices are.
var opposites = map[string]string{"on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked"}

// isDenied reports whether a word asks whether something is not so: off, closed, dry.
func isDenied(is string) bool {
	if opposites[is] != "" {
		return is == "off" || is == "closed" || is == "locked"
	}
	for class := range conditions {
		if conditionIs(class, is) == 1 {
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
	openable := e.Kind == Cover || e.Kind == Valve
	switch {
	case e.Kind == BinarySensor:
		if side := conditionIs(e.Class, is); side >= 0 {
			return now == []string{"on", "off"}[side], true
		}
		opens := e.Class == "lock" || conditionIs(e.Class, "open") == 0
		return now == is, (is == "on" || is == "off") && !opens
	case openable && (is == "open" || is == "closed"):
		return now != "" && (now == "closed") == (is == "closed"), true
	case e.Kind == Lock && (is == "locked" || is == "unlocked"):
		return now == is, true
	case slices.Contains(doing[e.Kind], is):
		return now == is || e.State[Action] == is, true
	case !slices.Contains(switches, e.Kind) || is != "on" && is != "off":
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
