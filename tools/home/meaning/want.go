package meaning

import (
	"maps"
	"slices"
	"strings"

	"hearthd/tools/home"
)

// turned are the opposite states of what opens and locks, for toggle.
var turned = map[string]string{
	"open": "closed", "opening": "closed", "closed": "open", "closing": "open", "unlocked": "locked", "locked": "unlocked",
}

// Wanted makes the state that the command asks for, or says why it cannot be.
func (a *Request) Wanted(e *home.Entity, loose bool) (home.State, Problem) {
	if a.Property == "position" && a.Step != nil && e.Kind.Settings(a.Property) == nil {
		level := *a // "lower the radio a bit" is worded as of a blind
		level.Action = map[bool]string{true: "lower", false: "raise"}[a.By(home.Position) < 0]
		level.Property, level.Value, level.Unit, level.Step = "", nil, "", nil
		return level.Wanted(e, loose)
	}
	want, why := home.State{}, Fine
	acts, sets := a.parts(e)
	if acts {
		why = a.act(e, want)
	}
	if why == Fine && sets {
		why = a.putSetting(e, want, loose)
	}
	if why == Fine && !takes(e, want) {
		why = cannotDo
	}
	if b, is := a.switched(e, why, loose); is {
		return b.Wanted(e, loose)
	}
	if why != Fine {
		return nil, why
	}
	return want, Fine
}

// parts says whether the verb of the command is one of the device, and whether it sets something there: "raise the
// blinds" only acts, "raise the brightness" only sets.
func (a *Request) parts(e *home.Entity) (acts, sets bool) {
	does := e.Kind.Verb(a.Action) != ""
	whole := (a.Property == "" || a.Property == "position") && a.Step == nil
	switch a.Action {
	case "set":
		return false, a.Sets()
	case "raise", "lower":
		sets = a.Sets() && !(whole && does)
		return !sets, sets
	case "open", "close":
		return !(a.Sets() && does), a.Sets()
	}
	return true, a.Sets()
}

// switched is the command to switch a device that the command to turn up or to open it comes to: a lantern that has no
// level or is dark, and the lamp of "open the lamp", which German says, and many who learned English.
func (a *Request) switched(e *home.Entity, why Problem, loose bool) (b Request, is bool) {
	b = *a
	dark := e.Kind == home.Light && e.State[home.Main] == "off"
	opened := map[string]string{"open": "on", "close": "off"}[a.Action]
	switch {
	case a.turnsUp() && (why == cannotDo || why == Fine && dark):
		b.Action = "on"
	case why == cannotDo && loose && opened != "" && !home.IsPronoun(a.Name) && switches(e):
		b.Action = opened
	default:
		return b, false
	}
	return b, true
}

// switches reports whether nothing but switching is meant where such a device is to be opened or closed.
func switches(e *home.Entity) bool { return e.Kind == home.Light || e.Kind == home.MediaPlayer }

// takes reports whether a device can be told all of want, and there is something to tell.
func takes(e *home.Entity, want home.State) bool {
	cannot := func(k home.Key) bool { return !e.Can[k] }
	return len(want) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(want)), cannot)
}

// turnsUp reports whether the command is to turn something up, and says nothing else: "turn up the lantern".
func (a *Request) turnsUp() bool { return a.Action == "raise" && a.Property == "" && a.Step == nil }

// putSetting sets what the command sets, and the brightness or the temperature that a colour or a mode has beside it.
func (a *Request) putSetting(e *home.Entity, want home.State, loose bool) Problem {
	k, v, why := a.setting(e, loose)
	if why == Fine {
		why = put(e, want, k, v)
	}
	if why == Fine && a.Percent != nil && e.Can[home.Brightness] {
		why = put(e, want, home.Brightness, *a.Percent)
	}
	if why == Fine && a.Degrees != nil && e.Can[home.Target] {
		least, most, _ := scaleOf(e, home.Target)
		degrees := a.celsius(*a.Degrees, least, most)
		if most > least && (degrees < least || degrees > most) {
			return Problem{Why: "range", Least: least, Most: most, Unit: home.Target.Unit()}
		}
		why = put(e, want, home.Target, degrees)
	}
	return why
}

// put sets a value, with what belongs to it: a light that gets a brightness is on, and what has
// none left is off or closed.
func put(e *home.Entity, want home.State, k home.Key, v any) Problem {
	f, isNumber := v.(float64)
	switch {
	case isNumber && f == 0 && (k == home.Brightness || k == home.Speed):
		want[home.Main] = "off"
		return Fine
	case k == home.Position && !e.Can[home.Position]:
		if f != 0 && f != 100 {
			return Problem{Why: "stop"}
		}
		want[home.Main] = map[bool]string{true: "open", false: "closed"}[f == 100]
		return Fine
	case k == home.Room:
		want[home.Main] = "cleaning"
	case e.Kind == home.Light && e.Can[home.Main]:
		want[home.Main] = "on"
	}
	want[k] = v
	return Fine
}

// modes are those that switch a device on; the first that it has is used.
var modes = []string{"heat", "auto", "heat_cool", "cool", "electric", "normal", "eco", "fan_only", "dry"}

// cooling are those of an air conditioner.
var cooling = []string{"cool", "heat_cool", "dry", "fan_only"}

// modeOn is the mode of a device that is switched on: the one that it is in, or the first that it has. What is called
// an air conditioner cools, and what can only heat is none, unless that is its name; the empty mode says so.
func (a *Request) modeOn(e *home.Entity) string {
	cools := home.Words("words", "cools")
	own := home.Mentions(home.Tokens(strings.Join(append([]string{e.Full()}, e.Aliases...), " ")), cools)
	asked := home.Mentions(home.Tokens(a.Name), cools)
	if has := e.Options[home.Mode]; asked && !own && len(has) > 0 && !slices.ContainsFunc(cooling, func(m string) bool {
		return slices.Contains(has, m)
	}) {
		return ""
	}
	if now, _ := e.State[home.Mode].(string); now != "" && now != "off" {
		return now
	}
	modes := modes
	if asked || own {
		modes = append([]string{"cool", "heat_cool"}, modes...)
	}
	i := slices.IndexFunc(modes, func(m string) bool { return slices.Contains(e.Options[home.Mode], m) })
	if i < 0 {
		return ""
	}
	return modes[i]
}

// act sets what the verb of the command asks.
func (a *Request) act(e *home.Entity, want home.State) Problem {
	main := e.Kind.Verb(a.Action)
	if a.Action == "toggle" {
		now, _ := e.State[home.Main].(string)
		opens := e.Kind.Verb("close") != ""
		if now == "" && e.Reports[home.Main] || opens && turned[now] == "" {
			return tooUnknown
		}
		if main = turned[now]; !opens {
			main = e.Kind.Verb(map[bool]string{true: "off", false: "on"}[now == "on"])
		}
	}
	switch {
	case main == "":
		return cannotDo
	case e.Kind.Sets(home.Mode) && !e.Can[home.Main]:
		if main == "on" {
			main = a.modeOn(e)
		}
		if main == "" {
			return cannotDo
		}
		want[home.Mode] = main
	case !e.Can[home.Main] && e.Can[home.Position] && (main == "open" || main == "closed"):
		want[home.Position] = map[string]float64{"open": 100, "closed": 0}[main]
	default:
		want[home.Main] = main
	}
	return Fine
}
