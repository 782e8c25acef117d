package home

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"hearthd/config/letters"
	"hearthd/tools/home/entrance"
)

// maxName bounds the name of a device, in characters, and maxWords its words:
// nobody says more.
const (
	maxName  = 60
	maxWords = 10
)

// Clean makes a device's own name fit to be spoken: no control characters, no separators of topics,
// and not too long.
func Clean(name string) string {
	var b strings.Builder
	space, n := false, 0
	for _, r := range strings.ToValidUTF8(name, "") {
		if r == '.' && space || !unicode.IsPrint(r) || unicode.IsSpace(r) || strings.ContainsRune("_/<>{}[]|`\\\"#*", r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
			n++
		}
		b.WriteRune(r)
		if n++; n >= maxName {
			break
		}
	}
	return strings.TrimSpace(b.String())
}

// tokens cuts a phrase into its words, compounds too: the Küchenlicht is the Licht of the Küche.
func tokens(phrase string) []string { return compounds(written(phrase)) }

// compounds cuts words.
func compounds(words []string) (out []string) {
	for _, w := range words {
		folded := fold(w)
		i := slices.IndexFunc(ends, func(end string) bool {
			return strings.HasSuffix(folded, end) && len(folded) >= len(end)+3
		})
		if i < 0 {
			out = append(out, w)
			continue
		}
		first, _ := strings.CutSuffix(folded, ends[i])
		out = append(out, first, ends[i])
	}
	return out
}

// written cuts a phrase into its words as they are written, in lower case and without fillers.
// An "a" is one only in front of a name: "Light A" keeps its own.
func written(phrase string) []string { return writtenBut(phrase, nil) }

// writtenBut keeps the fillers that are names: a room may be called the Den.
func writtenBut(phrase string, names map[string]bool) []string {
	var out []string
	begins := true // a name, behind its article
	words := split(phrase)
	for i, w := range words {
		last := rune(0)
		if i > 0 {
			last = words[i-1].end
		}
		n, isDigit := digits[w.text]
		switch {
		case w.text == "a" && begins && len(words) > 1:
			continue
		case isFiller(w.text) && !names[w.text] || w.text == "s" && isApostrophe(last):
			begins = true
			continue
		case isDigit:
			w.text = strconv.Itoa(int(n))
		}
		if begins = false; len(out) < maxWords {
			out = append(out, w.text)
		}
	}
	return out
}

// piece is a run of letters or of digits, and what ends it.
type piece struct {
	text string
	end  rune
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

// split cuts a phrase where letters and digits meet, and where a capital begins a word:
// "kitchenLight" and "light2" are two.
func split(phrase string) (out []piece) {
	var word strings.Builder
	last := ' '
	for _, r := range phrase + " " {
		digit, letter := unicode.IsDigit(r), unicode.IsLetter(r)
		hump := unicode.IsUpper(r) && unicode.IsLower(last)
		if word.Len() > 0 && (!digit && !letter || digit != unicode.IsDigit(last) || hump) {
			out = append(out, piece{word.String(), r})
			word.Reset()
		}
		if digit || letter {
			word.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return out
}

// alike rates how similar two words are: 1 equal, 0 not at all. A word is not taken for another one
// when it is itself a word that people use for a house: the right lamp is not the light one.
func alike(said, b string) float64 {
	a := said
	if a == b {
		return 1
	}
	if isNumber(a) || isNumber(b) {
		return 0
	}
	if singular(a) == singular(b) {
		return 0.98
	}
	n := min(len(a), len(b))
	if n < 3 || max(len(a), len(b)) > n+4 || isPlain(said) {
		return 0
	}
	switch d := letters.Edits(a, b, 1+max(len(a), len(b))/2); {
	case d <= 1+max(len(a), len(b))/2 && sound(a) == sound(b) && vowel(a) == vowel(b):
		return 0.8
	case n >= 4 && d == 1, n >= 8 && d == 2:
		return 0.75
	}
	return 0
}

func isNumber(w string) bool { return w[0] >= '0' && w[0] <= '9' }

func isPlain(w string) bool { return slices.Contains(plainWords, w) || kindWord[singular(w)] }

var vowels = strings.NewReplacer(
	"ea", "e", "ei", "e", "ie", "e", "ee", "e", "ai", "e", "y", "i", "ou", "u", "oo", "u", "igh", "i",
)

// vowel is the first vowel of a word, as it is heard: sealing is ceiling.
func vowel(w string) byte {
	w = vowels.Replace(w)
	if i := strings.IndexAny(w, "aeiou"); i >= 0 {
		return w[i]
	}
	return 0
}

func singulars(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = singular(w)
	}
	return out
}

// mentions reports whether any of some words is among others.
func mentions(words, others []string) bool { return has(others, singulars(words)) }

// fold writes a word without umlauts and accents, as identifiers and keyboards without them do.
func fold(w string) string {
	if strings.IndexFunc(w, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return w
	}
	return entrance.Plain(umlauts.Replace(w))
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")

// singular is the form in which words are compared: singular, and without accents.
func singular(w string) string {
	w = fold(w)
	if one, known := forms[w]; known {
		return one
	}
	for _, ending := range [][2]string{{"ies", "y"}, {"ches", "ch"}, {"shes", "sh"}, {"ses", "s"}, {"s", ""}} {
		if s, ok := strings.CutSuffix(w, ending[0]); ok && len(s) > 2 {
			return s + ending[1]
		}
	}
	return w
}

func plural(w string) bool {
	return plurals[fold(w)] != "" || len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && w != "gas"
}

// sounds are the groups of letters that English writes in several ways, after
// Lawrence Philips' Metaphone (1990); vowels are dropped behind the first letter.
var sounds = strings.NewReplacer(
	"igh", "i", "ph", "f", "kn", "n", "wr", "r", "ck", "k", "wh", "w", "gh", "", "mb", "m", "qu", "kw",
	"sch", "sk", "ch", "x", "sh", "x", "th", "0", "dg", "j",
	"ce", "se", "ci", "si", "cy", "sy", "c", "k", "q", "k", "z", "s", "v", "f", "d", "t", "b", "p",
)

func sound(w string) string {
	w = sounds.Replace(w)
	var out []byte
	for i := range len(w) {
		c := w[i]
		if i > 0 && (strings.IndexByte("aeiouyhw", c) >= 0 || c == w[i-1]) {
			continue
		}
		if i == 0 && strings.IndexByte("aeiouy", c) >= 0 {
			c = 'a'
		}
		out = append(out, c)
	}
	return string(out)
}
