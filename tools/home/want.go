package home

import (
	"math"
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

// adjust sets what the values of the command ask.
func (a *arguments) adjust(e *Entity, want State) string {
	lit := func() {
		if e.Can[Main] && e.Kind == Light {
			want[Main] = "on"
		}
	}
	percent, level, warmth, step := a.Brightness, Brightness, a.Temperature, a.TempStep
	if percent == nil && warmth != nil && !e.Can[Target] && *warmth >= 0 && *warmth <= 100 && mentions(tokens(a.Name), kindWords[e.Kind]) { // "set the kitchen light to 50"
		percent, warmth = warmth, nil
	}
	if e.Can[Target] && !e.Can[Speed] && a.BrightnessStep != nil && step == nil { // "turn the heating up a notch"
		one := math.Copysign(1, *a.BrightnessStep)
		step = &one
	}
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
	if e.Can[Target] && !e.Can[Speed] {
		percent = nil
	} else if v, problem := stepped(percent, a.BrightnessStep, e.State[level], 50, 1, 100); problem != "" {
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
	if (warmth != nil || step != nil) && !e.Can[Target] {
		return cannotDo
	}
	v, problem := stepped(warmth, step, e.State[Target], math.NaN(), e.Min, e.Max)
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
	case Vacuum, LawnMower:
		return "does the whole house or nothing, not one room"
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
