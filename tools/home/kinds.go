package home

import (
	"maps"
	"slices"
)

// use is what the devices of a kind are for: the one table that commands, settings, questions,
// sentences and the model's schema share.
type use struct {
	// verbs are the verbs for the actions; nil is switched, and an action that is missing cannot be
	// done.
	verbs map[string]string
	// sets are the keys that a value may set, in the order in which they are tried.
	sets []Key
	// asks are the states that people may ask about, beside on and off where it has power.
	asks  []string
	power bool
	// opening is the verb of kinds that may let somebody in.
	opening string
	// offered is named where the requested device does not exist; anything may be what its name
	// says.
	offered, anything bool
}

// switched are the verbs for on and off, started those of kinds that only start.
var (
	switched = map[string]string{"on": "on", "start": "on", "press": "on", "off": "off", "stop": "off", "pause": "off"}
	started  = map[string]string{"on": "on", "start": "on", "press": "on"}
	none     = map[string]string{}
)

var uses = map[Kind]use{
	Light:  {sets: []Key{Brightness, Kelvin, Colour, Effect}, power: true, offered: true},
	Switch: {power: true, offered: true, anything: true},
	Cover: {verbs: map[string]string{"open": "open", "close": "closed", "stop": "stopped", "pause": "stopped",
		"raise": "open", "lower": "closed"}, sets: []Key{Position, Tilt},
		asks: []string{"open", "closed", "opening", "closing"}, opening: "open", offered: true},
	Valve: {verbs: map[string]string{"open": "open", "close": "closed", "on": "open", "off": "closed",
		"stop": "stopped", "pause": "stopped"}, sets: []Key{Position},
		asks: []string{"open", "closed", "opening", "closing"}, opening: "open", offered: true},
	Fan: {sets: []Key{Preset, Speed}, power: true, offered: true},
	Lock: {verbs: map[string]string{"open": "unlocked", "close": "locked", "lock": "locked", "unlock": "unlocked"},
		asks: []string{"locked", "unlocked", "locking", "unlocking", "jammed"}, opening: "unlock", offered: true},
	Climate: {sets: []Key{Target, Mode, Preset, FanMode, SwingMode, TargetHumidity},
		asks: []string{"heating", "cooling", "idle", "drying"}, power: true, offered: true},
	WaterHeater: {sets: []Key{Target, Mode, Preset}, power: true, offered: true},
	Humidifier:  {sets: []Key{TargetHumidity, Mode}, power: true, offered: true},
	Vacuum: {verbs: map[string]string{"on": "cleaning", "start": "cleaning", "press": "cleaning",
		"off": "returning", "dock": "returning", "stop": "stopped", "pause": "paused"}, sets: []Key{FanMode, Room},
		asks: []string{"cleaning", "docked", "returning", "paused", "idle"}, power: true, offered: true},
	LawnMower: {verbs: map[string]string{"on": "mowing", "start": "mowing", "press": "mowing", "off": "returning",
		"dock": "returning", "stop": "paused", "pause": "paused"},
		asks: []string{"mowing", "docked", "returning", "paused"}, power: true, offered: true},
	MediaPlayer: {verbs: map[string]string{"on": "on", "off": "off", "start": "playing", "press": "on",
		"stop": "paused", "pause": "paused"}, sets: []Key{Volume, Muted, Main, Source},
		asks: []string{"playing", "paused", "idle", "standby"}, power: true, offered: true, anything: true},
	Scene:  {verbs: started, opening: "activate", offered: true, anything: true},
	Script: {verbs: started, opening: "run", power: true, anything: true},
	Button: {verbs: started, opening: "press", anything: true},
	Siren:  {power: true, offered: true},
	Alarm: {verbs: none, asks: []string{"armed", "disarmed", "triggered", "arming", "pending", "armed away", "armed home",
		"armed night", "armed vacation"}, opening: "disarm"},
	Number:       {verbs: none, sets: []Key{Main}, anything: true},
	Select:       {verbs: none, sets: []Key{Main}, anything: true},
	Text:         {verbs: none, sets: []Key{Main}, anything: true},
	Sensor:       {verbs: none, anything: true},
	BinarySensor: {verbs: none, anything: true},
}

// Playback is the property of what plays.
const Playback = "playback"

// properties are the keys that a property of a call may mean; the first that a device has is used.
var properties = map[string][]Key{
	"brightness": {Brightness}, "color": {Kelvin, Colour}, "color_temperature": {Kelvin, Colour}, "effect": {Effect},
	"position": {Position}, "tilt": {Tilt}, "temperature": {Target}, "humidity": {TargetHumidity},
	"speed": {FanMode, Preset, Speed}, "mode": {Effect, Mode, Preset, FanMode, SwingMode, Main}, "volume": {Volume, Muted},
	"option": {Main, Source}, Playback: {Main},
}

// measure describes the numbers of a key.
type measure struct {
	unit string  // percent, degrees or kelvin
	step float64 // change by "more" and "less"
	near float64 // difference that a person does not notice: devices round
}

var measures = map[Key]measure{
	Brightness: {"percent", 20, 2}, Position: {"percent", 20, 2}, Tilt: {"percent", 20, 2},
	TargetHumidity: {"percent", 20, 2},
	Speed:          {"percent", 20, 17}, // a fan has as few as three steps
	Volume:         {"percent", 10, 2},
	Target:         {"degrees", 1, 0.3}, TargetLow: {"degrees", 1, 0.3}, TargetHigh: {"degrees", 1, 0.3},
	Kelvin: {"kelvin", 20, 0},
	Main:   {"", 1, 0},
}

// Unit is percent, degrees, kelvin or nothing.
func (k Key) Unit() string { return measures[k].unit }

// Step is the change by "more" and "less".
func (k Key) Step() float64 { return measures[k].step }

// Counted reports whether the values of a key are numbers.
func (k Key) Counted() bool { _, is := measures[k]; return is }

// IsPercent reports whether they are percent.
func IsPercent(k Key) bool { return k.Unit() == "percent" }

// Sets reports whether a value may set a key of devices of a kind.
func (k Kind) Sets(key Key) bool { return slices.Contains(uses[k].sets, key) }

// Opening is the verb of kinds that may let somebody in, or "".
func (k Kind) Opening() string { return uses[k].opening }

// IsAnything reports whether a device of a kind may be what its name says.
func (k Kind) IsAnything() bool { return uses[k].anything }

// Offered are the kinds that an answer may name when the house has no such device.
func Offered() (kinds []Kind) {
	for k, use := range uses {
		if use.offered {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// KeysOf are the keys that a property may mean.
func KeysOf(property string) []Key { return properties[property] }

// PropertyNames are all properties.
func PropertyNames() []string { return slices.Sorted(maps.Keys(properties)) }

// Settings are the keys that a property may set on devices of a kind, all of them without a
// property.
func (k Kind) Settings(property string) (keys []Key) {
	if property == "" {
		return uses[k].sets
	}
	unlike := k == MediaPlayer && property == "mode" || k != MediaPlayer && property == Playback
	for _, key := range properties[property] {
		if slices.Contains(uses[k].sets, key) && !unlike {
			keys = append(keys, key)
		}
	}
	return keys
}

// Words are what people call a kind. A lock is also called a door; covers are called by their
// class.
func (k Kind) Words() []string { return lexicon["kind"][string(k)] }

// Level is the key that a bare percentage sets, or "".
func (k Kind) Level() Key {
	for _, key := range uses[k].sets {
		if m, counted := measures[key]; counted {
			if m.unit == "percent" {
				return key
			}
			break
		}
	}
	return ""
}

// IsRead reports whether anybody asks about the state of a device.
func (e *Entity) IsRead() bool { return e.Kind != Scene && e.Kind != Script && e.Kind != Button }

// Verb is what an action makes of a device of a kind, or "".
func (k Kind) Verb(action string) string {
	if of := uses[k].verbs; of != nil {
		return of[action]
	}
	return switched[action]
}
