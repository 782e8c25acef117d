package home

import (
	"maps"
	"slices"
	"strings"

	"hearthd/tools/home/entrance"
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

// playback is the property of what plays.
const playback = "playback"

// properties are the keys that a property of a call may mean; the first that a device has is used.
var properties = map[string][]Key{
	"brightness": {Brightness}, "color": {Kelvin, Colour}, "color_temperature": {Kelvin, Colour}, "effect": {Effect},
	"position": {Position}, "tilt": {Tilt}, "temperature": {Target}, "humidity": {TargetHumidity},
	"speed": {FanMode, Preset, Speed}, "mode": {Effect, Mode, Preset, FanMode, SwingMode, Main}, "volume": {Volume, Muted},
	"option": {Main, Source}, playback: {Main},
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

func isPercent(k Key) bool { return measures[k].unit == "percent" }

// settings are the keys that a property may set on devices of a kind, all of them without a
// property.
func (k Kind) settings(property string) (keys []Key) {
	if property == "" {
		return uses[k].sets
	}
	unlike := k == MediaPlayer && property == "mode" || k != MediaPlayer && property == playback
	for _, key := range properties[property] {
		if slices.Contains(uses[k].sets, key) && !unlike {
			keys = append(keys, key)
		}
	}
	return keys
}

// words are what people call a kind. A lock is also called a door; covers are called by their
// class.
func (k Kind) words() []string { return lexicon["kind"][string(k)] }

// level is the key that a bare percentage sets, or "".
func (k Kind) level() Key {
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

var (
	// hangs are the classes of what hangs at a window: what people call blinds, where no device has
	// the class that they named.
	hangs = []string{"blind", "shade", "shutter"}
	// soft are the classes that "the covers" means. The others let in people, or rain.
	soft = append([]string{"curtain", "awning"}, hangs...)
	// classOrder is the order in which the name of a cover without a class is searched:
	// a garage blind may be the garage's door, and a window blind is a blind.
	classOrder = []string{"garage", "gate", "curtain", "blind", "shade", "shutter", "awning", "damper", "door", "window"}
	// doors are the classes of what closes the house: a person who asks for them means all of it.
	doors = []string{"door", "garage", "garage_door", "gate", "lock"}
)

// classes is the section of the words for the classes of a kind by which its devices are called, and the order in
// which the name of one without a class is searched.
func (k Kind) classes() (section string, order []string) {
	switch k {
	case Cover:
		return "cover", classOrder
	case MediaPlayer:
		return "player", []string{"tv", "speaker", "receiver"}
	}
	return "", nil
}

// class is the class of a device. A cover or a player without one is what its name says, a cover otherwise a blind,
// unless it opens a way into the house.
func (e *Entity) class() string {
	section, order := e.Kind.classes()
	if _, known := lexicon[section][e.Class]; section == "" || known {
		return e.Class
	}
	name := tokens(e.full())
	for _, class := range order {
		words := lexicon["called"][class]
		if words == nil {
			words = lexicon[section][class]
		}
		if mentions(name, words) {
			return class
		}
	}
	if e.Kind != Cover {
		return ""
	}
	if mentions(name, lexicon["words"]["notblind"]) {
		return ""
	}
	if _, way := entrance.In(e.full()); way { // in whatever language
		return "door"
	}
	return "blind"
}

// calledBy are the words for the kind and the class of a device; like are further words, which
// count where no other device has them.
func (e *Entity) calledBy() (words, like []string) {
	name := tokens(e.full() + " " + strings.Join(e.Aliases, " "))
	switch class := e.class(); {
	case e.Kind == Cover:
		words = lexicon["cover"][class]
		if slices.Contains(soft, class) {
			words = slices.Concat(words, Cover.words())
		}
		if slices.Contains(hangs, class) {
			for _, other := range hangs {
				like = append(like, lexicon["cover"][other]...)
			}
		}
	case e.Kind == MediaPlayer:
		words = slices.Concat(e.Kind.words(), lexicon["player"][class])
		if class == "" {
			like = slices.Concat(slices.Collect(maps.Values(lexicon["player"]))...)
		}
	case e.Kind == Switch: // it is what it switches
		words = slices.Concat(Switch.words(), classWords[class])
		for _, kind := range []Kind{Light, Fan} {
			if mentions(name, kind.words()) {
				words = append(words, kind.words()...)
			}
		}
	case class == "opening" && mentions(name, lexicon["cover"]["window"]) != mentions(name, lexicon["cover"]["door"]):
		words = slices.Clone(e.Kind.words()) // its name says which of both it is
		for _, w := range classWords[class] {
			if mentions(name, []string{w}) {
				words = append(words, w)
			}
		}
	default:
		words = slices.Concat(e.Kind.words(), classWords[class])
	}
	return words, like
}

// isDoor reports whether a device closes the house.
func (e *Entity) isDoor() bool { return e.Kind == Lock || slices.Contains(doors, e.class()) }

// full is what the device is called, with the device that it is part of.
func (e *Entity) full() string { return strings.TrimSpace(e.Device + " " + e.Name) }
