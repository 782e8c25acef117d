package home

import (
	"math"
	"slices"
	"strings"
)

// Near reports whether two values of a state are the same for a person. Devices
// round: brightness to one of 254 steps, colours to what their lamps can show.
func Near(k Key, want, have any) bool {
	switch w := want.(type) {
	case float64:
		h, ok := have.(float64)
		tolerance := measures[k].near
		if tolerance == 0 {
			tolerance = math.Abs(w) * map[Key]float64{Kelvin: 1.0 / 15, Main: 1e-6}[k]
		}
		return ok && math.Abs(w-h) <= tolerance
	case Color:
		h, ok := have.(Color)
		return ok && HueDistance(w, h) < 40
	}
	return want == have
}

// Was reports whether e is as it is wanted, to the last percent: who sets a fan from 50 to 40 percent wants
// less, and who makes a lamp purple does not call it blue.
func (e *Entity) Was(want State) bool {
	for k, w := range want {
		if c, ok := w.(Color); ok {
			if have, ok := e.State[k].(Color); !ok || HueDistance(c, have) > 5 {
				return false
			}
		}
		f, counts := w.(float64)
		have, known := e.State[k].(float64)
		if counts && known && IsPercent(k) && math.Abs(f-have) > 3 {
			return false
		}
	}
	return e.Reached(want)
}

// as are the states that a device is in when it has done what it was told in another word.
var as = map[Kind]map[any][]any{
	Vacuum: {"returning": {"docked"}}, LawnMower: {"returning": {"docked"}},
	MediaPlayer: {"on": {"idle", "playing", "paused", "buffering"}, "off": {"standby"}},
}

// Reached reports whether have is what was wanted, as far as the device reports it.
func (e *Entity) Reached(want State) bool {
	for k, w := range want {
		if e.Reports[k] && !Near(k, w, e.State[k]) && !(k == Main && slices.Contains(as[e.Kind][w], e.State[k])) {
			return false
		}
	}
	return true
}

// Tells reports whether the device will report that it reached anything of want.
func (e *Entity) Tells(want State) bool {
	for k := range want {
		if e.Reports[k] {
			return true
		}
	}
	return false
}

// Moving reports whether the device is on its way to what is wanted: covers,
// valves, locks and fans take their time.
func (e *Entity) Moving(want, before State) bool {
	switch e.Kind {
	case Cover, Valve, Lock, Vacuum, LawnMower:
	default:
		return false
	}
	switch e.State[Main] {
	case "opening", "closing", "locking", "unlocking", "returning", "cleaning", "mowing":
		return e.State[Main] != before[Main]
	}
	p, ok := e.State[Position].(float64)
	q, was := before[Position].(float64)
	w, to := want[Position].(float64)
	if want[Main] == "open" {
		w, to = 100, true
	} else if want[Main] == "closed" {
		w, to = 0, true
	}
	return ok && was && to && math.Abs(w-p) < math.Abs(w-q)
}

// Underway reports whether something moves.
func (e *Entity) Underway() bool {
	return e.State[Main] == "opening" || e.State[Main] == "closing"
}

// Told reports whether a device has said how it is.
func (e *Entity) Told() bool {
	now, mode := e.State[Main], e.State[Mode]
	return now != nil && now != "" && now != "unknown" || mode != nil && mode != ""
}

// Controllable reports whether the device takes any command.
func (e *Entity) Controllable() bool { return len(e.Can) > 0 }

// momentary are wanted states that no state of a device confirms.
var momentary = []any{"stopped", "next", "previous"}

// Momentarily reports whether no state of a device confirms what is wanted.
func Momentarily(want State) bool { return slices.Contains(momentary, want[Main]) }

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

// IsPower reports whether a state is on or off.
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
