package home

import (
	"math"
	"slices"
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

func Momentarily(want State) bool { return slices.Contains(momentary, want[Main]) }
