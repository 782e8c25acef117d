package home

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// controllable reports whether the device takes any command.
func (e *Entity) controllable() bool { return len(e.Can) > 0 }

// suits reports whether a device is of a kind that the command may mean.
func (a *arguments) suits(e *Entity) bool {
	if !e.controllable() {
		return false
	}
	_, problem := a.wanted(e)
	return problem == "" || problem == tooUnknown
}

// Why something cannot be wanted of a device, to be said behind its name.
const (
	tooUnknown = "does not say how it is now"
	cannotDo   = "cannot do that"
)

// wanted makes the state that the command asks of a device.
func (a *arguments) wanted(e *Entity) (State, string) {
	want := State{}
	if problem := a.act(e, want); problem != "" {
		return nil, problem
	}
	if problem := a.adjust(e, want); problem != "" {
		return nil, problem
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

// adjust sets what the values of the command ask.
func (a *arguments) adjust(e *Entity, want State) string {
	lit := func() {
		if e.Can[Main] && e.Kind == Light {
			want[Main] = "on"
		}
	}
	percent, level := a.Brightness, Brightness
	if e.Kind == Light && a.Speed != nil && !e.Can[Speed] { // "set the light to half"
		percent = a.Speed
	}
	if e.Kind != Light { // "set the blinds to 30 percent" was taken for a light's
		for _, k := range []Key{Position, Speed, TargetHumidity} {
			if e.Can[k] && level == Brightness {
				level = k
			}
		}
	}
	if v, problem := stepped(percent, a.BrightnessStep, e.State[level], 50, 1, 100); problem != "" {
		return problem
	} else if v != nil {
		switch {
		case level != Brightness:
			want[level] = *v
			return ""
		case *v <= 0:
			want[Main] = "off"
		default:
			want[Brightness] = *v
			lit()
		}
	}
	if a.Color != "" || a.Kelvin != nil {
		if problem := a.colored(e, want); problem != "" {
			return problem
		}
		lit()
	}
	if a.Effect != "" {
		want[Effect] = option(e.Options[Effect], a.Effect)
		lit()
	}
	for _, n := range []struct {
		v *float64
		k Key
	}{{a.Position, Position}, {a.Tilt, Tilt}, {a.Speed, Speed}, {a.Humidity, TargetHumidity}} {
		if n.v != nil && n.v != percent {
			want[n.k] = *n.v
		}
	}
	if a.Speed != nil && *a.Speed == 0 && e.Kind == Fan {
		delete(want, Speed)
		want[Main] = "off"
	}
	if a.Position != nil && !e.Can[Position] && (*a.Position == 0 || *a.Position == 100) {
		delete(want, Position)
		want[Main] = map[bool]string{true: "open", false: "closed"}[*a.Position == 100]
	}
	if (a.Temperature != nil || a.TempStep != nil) && !e.Can[Target] {
		return cannotDo
	}
	v, problem := stepped(a.Temperature, a.TempStep, e.State[Target], math.NaN(), e.Min, e.Max)
	if problem != "" {
		return problem
	}
	if v != nil {
		if e.Max > e.Min && (*v < e.Min || *v > e.Max) {
			return "only goes from " + number(e.Min) + " to " + number(e.Max) + " degrees"
		}
		want[Target] = *v
	}
	return a.named(e, want)
}

// stepped is a value that was given, or a step from the one that is.
func stepped(v, step *float64, now any, otherwise, least, most float64) (*float64, string) {
	if v != nil || step == nil {
		return v, ""
	}
	have, ok := now.(float64)
	if !ok {
		have = otherwise
	}
	if math.IsNaN(have) {
		return nil, tooUnknown
	}
	have += *step
	if most > least {
		have = min(max(have, least), most)
	}
	return &have, ""
}

// colored sets colour or the tone of white, whichever the light can.
func (a *arguments) colored(e *Entity, want State) string {
	var c Color
	var kelvin float64
	if a.Kelvin != nil {
		kelvin, c = *a.Kelvin, Color{255, 255, 255}
	} else {
		var ok bool
		if c, kelvin, ok = readColor(a.Color); !ok {
			return "does not know that colour"
		}
	}
	switch {
	case kelvin > 0 && e.Can[Kelvin]:
		want[Kelvin] = kelvin
	case e.Can[Colour] && kelvin > 0:
		want[Colour] = fromKelvin(kelvin)
	case e.Can[Colour]:
		want[Colour] = c
	default:
		return cannotDo
	}
	return ""
}

// named sets what is said by a word: modes, presets, options, texts.
func (a *arguments) named(e *Entity, want State) string {
	if a.Mode != "" {
		for _, k := range []Key{Mode, Preset, FanMode, SwingMode, Effect} {
			if m := option(e.Options[k], a.Mode); e.Can[k] && m != "" {
				want[k] = m
				return ""
			}
		}
		return "has no mode " + Clean(a.Mode)
	}
	if a.Value == "" {
		return ""
	}
	switch e.Kind {
	case Number:
		f, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(a.Value), "%"), 64)
		if err != nil || math.IsNaN(f) {
			return "needs a number"
		}
		if e.Max > e.Min && (f < e.Min || f > e.Max) {
			return "only goes from " + number(e.Min) + " to " + number(e.Max)
		}
		want[Main] = f
	case Select:
		o := option(e.Options[Main], a.Value)
		if o == "" {
			return "has no option " + Clean(a.Value)
		}
		want[Main] = o
	case Text:
		want[Main] = a.Value
	default:
		return cannotDo
	}
	return ""
}

// option gives the one of the options that a person means, or "".
func option(options []string, said string) string {
	best, most := "", 0.0
	words := tokens(strings.ReplaceAll(said, "_", " "))
	for _, o := range options {
		if strings.EqualFold(o, said) {
			return o
		}
		name := tokens(strings.ReplaceAll(o, "_", " "))
		if all := newMemo().covered(words, name); all >= 0.7 { // what was said is in it
			if s := all + newMemo().covered(name, words); s > most {
				best, most = o, s
			}
		}
	}
	return best
}
