package home

import "slices"

// act sets what the verb of the command asks.
func (a *arguments) act(e *Entity, want State) string {
	switch a.Action {
	case "on", "off":
		return turn(e, want, a.Action == "on")
	case "toggle":
		now, _ := e.State[Main].(string)
		switch e.Kind {
		case Cover, Valve, Lock:
			switch now {
			case "open", "opening", "unlocked":
				want[Main] = map[bool]string{true: "locked", false: "closed"}[e.Kind == Lock]
			case "closed", "closing", "locked":
				want[Main] = map[bool]string{true: "unlocked", false: "open"}[e.Kind == Lock]
			default:
				return tooUnknown
			}
			return ""
		}
		if now == "" && e.Reports[Main] {
			return tooUnknown
		}
		return turn(e, want, now != "on")
	case "open", "close":
		to := map[string]string{"open": "open", "close": "closed"}[a.Action]
		switch e.Kind {
		case Cover, Valve:
		case Lock:
			to = map[string]string{"open": "unlocked", "closed": "locked"}[to]
		default:
			return cannotDo
		}
		if a.Position != nil || a.Tilt != nil {
			return ""
		}
		if !e.Can[Main] && e.Can[Position] {
			want[Position] = map[string]float64{"open": 100, "closed": 0}[to]
			return ""
		}
		want[Main] = to
	case "lock", "unlock":
		if e.Kind != Lock {
			return cannotDo
		}
		want[Main] = a.Action + "ed"
	case "stop", "pause":
		switch e.Kind {
		case Cover, Valve:
			want[Main] = "stopped"
		case Vacuum, LawnMower:
			want[Main] = map[string]string{"stop": "stopped", "pause": "paused"}[a.Action]
		case MediaPlayer:
			want[Main] = "paused"
		default:
			return turn(e, want, false)
		}
	case "start", "press":
		return turn(e, want, true)
	case "dock":
		if e.Kind != Vacuum && e.Kind != LawnMower {
			return cannotDo
		}
		want[Main] = "returning"
	}
	return ""
}

// turn switches a device on or off, whatever that is for its kind.
func turn(e *Entity, want State, on bool) string {
	main := map[bool]string{true: "on", false: "off"}[on]
	switch e.Kind {
	case Climate, WaterHeater, Humidifier:
		if e.Can[Main] {
			break
		}
		modes := e.Options[Mode]
		if !on {
			want[Mode] = "off"
			return ""
		}
		for _, m := range []string{"heat", "auto", "heat_cool", "cool", "electric", "normal", "eco", "fan_only", "dry"} {
			if slices.Contains(modes, m) {
				want[Mode] = m
				return ""
			}
		}
		return cannotDo
	case Valve:
		main = map[bool]string{true: "open", false: "closed"}[on]
	case Vacuum:
		main = map[bool]string{true: "cleaning", false: "returning"}[on]
	case LawnMower:
		main = map[bool]string{true: "mowing", false: "returning"}[on]
	case Scene, Script, Button:
		if !on {
			return cannotDo
		}
	case Cover, Lock, Sensor, BinarySensor, Number, Select, Text, Alarm:
		return cannotDo
	}
	want[Main] = main
	return ""
}
