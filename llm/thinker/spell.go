package thinker

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hearthd/language"
)

// written is the file of the folders words about it.
const written = "written.txt"

// writing is how a language is written for the eye, where voices spell or stumble over it.
type writing struct {
	words   map[string][]string // by key, as the file explains them
	phrases *strings.Replacer   // abbreviations of several words
	dots    []string
}

// english is what holds where a language has no writing of its own.
var english = writingOf("en")

// writingOf is that of a language, "" for English. One that does not come with hearthd is spoken as it is written:
// English words would be worse than its abbreviations.
func writingOf(lang string) *writing {
	lang = cmp.Or(lang, "en")
	w := &writing{words: language.Words(written, lang), dots: language.Words(written, "en", lang)["dots"]}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(w.words)) {
		if strings.HasSuffix(key, ".") && strings.Contains(key, " ") {
			pairs = append(pairs, " "+key, " "+w.words[key][0], "("+key, "("+w.words[key][0])
		}
	}
	w.phrases = strings.NewReplacer(pairs...)
	return w
}

// link is said for an address.
func (w *writing) link() string {
	if link := w.words["link"]; len(link) > 0 {
		return link[0]
	}
	return ""
}

// ordinal reports whether a number with a dot behind this word is a place in an order, as that of a
// day, in the languages that write it so.
func (w *writing) ordinal(before string) bool {
	return slices.Contains(w.words["ordinals"], strings.TrimRight(before, ","))
}

// spelled writes out the abbreviations that a model uses: words with a dot, and units after a number.
func (w *writing) spelled(s string) string {
	words := strings.Split(strings.TrimPrefix(w.phrases.Replace(" "+s), " "), " ")
	for i, word := range words {
		opening := word[:len(word)-len(strings.TrimLeft(word, `("'`))]
		core := word[len(opening):]
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		words[i] = opening + w.spelledWord(core, before, i == len(words)-1)
	}
	return strings.Join(words, " ")
}

// spelledWord is spelled for one word with the punctuation after it; before is the word before it.
func (w *writing) spelledWord(word, before string, last bool) string {
	core := strings.TrimRight(word, `.,;:!?)"'`)
	rest := word[len(core):]
	one := before == "1"
	if strings.HasPrefix(rest, ".") {
		if long := w.abbreviation(core+".", one); long != "" {
			if !last || rest != "." { // otherwise it also ends the sentence
				rest = rest[1:]
			}
			return long + rest
		}
	}
	if number(before) {
		if long := w.unit(core, one, false); long != "" {
			return long + rest
		}
	}
	if n := len(core) - len(strings.TrimLeft(core, "0123456789.,-–")); n > 0 && n < len(core) && number(core[:n]) {
		if long := w.unit(core[n:], core[:n] == "1", true); long != "" {
			return core[:n] + " " + long + rest
		}
	}
	return word
}

// number reports whether w is figures.
func number(w string) bool {
	w = strings.TrimLeft(w, `("'-`)
	return w != "" && w[0] >= '0' && w[0] <= '9' && strings.Trim(w, "0123456789.,-–/½¼¾") == ""
}

// abbreviation writes out a word with its dot, "" for any other.
func (w *writing) abbreviation(word string, one bool) string {
	if long := w.text(word, one); long != "" {
		return long
	}
	long := w.text(strings.ToLower(word), one)
	if first, n := utf8.DecodeRuneInString(long); n > 0 { // as at the beginning of a sentence
		return string(unicode.ToUpper(first)) + long[n:]
	}
	return ""
}

// unit writes out a unit of measure, "" for any other word. The letters of some mean other things
// where they are attached to a number (1m, 90s, 5l).
func (w *writing) unit(word string, one, attached bool) string {
	if long := w.text("0"+word, one); long != "" || attached {
		return long
	}
	return w.text("0 "+word, one)
}

// text is that of a key, of one or of any other number.
func (w *writing) text(key string, one bool) string {
	switch texts := w.words[key]; {
	case len(texts) == 0:
		return ""
	case one:
		return texts[0]
	default:
		return texts[len(texts)-1]
	}
}
