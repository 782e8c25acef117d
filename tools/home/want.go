package home

import (
	"maps"
	"slices"
	"strings"
)

// turned are the opposite states of what opens and locks, for toggle.
var turned = map[string]string{
	"open": "closed", "opening": "closed", "closed": "open", "closing": "open", "unlocked": "locked", "locked": "unlocked",
}

// controllable reports whether the device takes any command.
func (e *Entity) controllable() bool { return len(e.Can) > 0 }

// verb is what an action makes of a device of a kind, or "".
func (k Kind) verb(action string) string {
	if of := uses[k].verbs; of != nil {
		return of[action]
	}
	return switched[action]
}

// wanted makes the state that the command asks for, or says why it cannot be.
func (a *arguments) wanted(e *Entity, loose bool) (State, problem) {
	want, why := State{}, fine
	moves := a.Action == "raise" || a.Action == "lower"
	whole := a.Property == "" || a.Property == "position"
	sets := a.sets() && !(moves && whole && a.Step == nil && e.Kind.verb(a.Action) != "") // raise the blinds
	opens := a.Action == "open" || a.Action == "close"
	if acts := a.Action != "set" && !(sets && (moves || opens && e.Kind.verb(a.Action) != "")); acts {
		why = a.act(e, want)
	}
	if why == fine && sets {
		why = a.putSetting(e, want, loose)
	}
	cannot := func(k Key) bool { return !e.Can[k] }
	if why == fine && (len(want) == 0 || slices.ContainsFunc(slices.Collect(maps.Keys(want)), cannot)) {
		why = cannotDo
	}
	if why != fine {
		return nil, why
	}
	return want, fine
}

// putSetting sets what the command sets, and the brightness that a colour has beside it.
func (a *arguments) putSetting(e *Entity, want State, loose bool) problem {
	k, v, why := a.setting(e, loose)
	if why == fine {
		why = put(e, want, k, v)
	}
	if why == fine && a.Percent != nil && e.Can[Brightness] {
		why = put(e, want, Brightness, *a.Percent)
	}
	return why
}

// put sets a value, with what belongs to it: a light that gets a brightness is on, and what has
// none left is off or closed.
func put(e *Entity, want State, k Key, v any) problem {
	f, isNumber := v.(float64)
	switch {
	case isNumber && f == 0 && (k == Brightness || k == Speed):
		want[Main] = "off"
		return fine
	case k == Position && !e.Can[Position]:
		if f != 0 && f != 100 {
			return problem{why: "stop"}
		}
		want[Main] = map[bool]string{true: "open", false: "closed"}[f == 100]
		return fine
	case k == Room:
		want[Main] = "cleaning"
	case e.Kind == Light && e.Can[Main]:
		want[Main] = "on"
	}
	want[k] = v
	return fine
}

// modes are those that switch a device on; the first that it has is used.
var modes = []string{"heat", "auto", "heat_cool", "cool", "electric", "normal", "eco", "fan_only", "dry"}

// modeOn is the mode of a device that is switched on: the one that it is in, or the first that it has. What is called an
// air conditioner cools.
func (a *arguments) modeOn(e *Entity) string {
	if now, _ := e.State[Mode].(string); now != "" && now != "off" {
		return now
	}
	modes := modes
	called := tokens(strings.Join(append([]string{a.Name, e.full()}, e.Aliases...), " "))
	if mentions(called, lexicon["words"]["cools"]) {
		modes = append([]string{"cool", "heat_cool"}, modes...)
	}
	i := slices.IndexFunc(modes, func(m string) bool { return slices.Contains(e.Options[Mode], m) })
	if i < 0 {
		return ""
	}
	return modes[i]
}

// act sets what the verb of the command asks.
func (a *arguments) act(e *Entity, want State) problem {
	main := e.Kind.verb(a.Action)
	if a.Action == "toggle" {
		now, _ := e.State[Main].(string)
		opens := e.Kind.verb("close") != ""
		if now == "" && e.Reports[Main] || opens && turned[now] == "" {
			return tooUnknown
		}
		if main = turned[now]; !opens {
			main = e.Kind.verb(map[bool]string{true: "off", false: "on"}[now == "on"])
		}
	}
	switch {
	case main == "":
		return cannotDo
	case slices.Contains(uses[e.Kind].sets, Mode) && !e.Can[Main]:
		if main == "on" {
			main = a.modeOn(e)
		}
		if main == "" {
			return cannotDo
		}
		want[Mode] = main
	case !e.Can[Main] && e.Can[Position] && (main == "open" || main == "closed"):
		want[Position] = map[string]float64{"open": 100, "closed": 0}[main]
	default:
		want[Main] = main
	}
	return fine
}
