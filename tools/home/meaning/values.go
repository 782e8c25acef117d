package meaning

import (
	"cmp"
	"math"
	"strings"

	"hearthd/tools/home"
)

// Problem is why something cannot be set on a device: the end of its sentence's key, and its
// arguments. The zero value is none.
type Problem struct {
	Why, Value, Property, Unit string
	Least, Most                float64
}

var (
	Fine       = Problem{}
	cannotDo   = Problem{Why: "do"}
	tooUnknown = Problem{Why: "know"}
	wrongForm  = Problem{Why: "fit"} // the next key may take it
)

// keys are those that the command may set on a device. loose lets a number set the level of a
// device that lacks the named property.
func (a *Request) keys(e *home.Entity, loose bool) []home.Key {
	property := a.propertyOf(e, loose)
	keys, tone := e.Kind.Settings(property), property == "temperature" || strings.HasPrefix(property, "color")
	switch {
	case len(keys) > 0 || !loose || a.Property == home.Playback || a.inDegrees() && a.Property == "":
		return keys
	case e.Kind.Sets(home.Main) && e.Kind != home.MediaPlayer:
		return []home.Key{home.Main}
	case e.Kind.Level() != "" && !tone:
		return []home.Key{e.Kind.Level()}
	case (a.Steps() || property == "position") && e.Can[home.Target]: // "heating up a notch", "thermostat nineteen"
		return []home.Key{home.Target}
	}
	return nil
}

// propertyOf is the property that the command means of a device: "make the lamp warmer".
func (a *Request) propertyOf(e *home.Entity, loose bool) string {
	white := a.Property == "temperature" && (home.White(a.Word()) > 0 || loose && a.Steps())
	switch {
	case e.Kind == home.Light && (a.Unit == "kelvin" || white):
		return "color_temperature"
	case a.inDegrees() && a.Property == "":
		return "temperature"
	case a.Unit == "times" && a.Property == "" && !loose:
		return string(e.Kind.Level())
	}
	return a.Property
}

// setting returns what the command sets on a device, or why it cannot.
func (a *Request) setting(e *home.Entity, loose bool) (home.Key, any, Problem) {
	why := Fine
	for _, k := range a.keys(e, loose) {
		if !e.Can[k] && !(k == home.Position && e.Can[home.Main]) {
			continue
		}
		v, wrong := a.valueOf(e, k)
		if wrong == Fine {
			return k, v, Fine
		}
		if why == Fine || why == wrongForm {
			why = wrong
		}
	}
	return "", nil, a.misfit(e, why)
}

// misfit says what a device lacks, where no key took the value: fine if there was none to try.
func (a *Request) misfit(e *home.Entity, why Problem) Problem {
	switch {
	case why != Fine && why != wrongForm:
	case e.Kind == home.Light && a.Property == "color":
		return Problem{Why: "colours"}
	case why == wrongForm && a.Word() != "":
		return Problem{Why: "be", Value: a.Word()}
	case why == wrongForm:
	case e.Kind == home.Light && a.ofWhite():
		return Problem{Why: "tone"}
	case e.Kind == home.Vacuum && a.Property == "" && a.Word() != "":
		return Problem{Why: "room"}
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
func (a *Request) valueOf(e *home.Entity, k home.Key) (any, Problem) {
	f, isNumber := a.Value.(float64)
	word := a.Word()
	if k.Counted() && (k != home.Main || e.Kind == home.Number) {
		return a.amount(e, k)
	}
	switch {
	case k == home.Colour:
		return a.colour(e)
	case k == home.Muted && muting[word] != "":
		return muting[word], Fine
	case e.Kind == home.MediaPlayer && k == home.Main && playing[word] != "":
		return playing[word], Fine
	case a.Value == nil, e.Kind == home.MediaPlayer && k != home.Source:
		return nil, wrongForm
	case (k == home.Room || e.Kind == home.Text) && !isNumber:
		return a.Value, Fine
	case isNumber && k == home.Main:
		word = home.Numeral(f)
	}
	if e.Kind == home.Text {
		return word, Fine
	}
	return a.option(e, k, word)
}

// option is the one of those of a key that a person means.
func (a *Request) option(e *home.Entity, k home.Key, said string) (any, Problem) {
	o := option(e.Options[k], said)
	switch {
	case o != "":
		return o, Fine
	case said == "" || a.Property == "" && k != home.Main || a.Property == "speed":
		return nil, wrongForm
	case k == home.Main:
		return nil, Problem{Why: "option", Value: said, Property: "option"}
	}
	return nil, Problem{Why: "option", Value: said, Property: strings.ReplaceAll(cmp.Or(a.Property, "mode"), "_", " ")}
}

// scaleOf returns the bounds of a number of a device, and the least that still counts as on; least
// and most are equal where they are not known.
func scaleOf(e *home.Entity, k home.Key) (least, most, lowest float64) {
	switch {
	case k == home.Kelvin && e.Max <= e.Min: // where lamps commonly end
		return 1900, 6500, 0
	case k == home.Speed:
		return 0, 100, max(e.Step, 1)
	case k == home.Brightness:
		return 0, 100, 1
	case home.IsPercent(k):
		return 0, 100, 0
	}
	return e.Min, e.Max, e.Min
}

// amount reads a number, a word for one, or a step. A given number must be within the bounds,
// except for the tone of white light; a step stops at them, and a light that is dimmed stays on.
func (a *Request) amount(e *home.Entity, k home.Key) (any, Problem) {
	least, most, _ := scaleOf(e, k)
	if k == home.Kelvin {
		if tone := a.tone(); tone > 0 { // what comes nearest
			return min(max(tone, least), most), Fine
		} else if !a.ofWhite() {
			return nil, wrongForm
		}
	}
	if a.Steps() {
		return a.stepped(e, k)
	}
	v, why := a.number(e, k)
	switch {
	case why != Fine:
		return nil, why
	case most > least && (v < least || v > most):
		return nil, Problem{Why: "range", Least: least, Most: most, Unit: k.Unit()}
	}
	return v, Fine
}

// number is the number of the command in the unit of a key, or that of its word.
func (a *Request) number(e *home.Entity, k home.Key) (float64, Problem) {
	least, most, _ := scaleOf(e, k)
	v, isNumber := a.Value.(float64)
	switch {
	case !isNumber:
		return a.share(e, k)
	case k == home.Target:
		return a.celsius(v, least, most), Fine
	case k == home.Speed && a.Unit == "" && v >= 1 && v*e.Step <= 100 && e.Step > 1: // "speed two"
		return v * e.Step, Fine
	}
	return v, Fine
}

// share is how much of a key a word means: "half".
func (a *Request) share(e *home.Entity, k home.Key) (float64, Problem) {
	least, most, lowest := scaleOf(e, k)
	word := a.Word()
	share, isAmount := home.Share(word)
	switch {
	case k == home.Main && !isAmount:
		return 0, Problem{Why: "number"}
	case !isAmount, most <= least, k == home.Target && (word == "high" || share != 0 && share != 100):
		return 0, wrongForm
	case k == home.Speed && word == "medium": // of three
		return 66, Fine
	}
	return max(least+(most-least)*share/100, lowest), Fine
}

// celsius is a temperature in the unit of a device with these bounds. Degrees Fahrenheit are converted where they are
// said, and where a number makes sense only in them: nobody wants 68 degrees Celsius in a room.
func (a *Request) celsius(v, least, most float64) float64 {
	const coldest, warmest = 16, 28 // nobody heats a room to less or to more
	c := math.Round((v-32)/1.8*2) / 2
	fits := a.Unit != "percent" && c >= max(least, coldest) && c <= min(most, warmest)
	if v > most && (fits || a.Unit == "fahrenheit") {
		return c
	}
	return v
}

// tone is the white that a command asks for, in kelvin, or 0.
func (a *Request) tone() float64 {
	v, isNumber := a.Value.(float64)
	switch {
	case isNumber && a.ofWhite():
		return v
	case a.Steps() && a.Property == "temperature":
		return home.White(map[bool]string{true: "cool white", false: "warm white"}[a.Action == "lower"])
	}
	return home.White(a.Word())
}

// ofWhite reports whether a number or a step sets the tone of white light.
func (a *Request) ofWhite() bool { return a.Property == "color_temperature" || a.Unit == "kelvin" }

// maxDegrees is the largest step that without a unit is one in degrees: "the heating down two", and not by ten percent.
const maxDegrees = 9

// By is how far the command goes, down if it lowers.
func (a *Request) By(k home.Key) float64 {
	step := k.Step()
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
func (a *Request) stepped(e *home.Entity, k home.Key) (any, Problem) {
	least, most, lowest := scaleOf(e, k)
	have, known := e.State[k].(float64)
	step := a.By(k)
	switch {
	case k == home.Speed && step < 0 && e.State[home.Main] == "off":
		return 0.0, Fine // and it is not begun
	case !known && (!home.IsPercent(k) || k == home.Volume || a.Unit == "times"):
		return nil, tooUnknown
	case a.Unit == "times":
		f, _ := a.Value.(float64)
		step = have * (f - 1)
	case !known:
		have = 50
	case k == home.Target && math.Abs(step) > maxDegrees && a.Property != "temperature" && !a.inDegrees():
		step = math.Copysign(1, step)
	case k == home.Kelvin && a.Unit != "kelvin" && math.Abs(step) <= 100:
		step *= (most - least) / 100
	}
	if have += step; most > least {
		have = min(max(have, least, min(lowest, 1)), most)
	}
	if home.IsPercent(k) {
		have = math.Round(have)
	}
	return have, Fine
}

// colour reads a colour, or for lamps that only know colours the tone of white light.
func (a *Request) colour(e *home.Entity) (any, Problem) {
	c, kelvin, ok := home.ReadColor(a.Word())
	switch {
	case a.ofWhite():
		v, why := a.amount(e, home.Kelvin)
		if why != Fine {
			return nil, why
		}
		return home.FromKelvin(v.(float64)), Fine
	case !ok && a.Property == "":
		return nil, wrongForm
	case !ok:
		return nil, Problem{Why: "colour"}
	case kelvin > 0:
		return home.FromKelvin(kelvin), Fine
	}
	return c, Fine
}

// option gives the one of the options that a person means, or "".
func option(options []string, said string) string {
	best, most := "", 0.0
	words := home.Tokens(strings.ReplaceAll(said, "_", " "))
	for _, o := range options {
		if strings.EqualFold(o, said) {
			return o
		}
		name := home.Tokens(strings.ReplaceAll(o, "_", " "))
		if all := home.Covered(words, name); all >= 0.7 { // what was said is in it
			if s := all + home.Covered(name, words); s > most {
				best, most = o, s
			}
		}
	}
	return best
}
