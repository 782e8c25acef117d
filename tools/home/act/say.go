package act

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/entrance"
	"hearthd/tools/home/meaning"
	"hearthd/tools/phrase"
)

// teller builds the answer about a call. Devices choose their own names and the words for their
// states, so an answer that contains any of them is foreign. It is not where the call contains the
// same words already: "turn on the kitchen light" brings nothing with "The kitchen light is on".
type teller struct {
	*phrase.Book
	said map[string]bool // by the call
	own  []string        // what devices are called, and what they say
}

// args are those of a sentence.
type args = phrase.Args

func (h *Home) teller(a *meaning.Request) *teller {
	t := &teller{Book: h.opt.Book, said: map[string]bool{}}
	for _, text := range []string{a.Name, a.Area, a.Except, a.What, a.Is, fmt.Sprint(a.Value)} {
		for _, w := range entrance.Words(strings.ToLower(text)) {
			t.said[home.Singular(w)] = true
		}
	}
	return t
}

// result is an answer, marked foreign if it contains words of devices that were not said and are
// not plain: kinds, colours, numbers and what is between them ask for nothing.
func (t *teller) result(text string, data any) tools.Result {
	brings := func(w string) bool {
		one := home.Singular(w)
		return !t.said[one] && !home.IsKindWord(one) && !home.AsksNothing(w) && !unicode.IsDigit([]rune(w)[0])
	}
	said := sought(text)
	foreign := slices.ContainsFunc(t.own, func(own string) bool {
		return strings.Contains(said, sought(own)) && slices.ContainsFunc(entrance.Words(strings.ToLower(own)), brings)
	})
	return tools.Result{Text: text, Data: data, Foreign: foreign}
}

// sought is a text in the form in which it is looked for in another one. It may begin a sentence there,
// and the small letter of a capital need not be the one that was written: "ı" is "I" then.
func sought(text string) string {
	return strings.ToLower(strings.ToUpper(strings.Join(strings.Fields(text), " ")))
}

// named is a name in a sentence: as it is written, and as English writes it there. "lamp 2", "Mia"
// and "mum's bedside" are bare of an article.
func (t *teller) named(name string, person bool) args {
	if len(name) > 4 && strings.EqualFold(name[:4], "the ") {
		name = name[4:]
	}
	t.own = append(t.own, name)
	small, last, first := name, name[strings.LastIndex(name, " ")+1:], strings.ToLower(strings.SplitN(name, " ", 2)[0])
	if !person {
		words := strings.Split(name, " ")
		for i, w := range words {
			if isProper(w) { // no abbreviation
				words[i] = strings.ToLower(w)
			}
		}
		small = strings.Join(words, " ")
	}
	bare := person || last == "" || home.IsNumber(last) || home.Many(first) == "all" || strings.Contains(name, "'s ")
	many := home.Plural(strings.ToLower(last)) && !person
	return args{"name": name, "small": small, "bare": bare, "many": many, "area": nil}
}

func isProper(w string) bool {
	return len(w) > 1 && strings.ToUpper(w[:1])+strings.ToLower(w[1:]) == w && w != strings.ToLower(w)
}

// device is one in a sentence.
func (t *teller) device(e *home.Entity) args {
	name := e.Spoken()
	robot := e.Kind == home.Vacuum || e.Kind == home.LawnMower
	person := e.Kind == home.BinarySensor && e.Class == "presence" && e.Area+e.Device == "" ||
		robot && isProper(name) && !home.IsKind(strings.ToLower(name)) // Rosie
	if e.Kind != home.Sensor && e.Kind != home.BinarySensor && len(home.Tokens(e.Name)) > 1 {
		name = e.Name
	}
	return t.named(name, person)
}

// devices are several, so that each can be told from the others.
func (t *teller) devices(es []home.Entity) []args {
	all := make([]args, len(es))
	count := map[any]int{}
	for i := range es {
		all[i] = t.device(&es[i])
		count[all[i]["small"]]++
	}
	for i := range es {
		switch e := &es[i]; {
		case count[all[i]["small"]] < 2:
		case e.Area != "":
			all[i]["area"] = t.named(e.Area, false)
		case e.Device != "" && e.Device != e.Name:
			all[i] = t.named(e.Spoken(), false)
		}
	}
	return all
}

// where names the room or floor, or nothing.
func (t *teller) where(area string) string {
	area = home.Clean(area)
	switch at := home.PlaceOf(area); {
	case area == "" || at == home.InHouse || at >= home.Everywhere:
		return ""
	case at == home.Here:
		return t.Part("home.here")
	}
	return t.Part("home.where", args{"area": t.named(area, false)})
}

// state is the word for a state that a device itself gave.
func (t *teller) state(word string) string {
	word = home.Clean(strings.ReplaceAll(word, "_", " "))
	if !home.IsKnown(word) {
		t.own = append(t.own, word)
	}
	return t.Part("home.state", args{"state": word})
}

// reading is a value with its unit.
func (t *teller) reading(v any, unit string) string {
	f, isNumber := v.(float64)
	if word, is := v.(string); is {
		var err error
		if f, err = strconv.ParseFloat(word, 64); err != nil {
			return t.state(word)
		}
		isNumber = true
	}
	if !isNumber {
		return t.state(fmt.Sprint(v))
	}
	if words := home.Words("unit", unit); words != nil {
		unit = words[0]
	} else if unit = home.Clean(unit); unit != "" {
		t.own = append(t.own, unit)
	}
	return t.Part("home.reading", args{"value": t.number(f), "unit": unit})
}

// number says a number with at most two digits behind the point.
func (t *teller) number(f float64) string {
	whole, digits, broken := strings.Cut(home.Numeral(f), ".")
	if !broken {
		return whole
	}
	return t.Part("home.fraction", args{"whole": whole, "digits": digits})
}
