package home

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// problem is why something cannot be set on a device: the end of its sentence's key, and its
// arguments. The zero value is none.
type problem struct {
	why, value, property, unit string
	least, most                float64
}

var (
	fine       = problem{}
	cannotDo   = problem{why: "do"}
	tooUnknown = problem{why: "know"}
	wrongForm  = problem{why: "fit"} // the next key may take it
)

// keys are those that the command may set on a device. loose lets a number set the level of a
// device that lacks the named property.
func (a *arguments) keys(e *Entity, loose bool) []Key {
	property := a.propertyOf(e, loose)
	keys, tone := e.Kind.settings(property), property == "temperature" || strings.HasPrefix(property, "color")
	switch {
	case len(keys) > 0 || !loose || a.Property == playback || a.inDegrees() && a.Property == "":
		return keys
	case slices.Contains(uses[e.Kind].sets, Main) && e.Kind != MediaPlayer:
		return []Key{Main}
	case e.Kind.level() != "" && !tone:
		return []Key{e.Kind.level()}
	case (a.steps() || property == "position") && e.Can[Target]: // "turn the heating up a notch", "thermostat nineteen"
		return []Key{Target}
	}
	return nil
}

// propertyOf is the property that the command means of a device: "make the lamp warmer".
func (a *arguments) propertyOf(e *Entity, loose bool) string {
	white := a.Property == "temperature" && (whites[a.word()] > 0 || loose && a.steps())
	switch {
	case e.Kind == Light && (a.Unit == "kelvin" || white):
		return "color_temperature"
	case a.inDegrees() && a.Property == "":
		return "temperature"
	case a.Unit == "times" && a.Property == "" && !loose:
		return string(e.Kind.level())
	}
	return a.Property
}

// setting returns what the command sets on a device, or why it cannot.
func (a *arguments) setting(e *Entity, loose bool) (Key, any, problem) {
	why := fine
	for _, k := range a.keys(e, loose) {
		if !e.Can[k] && !(k == Position && e.Can[Main]) {
			continue
		}
		v, wrong := a.valueOf(e, k)
		if wrong == fine {
			return k, v, fine
		}
		if why == fine || why == wrongForm {
			why = wrong
		}
	}
	return "", nil, a.misfit(e, why)
}

// misfit says what a device lacks, where no key took the value: fine if there was none to try.
func (a *arguments) misfit(e *Entity, why problem) problem {
	switch {
	case why != fine && why != wrongForm:
	case e.Kind == Light && a.Property == "color":
		return problem{why: "colours"}
	case why == wrongForm && a.word() != "":
		return problem{why: "be", value: a.word()}
	case why == wrongForm:
	case e.Kind == Light && a.ofWhite():
		return problem{why: "tone"}
	case e.Kind == Vacuum && a.Property == "" && a.word() != "":
		return problem{why: "room"}
	default:
		return cannotDo
	}
	return why
}

// muting are words for whether a player is muted.
var muting = map[string]string{"mute": "on", "muted": "on", "unmute": "off", "unmuted": "off"}

// playing are words for what becomes of what plays.
var playing = map[string]string{
	"pause": "paused", "stop": "paused", "resume": "playing", "next": "next", "previous": "previous",
}

// valueOf reads the value of the command as one of k.
func (a *arguments) valueOf(e *Entity, k Key) (any, problem) {
	f, isNumber := a.Value.(float64)
	word := a.word()
	if _, counted := measures[k]; counted && (k != Main || e.Kind == Number) {
		return a.amount(e, k)
	}
	switch {
	case k == Colour:
		return a.colour(e)
	case k == Muted && muting[word] != "":
		return muting[word], fine
	case e.Kind == MediaPlayer && k == Main && playing[word] != "":
		return playing[word], fine
	case a.Value == nil, e.Kind == MediaPlayer && k != Source:
		return nil, wrongForm
	case (k == Room || e.Kind == Text) && !isNumber:
		return a.Value, fine
	case isNumber && k == Main:
		word = number(f)
	}
	if e.Kind == Text {
		return word, fine
	}
	return a.option(e, k, word)
}

// option is the one of those of a key that a person means.
func (a *arguments) option(e *Entity, k Key, said string) (any, problem) {
	o := option(e.Options[k], said)
	switch {
	case o != "":
		return o, fine
	case said == "" || a.Property == "" && k != Main || a.Property == "speed":
		return nil, wrongForm
	case k == Main:
		return nil, problem{why: "option", value: said, property: "option"}
	}
	return nil, problem{why: "option", value: said, property: strings.ReplaceAll(cmp.Or(a.Property, "mode"), "_", " ")}
}

// scaleOf returns the bounds of a number of a device, and the least that still counts as on; least
// and most are equal where they are not known.
func scaleOf(e *Entity, k Key) (least, most, lowest float64) {
	switch {
	case k == Kelvin && e.Max <= e.Min: // where lamps commonly end
		return 1900, 6500, 0
	case k == Speed:
		return 0, 100, max(e.Step, 1)
	case k == Brightness:
		return 0, 100, 1
	case isPercent(k):
		return 0, 100, 0
	}
	return e.Min, e.Max, e.Min
}

// amount reads a number, a word for one, or a step. A given number must be within the bounds,
// except for the tone of white light; a step stops at them, and a light that is dimmed stays on.
func (a *arguments) amount(e *Entity, k Key) (any, problem) {
	least, most, lowest := scaleOf(e, k)
	word := a.word()
	v, isNumber := a.Value.(float64)
	share, isAmount := amounts[word]
	if k == Kelvin {
		if tone := a.tone(); tone > 0 { // what comes nearest
			return min(max(tone, least), most), fine
		} else if !a.ofWhite() {
			return nil, wrongForm
		}
	}
	switch {
	case a.steps():
		return a.stepped(e, k)
	case k == Target && isNumber:
		v = a.celsius(v, least, most)
	case isNumber:
	case k == Main && !isAmount:
		return nil, problem{why: "number"}
	case !isAmount, most <= least, k == Target && (word == "high" || share != 0 && share != 100):
		return nil, wrongForm
	case k == Speed && word == "medium": // of three
		v = 66
	default:
		v = max(least+(most-least)*share/100, lowest)
	}
	if most > least && (v < least || v > most) {
		return nil, problem{why: "range", least: least, most: most, unit: measures[k].unit}
	}
	return v, fine
}

// celsius is a temperature in the unit of a device with these bounds. Degrees Fahrenheit are converted where they are
// said, and where a number without a unit makes sense only in them: nobody wants 68 degrees Celsius in a room.
func (a *arguments) celsius(v, least, most float64) float64 {
	const coldest = 12 // nobody heats a room to less
	c := math.Round((v-32)/1.8*2) / 2
	if v > most && c >= max(least, coldest) && c <= most || a.Unit == "fahrenheit" && most < v {
		return c
	}
	return v
}

// tone is the white that a command asks for, in kelvin, or 0.
func (a *arguments) tone() float64 {
	v, isNumber := a.Value.(float64)
	switch {
	case isNumber && a.ofWhite():
		return v
	case a.steps() && a.Property == "temperature":
		return whites[map[bool]string{true: "cool white", false: "warm white"}[a.Action == "lower"]]
	}
	return whites[a.word()]
}

// ofWhite reports whether a number or a step sets the tone of white light.
func (a *arguments) ofWhite() bool { return a.Property == "color_temperature" || a.Unit == "kelvin" }

// maxDegrees is the largest step that without a unit is one in degrees: "the heating down two", and not by ten percent.
const maxDegrees = 5

// step is how far the command goes, down if it lowers.
func (a *arguments) step(k Key) float64 {
	step := measures[k].step
	if a.Step != nil {
		step = *a.Step
	}
	if a.Action == "lower" {
		step = -step
	}
	return step
}

// stepped is a step from the present value: one degree for a temperature without another step, and
// for the tone of white light in percent of it or in kelvin.
func (a *arguments) stepped(e *Entity, k Key) (any, problem) {
	least, most, lowest := scaleOf(e, k)
	have, known := e.State[k].(float64)
	step := a.step(k)
	switch {
	case k == Speed && step < 0 && e.State[Main] == "off":
		return 0.0, fine // and it is not begun
	case !known && (!isPercent(k) || k == Volume || a.Unit == "times"):
		return nil, tooUnknown
	case a.Unit == "times":
		f, _ := a.Value.(float64)
		step = have * (f - 1)
	case !known:
		have = 50
	case k == Target && math.Abs(step) > maxDegrees && a.Property != "temperature" && !a.inDegrees():
		step = math.Copysign(1, step)
	case k == Kelvin && a.Unit != "kelvin" && math.Abs(step) <= 100:
		step *= (most - least) / 100
	}
	if have += step; most > least {
		have = min(max(have, least, min(lowest, 1)), most)
	}
	if isPercent(k) {
		have = math.Round(have)
	}
	return have, fine
}

// colour reads a colour, or for lamps that only know colours the tone of white light.
func (a *arguments) colour(e *Entity) (any, problem) {
	c, kelvin, ok := readColor(a.word())
	switch {
	case a.ofWhite():
		v, why := a.amount(e, Kelvin)
		if why != fine {
			return nil, why
		}
		return fromKelvin(v.(float64)), fine
	case !ok && a.Property == "":
		return nil, wrongForm
	case !ok:
		return nil, problem{why: "colour"}
	case kelvin > 0:
		return fromKelvin(kelvin), fine
	}
	return c, fine
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
