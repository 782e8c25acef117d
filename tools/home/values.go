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
	of := settings[e.Kind]
	keys := of[a.Property]
	switch {
	case e.Kind == Light && (a.Unit == "kelvin" || a.Property == "temperature" && whites[a.word()] > 0):
		return of["color_temperature"]
	case a.Unit == "degrees" && a.Property == "":
		return of["temperature"]
	case len(keys) > 0 || !loose:
		return keys
	case e.Kind == Light && a.Property == "temperature" && a.steps(): // "make the lamp warmer"
		return of["color_temperature"]
	case of["option"] != nil && e.Kind != MediaPlayer:
		return of["option"]
	case levels[e.Kind] != "" && !slices.Contains([]string{"color", "color_temperature", "temperature"}, a.Property):
		return []Key{levels[e.Kind]}
	case a.steps() && e.Can[Target]: // "turn the heating up a notch"
		return []Key{Target}
	}
	return nil
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
	return "", nil, a.why(e, problem)
}

// why says what a device has not, or what the matter is with the value.
func (a *arguments) why(e *Entity, problem string) string {
	unfit := problem == "" || problem == wrongForm
	switch {
	case unfit && e.Kind == Light && a.Property == "color":
		return "has no colours"
	case problem == wrongForm && a.word() != "":
		return "cannot be set to " + Clean(a.word())
	case problem != "":
		return problem
	case e.Kind == Light && (a.Property == "color_temperature" || a.Unit == "kelvin"):
		return "has no colour temperature"
	case a.Property == "" && e.Kind == Vacuum && a.word() != "":
		return "does the whole house or nothing, not one room"
	}
	return cannotDo
}

// muting are words for whether a player is muted.
var muting = map[string]string{"mute": "on", "muted": "on", "unmute": "off", "unmuted": "off"}

// valueOf reads the value of the command as one of k.
func (a *arguments) valueOf(e *Entity, k Key) (any, string) {
	f, isNumber := a.Value.(float64)
	word := a.word()
	switch {
	case slices.Contains(percents, k), k == Target, k == Kelvin, k == Main && e.Kind == Number:
		return a.amount(e, k)
	case k == Colour:
		return a.colour(e)
	case k == Muted && muting[word] != "":
		return muting[word], ""
	case e.Kind == MediaPlayer && (word == "next" || word == "previous"):
		return word, ""
	case a.Value == nil, e.Kind == MediaPlayer:
		return nil, wrongForm
	case k == Main && isNumber:
		word = number(f)
	}
	if (e.Kind == Text || k == Room) && !isNumber {
		return a.Value, ""
	} else if e.Kind == Text {
		return word, ""
	}
	return a.option(e, k, word)
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

// scale is where a number of a device ends, as far as that is known.
type scale struct {
	least, most float64
	lowest      float64 // what is still on
	unit        string
}

func scaleOf(e *Entity, k Key) scale {
	switch {
	case k == Kelvin && e.Max <= e.Min: // where lamps commonly end
		return scale{1900, 6500, 0, " kelvin"}
	case k == Brightness:
		return scale{0, 100, 1, " percent"}
	case k == Speed:
		return scale{0, 100, max(e.Step, 1), " percent"}
	case slices.Contains(percents, k):
		return scale{0, 100, 0, " percent"}
	}
	return scale{e.Min, e.Max, e.Min, map[Key]string{Target: " degrees"}[k]}
}

// amount reads a number, a word for one, or a step. What is given may not be beyond the ends,
// but for the tone of white light; a step stays at them, and a light that is dimmed stays on.
func (a *arguments) amount(e *Entity, k Key) (any, string) {
	s, word := scaleOf(e, k), a.word()
	v, isNumber := a.Value.(float64)
	share, isAmount := amounts[word]
	switch {
	case k == Kelvin && whites[word] > 0:
		v = whites[word]
	case k == Kelvin && a.steps() && a.Property == "temperature":
		v = whites[map[bool]string{true: "cool white", false: "warm white"}[a.Action == "lower"]]
	case k == Kelvin && !a.ofWhite():
		return nil, wrongForm
	case a.Value == nil:
		return a.stepped(e, k, s)
	case isNumber:
		return s.ended(v, k == Kelvin)
	case k == Main && !isAmount:
		return nil, "needs a number"
	case !isAmount, s.most <= s.least, k == Target && (word == "high" || share != 0 && share != 100):
		return nil, wrongForm
	case k == Speed && word == "medium": // of three
		v = 66
	default:
		v = max(s.least+(s.most-s.least)*share/100, s.lowest)
	}
	return s.ended(v, k == Kelvin)
}

// ended says what the matter is with a number beyond the ends; a tone of white light is
// what comes nearest.
func (s scale) ended(v float64, white bool) (any, string) {
	switch {
	case white:
		return min(max(v, s.least), s.most), ""
	case s.most <= s.least || v >= s.least && v <= s.most:
		return v, ""
	}
	return nil, "only goes from " + number(s.least) + " to " + number(s.most) + s.unit
}

// ofWhite reports whether the tone of white light is what a number or a step is of.
func (a *arguments) ofWhite() bool { return a.Property == "color_temperature" || a.Unit == "kelvin" }

// stepped is a step from what is now: of a temperature that was not called so one degree, and
// of the tone of white light in percent of it or in kelvin.
func (a *arguments) stepped(e *Entity, k Key, s scale) (any, string) {
	have, known := e.State[k].(float64)
	step := a.by(k)
	switch {
	case !known && (!slices.Contains(percents, k) || k == Volume):
		return nil, tooUnknown
	case !known:
		have = 50
	case k == Target && a.Step != nil && a.Property != "temperature" && a.Unit != "degrees":
		step = math.Copysign(1, step)
	case k == Kelvin && a.Unit != "kelvin" && math.Abs(step) <= 100:
		step *= (s.most - s.least) / 100
	}
	if have += step; s.most > s.least {
		have = min(max(have, s.least, min(s.lowest, 1)), s.most)
	}
	return have, ""
}

// colour reads a colour, or for lamps that only know colours the tone of white light.
func (a *arguments) colour(e *Entity) (any, string) {
	if a.ofWhite() {
		v, problem := a.amount(e, Kelvin)
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
