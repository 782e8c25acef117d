package guard

import (
	"strconv"
	"strings"
	"unicode"
)

// classes are the actions, with the words that people and names of tools use for each. Words of one
// class mean the same; all others, opposites too, do not.
var classes = map[string][]string{
	"on": {"on", "activate", "enable"}, "off": {"off", "deactivate", "disable"},
	"open": {"open"}, "close": {"close", "shut"}, "lock": {"lock"}, "unlock": {"unlock"},
	"start": {"start", "begin", "run"}, "stop": {"stop", "halt"}, "pause": {"pause"}, "resume": {"resume", "continue"},
	"play": {"play"}, "mute": {"mute"}, "unmute": {"unmute"}, "toggle": {"toggle"}, "press": {"press"},
	"dock": {"dock"},
	"up":   {"up", "increase", "raise", "louder"}, "down": {"down", "decrease", "lower", "quieter"},
	"dim": {"dim"}, "brighten": {"brighten"}, "set": {"set"}, "change": {"change", "adjust"}, "cancel": {"cancel"},
	"arm": {"arm"}, "disarm": {"disarm"}, "release": {"release"}, "snooze": {"snooze"},

	"add": {"add", "put", "append"}, "remove": {"remove", "delete", "take"}, "clear": {"clear", "empty"},
	"create": {"create", "make", "schedule", "book"}, "send": {"send"}, "call": {"call"}, "say": {"say", "announce"},
	"buy": {"buy", "order", "purchase"}, "pay": {"pay", "transfer"}, "note": {"note", "remember"}, "forget": {"forget"},
}

// writing are the classes whose calls take words of the person: the rest of the request is what is
// to be written or bought, and no other order.
var writing = []string{"add", "remove", "clear", "create", "send", "call", "say", "buy", "pay", "note", "forget"}

var (
	actions = classOf(classes) // by word
	// particles say what is done with a light verb (turn, switch), and belong to it.
	particles = map[string]string{"on": "on", "off": "off", "up": "up", "down": "down"}
	light     = set("turn switch power")
	// little words may stand in a request beside what it says.
	little = set(`please the a an my our of in at to for into onto and also just now and then hey ok okay
		percent degrees degree celsius fahrenheit`)
	// turning words change the order that a request begins with into another one, or into none.
	turning = set(`no not never nor don't dont doesn't cannot can't cant won't wont nothing nobody none without
		except excluding but instead unless if whether when while until till before after once what
		which who whom whose why how where is are was were do does did has have had would could
		should can will may might maybe said says wait actually mind or it that this these those
		them they other others another same else again`)
	// within are the words that introduce a place.
	within = set("in at of into")
	// amounts are the classes that mean "set" when an amount follows: dim the lamp to ten.
	amounts = set("up down dim brighten change")
	// general words in names of tools say nothing of what the tool does.
	general = set("home house control device devices ha hass")
)

func set(words string) map[string]bool {
	s := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

func classOf(classes map[string][]string) map[string]string {
	of := make(map[string]string)
	for class, words := range classes {
		for _, w := range words {
			of[w] = class
		}
	}
	return of
}

// Knows reports whether a word may be taught in another language: an action, a little word, or one
// that changes an order into something else.
func Knows(word string) bool {
	return actions[word] != "" || light[word] || little[word] || turning[word]
}

func writes(class string) bool {
	for _, w := range writing {
		if w == class {
			return true
		}
	}
	return false
}

// split cuts a request into the words of its parts, at commas, ends of sentences and "and". It is
// not ok for a request with a mark that may make it a question, a quotation or anything else than
// plain orders.
func split(request string, taught map[string]string) (parts [][]string, ok bool) {
	var part []string
	next := func() {
		if len(content(part)) > 0 {
			parts = append(parts, part)
		}
		part = nil
	}
	runes := []rune(strings.ToLower(request))
	for i := 0; i < len(runes); {
		r := runes[i]
		n := wordLength(runes[i:])
		switch {
		case n > 0:
			w := strings.ReplaceAll(string(runes[i:i+n]), "’", "'")
			if english := taught[w]; english != "" {
				w = english
			}
			if w == "and" || w == "then" {
				next()
			}
			part = append(part, w)
			i += n
			continue
		case r == ',' || r == '.' || r == '!':
			next()
		case r == '%':
			part = append(part, "percent")
		case r != ' ' && r != '-' && r != '°' && r != '\n' && r != '\t':
			return nil, false
		}
		i++
	}
	next()
	for i := range parts {
		parts[i] = numerals(parts[i])
	}
	return parts, true
}

// wordLength is how many runes the word has that begins here: letters with their marks,
// or a number.
func wordLength(runes []rune) int {
	for i, r := range runes {
		within := i > 0 && i+1 < len(runes)
		point := r == '.' && within && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1])
		apostrophe := (r == '\'' || r == '’') && within && unicode.IsLetter(runes[i-1]) && unicode.IsLetter(runes[i+1])
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !point && !apostrophe {
			return i
		}
	}
	return len(runes)
}

var (
	ones = strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen
		fourteen fifteen sixteen seventeen eighteen nineteen`)
	tens = strings.Fields("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
)

// numerals writes numbers below a hundred in digits.
func numerals(words []string) []string {
	var out []string
	for i := 0; i < len(words); i++ {
		n, ok := index(tens, words[i])
		if n *= 10; ok && i+1 < len(words) {
			if one, more := index(ones, words[i+1]); more && one > 0 && one < 10 {
				n += one
				i++
			}
		}
		if !ok {
			n, ok = index(ones, words[i])
		}
		if ok {
			out = append(out, strconv.Itoa(n))
		} else {
			out = append(out, words[i])
		}
	}
	return out
}

func index(list []string, word string) (int, bool) {
	for i, w := range list {
		if w == word && w != "_" {
			return i, true
		}
	}
	return 0, false
}

// seconds are the units of time that people say, in seconds; 0 for another word.
func seconds(unit string) float64 {
	switch strings.TrimSuffix(unit, "s") {
	case "second":
		return 1
	case "minute":
		return 60
	case "hour":
		return 3600
	case "day":
		return 86400
	}
	return 0
}
