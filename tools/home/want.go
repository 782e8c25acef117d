package home

import "slices"

// verbs are what the actions make of a device, by kind. What is missing cannot be done, and
// what is empty switches the device on or off.
var verbs = map[Kind]map[string]string{
	Cover:       {"open": "open", "close": "closed", "stop": "stopped", "pause": "stopped", "raise": "open", "lower": "closed"},
	Valve:       {"open": "open", "close": "closed", "on": "open", "off": "closed", "stop": "stopped", "pause": "stopped"},
	Lock:        {"open": "unlocked", "close": "locked", "lock": "locked", "unlock": "unlocked"},
	Vacuum:      {"on": "cleaning", "start": "cleaning", "press": "cleaning", "off": "returning", "dock": "returning", "stop": "stopped", "pause": "paused"},
	LawnMower:   {"on": "mowing", "start": "mowing", "press": "mowing", "off": "returning", "dock": "returning", "stop": "paused", "pause": "paused"},
	Scene:       {"on": "on", "start": "on", "press": "on"},
	Script:      {"on": "on", "start": "on", "press": "on"},
	Button:      {"on": "on", "start": "on", "press": "on"},
	MediaPlayer: {"on": "on", "off": "off", "start": "playing", "press": "on", "stop": "paused", "pause": "paused"},
	Sensor:      {}, BinarySensor: {}, Number: {}, Select: {}, Text: {}, Alarm: {},
}

// switched are those of everything else.
var switched = map[string]string{"on": "on", "start": "on", "press": "on", "off": "off", "stop": "off", "pause": "off"}

// turned are the other state of what opens and locks, for toggle.
var turned = map[string]string{
	"open": "closed", "opening": "closed", "closed": "open", "closing": "open", "unlocked": "locked", "locked": "unlocked",
}

// controllable reports whether the device takes any command.
func (e *Entity) controllable() bool { return len(e.Can) > 0 }

// wanted makes the state that the command asks of a device, or says why it cannot be.
func (a *arguments) wanted(e *Entity, loose bool) (State, string) {
	want := State{}
	opens := a.Action == "open" || a.Action == "close"
	sets := a.sets() && !(a.Step == nil && a.steps() && (e.Kind == Cover || e.Kind == Valve)) // raise the blinds
	if a.Action != "set" && !(opens && sets && verbs[e.Kind][a.Action] != "") && !(sets && (a.Action == "raise" || a.Action == "lower")) {
		if problem := a.act(e, want); problem != "" {
			return nil, problem
		}
	}
	if sets {
		k, v, problem := a.setting(e, loose)
		if problem != "" {
			return nil, problem
		}
		if problem := put(e, want, k, v); problem != "" {
			return nil, problem
		}
	}
	if len(want) == 0 {
		return nil, cannotDo
	}
	for k := range want {
		if !e.Can[k] {
			return nil, cannotDo
		}
	}
	return want, ""
}

// put sets a value, with what belongs to it: a light that gets one is on, and what has none
// left is off or closed.
func put(e *Entity, want State, k Key, v any) string {
	f, isNumber := v.(float64)
	switch {
	case isNumber && f == 0 && (k == Brightness || k == Speed):
		want[Main] = "off"
		return ""
	case k == Position && !e.Can[Position]:
		if f != 0 && f != 100 {
			return "only opens and closes"
		}
		want[Main] = map[bool]string{true: "open", false: "closed"}[f == 100]
		return ""
	case k == Room:
		want[Main] = "cleaning"
	case e.Kind == Light && e.Can[Main]:
		want[Main] = "on"
	}
	want[k] = v
	return ""
}

// act sets what the verb of the command asks.
func (a *arguments) act(e *Entity, want State) string {
	verb, of := a.Action, verbs[e.Kind]
	if of == nil {
		of = switched
	}
	now, _ := e.State[Main].(string)
	switch {
	case verb == "toggle" && (e.Kind == Cover || e.Kind == Valve || e.Kind == Lock):
		if turned[now] == "" {
			return tooUnknown
		}
		want[Main] = turned[now]
		return ""
	case verb == "toggle" && now == "" && e.Reports[Main]:
		return tooUnknown
	case verb == "toggle":
		verb = map[bool]string{true: "off", false: "on"}[now == "on"]
	}
	main := of[verb]
	switch {
	case main == "":
		return cannotDo
	case (e.Kind == Climate || e.Kind == WaterHeater || e.Kind == Humidifier) && !e.Can[Main]:
		return e.mode(main == "on", want)
	case !e.Can[Main] && e.Can[Position] && (main == "open" || main == "closed"):
		want[Position] = map[string]float64{"open": 100, "closed": 0}[main]
	default:
		want[Main] = main
	}
	return ""
}

// mode switches a device by its mode.
func (e *Entity) mode(on bool, want State) string {
	if !on {
		want[Mode] = "off"
		return ""
	}
	modes := []string{"heat", "auto", "heat_cool", "cool", "electric", "normal", "eco", "fan_only", "dry"}
	i := slices.IndexFunc(modes, func(m string) bool { return slices.Contains(e.Options[Mode], m) })
	if i < 0 {
		return cannotDo
	}
	want[Mode] = modes[i]
	return ""
}
