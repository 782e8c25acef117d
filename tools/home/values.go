package home

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// settings are the keys that a property means, by kind, the first that a device can.
// Without a property the form of the value decides among those of "".
var settings = map[Kind]map[string][]Key{
	Light:       {"": {Brightness, Kelvin, Colour, Effect}, "brightness": {Brightness}, "color": {Kelvin, Colour}, "color_temperature": {Kelvin, Colour}, "effect": {Effect}, "mode": {Effect}},
	Cover:       {"": {Position}, "position": {Position}, "tilt": {Tilt}},
	Valve:       {"": {Position}, "position": {Position}},
	Fan:         {"": {Preset, Speed}, "speed": {Preset, Speed}, "mode": {Preset}},
	Climate:     {"": {Target, Mode, Preset, FanMode, SwingMode}, "temperature": {Target}, "humidity": {TargetHumidity}, "mode": {Mode, Preset, FanMode, SwingMode}, "speed": {FanMode}},
	WaterHeater: {"": {Target, Mode, Preset}, "temperature": {Target}, "mode": {Mode, Preset}},
	Humidifier:  {"": {TargetHumidity, Mode}, "humidity": {TargetHumidity}, "mode": {Mode}},
	Vacuum:      {"": {FanMode, Room}, "speed": {FanMode}, "mode": {FanMode}},
	MediaPlayer: {"": {Volume, Main}, "volume": {Volume, Muted}, "option": {Main}},
	Number:      {"": {Main}, "option": {Main}}, Select: {"": {Main}, "option": {Main}, "mode": {Main}}, Text: {"": {Main}, "option": {Main}},
}

// percents are the keys in percent; levels are those of them that a number in percent
// means, whichever property a model has named.
var (
	percents = []Key{Brightness, Position, Tilt, Speed, TargetHumidity, Volume}
	levels   = map[Kind]Key{Light: Brightness, Cover: Position, Valve: Position, Fan: Speed, Humidifier: TargetHumidity, MediaPlayer: Volume}
)

// Why something cannot be wanted of a device, to be said behind its name.
const (
	tooUnknown = "does not say how it is now"
	cannotDo   = "cannot do that"
	wrongForm  = "needs another value" // the next key may take it
)

// keys are those that the command may set of a device. loose takes a number for the level of
// the device where it has not what was named.
func (a *arguments) keys(e *Entity, loose bool) []Key {
	keys := settings[e.Kind][a.Property]
	switch {
	case e.Kind == Light && (a.Unit == "kelvin" || a.Property == "temperature" && whites[a.word()] > 0):
		keys = settings[Light]["color_temperature"]
	case a.Unit == "degrees" && a.Property == "":
		keys = settings[e.Kind]["temperature"]
	case len(keys) == 0 && loose && settings[e.Kind]["option"] != nil && e.Kind != MediaPlayer:
		keys = settings[e.Kind]["option"]
	case len(keys) == 0 && loose && a.Property != "color" && a.Property != "color_temperature" && levels[e.Kind] != "":
		if f, number := a.Value.(float64); !number || f >= 0 && f <= 100 {
			keys = []Key{levels[e.Kind]}
		}
	case len(keys) == 0 && loose && a.Step != nil && e.Can[Target]: // "turn the heating up a notch"
		keys = []Key{Target}
	}
	return keys
}

// setting gives what the command asks of a device, or why it cannot be.
func (a *arguments) setting(e *Entity, loose bool) (Key, any, string) {
	problem := ""
	for _, k := range a.keys(e, loose) {
		if !e.Can[k] && !(k == Position && e.Can[Main]) {
			continue
		}
		v, wrong := a.valueOf(e, k)
		if wrong == "" {
			return k, v, ""
		}
		if problem == "" || problem == wrongForm {
			problem = wrong
		}
	}
	switch {
	case e.Kind == Light && a.Property == "color" && (problem == "" || problem == wrongForm):
		return "", nil, "has no colours"
	case problem == wrongForm && a.word() != "":
		return "", nil, "cannot be set to " + Clean(a.word())
	case problem != "":
		return "", nil, problem
	case e.Kind == Light && (a.Property == "color_temperature" || a.Unit == "kelvin"):
		return "", nil, "has no colour temperature"
	case a.Property == "" && e.Kind == Vacuum && a.word() != "":
		return "", nil, "does the whole house or nothing, not one room"
	}
	return "", nil, cannotDo
}

// valueOf reads the value of the command as one of k.
func (a *arguments) valueOf(e *Entity, k Key) (any, string) {
	f, isNumber := a.Value.(float64)
	switch {
	case slices.Contains(percents, k):
		return a.percent(e, k)
	case k == Target || k == Main && e.Kind == Number:
		return a.ranged(e, k)
	case k == Kelvin:
		return a.kelvin(e)
	case k == Colour:
		return a.colour(e)
	case k == Muted:
		on, is := map[string]string{"mute": "on", "muted": "on", "unmute": "off", "unmuted": "off"}[a.word()]
		return on, map[bool]string{false: wrongForm}[is]
	case k == Room && a.word() != "":
		return a.Value, ""
	case k == Main && e.Kind == MediaPlayer:
		w := a.word()
		return w, map[bool]string{false: wrongForm}[w == "next" || w == "previous"]
	case k == Main && e.Kind == Text && isNumber:
		return number(f), ""
	case k == Main && e.Kind == Text && a.Value != nil:
		return a.Value, ""
	case isNumber && k == Main:
		return a.option(e, k, number(f))
	}
	return a.option(e, k, a.word())
}

// option is the one of those of a key that a person means.
func (a *arguments) option(e *Entity, k Key, said string) (any, string) {
	o := option(e.Options[k], said)
	switch {
	case o != "":
		return o, ""
	case said == "" || a.Property == "" && k != Main || a.Property == "speed":
		return nil, wrongForm
	case k == Main:
		return nil, "has no option " + Clean(said)
	}
	return nil, "has no " + strings.ReplaceAll(cmp.Or(a.Property, "mode"), "_", " ") + " " + Clean(said)
}

// percent reads a percentage, a word for one, or a step. A light that is only dimmed stays on.
func (a *arguments) percent(e *Entity, k Key) (any, string) {
	least := 0.0
	switch {
	case k == Brightness:
		least = 1
	case k == Speed:
		least = max(e.Step, 1)
	}
	v, isNumber := a.Value.(float64)
	if word := a.word(); word != "" {
		amount, known := amounts[word]
		if !known || a.Unit == "degrees" {
			return nil, wrongForm
		}
		if v = max(amount, least); k == Speed && word == "medium" {
			v = 66
		}
	} else if a.Step != nil && !isNumber {
		have, known := e.State[k].(float64)
		if !known {
			have = 50
		}
		if k == Volume && !known {
			return nil, tooUnknown
		}
		v = min(max(have+*a.Step, min(least, 1)), 100)
	}
	if v < 0 || v > 100 {
		return nil, "only goes from 0 to 100 percent"
	}
	return v, ""
}

// ranged reads a temperature or the value of a number, which both have their ends.
func (a *arguments) ranged(e *Entity, k Key) (any, string) {
	v, isNumber := a.Value.(float64)
	bounded := e.Max > e.Min
	unit := map[bool]string{true: " degrees"}[k == Target]
	switch {
	case isNumber && bounded && (v < e.Min || v > e.Max):
		return nil, "only goes from " + number(e.Min) + " to " + number(e.Max) + unit
	case isNumber:
		return v, ""
	case a.Step != nil:
		have, known := e.State[k].(float64)
		if !known {
			return nil, tooUnknown
		}
		step := *a.Step
		if k == Target && a.Property != "temperature" && a.Unit != "degrees" {
			step = math.Copysign(1, step)
		}
		if have += step; bounded {
			have = min(max(have, e.Min), e.Max)
		}
		return have, ""
	}
	amount, known := amounts[a.word()]
	switch {
	case !known && k == Main:
		return nil, "needs a number"
	case !known || !bounded || k == Target && amount != 0 && amount != 100:
		return nil, wrongForm
	}
	return e.Min + (e.Max-e.Min)*amount/100, ""
}

// Where lamps commonly end, in kelvin, where they do not tell.
const (
	warmest = 2000
	coldest = 6500
)

// kelvin reads the tone of white light, within what the lamp can.
func (a *arguments) kelvin(e *Entity) (any, string) {
	v, isNumber := a.Value.(float64)
	least, most := e.Min, e.Max
	if most <= least {
		least, most = 1000, 10000
	}
	switch white, known := whites[a.word()]; {
	case known:
		v = white
	case a.Property != "color_temperature" && a.Unit != "kelvin":
		return nil, wrongForm
	case isNumber:
	case a.Value != nil:
		amount, known := amounts[a.word()]
		if !known {
			return nil, wrongForm
		}
		v = max(least, warmest) + (min(most, coldest)-max(least, warmest))*amount/100
	default: // a step, in percent or in kelvin
		have, known := e.State[Kelvin].(float64)
		if !known {
			return nil, tooUnknown
		}
		if v = have + *a.Step; a.Unit != "kelvin" && math.Abs(*a.Step) <= 100 {
			v = have + *a.Step/100*(coldest-warmest)
		}
	}
	return min(max(v, least), most), ""
}

// colour reads a colour, or for lamps that only know colours the tone of white light.
func (a *arguments) colour(e *Entity) (any, string) {
	if a.Property == "color_temperature" || a.Unit == "kelvin" {
		v, problem := a.kelvin(e)
		if problem != "" {
			return nil, problem
		}
		return fromKelvin(v.(float64)), ""
	}
	c, kelvin, ok := readColor(a.word())
	switch {
	case !ok && a.Property == "":
		return nil, wrongForm
	case !ok:
		return nil, "does not know that colour"
	case kelvin > 0:
		return fromKelvin(kelvin), ""
	}
	return c, ""
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
		if all := covered(words, name); all >= 0.7 { // what was said is in it
			if s := all + covered(name, words); s > most {
				best, most = o, s
			}
		}
	}
	return best
}

// covered is the share of words that are among others.
func covered(words, others []string) float64 {
	sum := 0.0
	for _, w := range words {
		best := 0.0
		for _, o := range others {
			best = max(best, alike(w, o))
		}
		sum += best
	}
	return sum / max(float64(len(words)), 1)
}
