package home

import (
	"maps"
	"math"
	"regexp"
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
		if n++; n > maxName {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// Tokens cuts a phrase into its words, compounds too: the Küchenlicht is the Licht of the Küche.
func Tokens(phrase string) []string { return TokensBut(phrase, nil) }

// TokensBut keeps the fillers that are names: a room may be called the Den.
func TokensBut(phrase string, names map[string]bool) []string {
	return compounds(writtenBut(phrase, names))
}

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

// Written cuts a phrase into its words as they are written, in lower case and without fillers.
// An "a" is one only in front of a name: "Light A" keeps its own.
func Written(phrase string) []string { return writtenBut(phrase, nil) }

// writtenBut keeps the fillers that are names: a room may be called the Den.
func writtenBut(phrase string, names map[string]bool) []string {
	var out []string
	begins := true // a name, behind its article
	words := entrance.Words(possessive.ReplaceAllString(phrase, " "))
	for _, w := range words {
		n, isDigit := digits[w]
		switch {
		case w == "a" && begins && len(words) > 1:
			continue
		case isFiller(w) && !names[w]:
			begins = true
			continue
		case isDigit:
			w = strconv.Itoa(int(n))
		}
		if begins = false; len(out) < maxWords {
			out = append(out, w)
		}
	}
	return out
}

// possessive is the s of "mum's lamp".
var possessive = regexp.MustCompile(`['’][sS]\b`)

// SameSound is how similar two words are that sound alike.
const SameSound = 0.8

// Alike rates how similar two words are: 1 equal, 0 not at all. A word is not taken for another one
// when it is itself a word that people use for a house: the right lamp is not the light one.
func Alike(said, b string) float64 {
	a := said
	if a == b {
		return 1
	}
	if IsNumber(a) || IsNumber(b) {
		return 0
	}
	if Singular(a) == Singular(b) {
		return 0.98
	}
	n := min(len(a), len(b))
	if n < 3 || max(len(a), len(b)) > n+4 || IsPlain(said) {
		return 0
	}
	switch d := letters.Edits(a, b, 1+max(len(a), len(b))/2); {
	case d <= 1+max(len(a), len(b))/2 && sound(a) == sound(b) && vowel(a) == vowel(b):
		return SameSound
	case n >= 4 && d == 1, n >= 8 && d == 2:
		return 0.75
	}
	return 0
}

// IsNumber reports whether a word is written in digits.
func IsNumber(w string) bool { return w[0] >= '0' && w[0] <= '9' }

// IsPlain reports whether a word distinguishes no device from those of other houses: left, big, a word for a kind.
func IsPlain(w string) bool { return slices.Contains(plainWords, w) || kindWord[Singular(w)] }

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

// Singulars are words as Singular has them.
func Singulars(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = Singular(w)
	}
	return out
}

// Mentions reports whether any of some words is among others.
func Mentions(words, others []string) bool { return Has(others, Singulars(words)) }

// fold writes a word without umlauts and accents, as identifiers and keyboards without them do.
func fold(w string) string {
	if strings.IndexFunc(w, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return w
	}
	return entrance.Plain(umlauts.Replace(w))
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")

// Singular is the form in which words are compared: singular, and without accents.
func Singular(w string) string {
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

// Plural reports whether a word is for several.
func Plural(w string) bool {
	return plurals[fold(w)] != "" || forms[fold(w)] != w && w != "gas" &&
		len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss")
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

// Has reports whether any of the alternatives is among some words.
func Has(words, alternatives []string) bool {
	return slices.ContainsFunc(alternatives, func(w string) bool { return slices.Contains(words, w) })
}

// Covered is the share of words that are among others.
func Covered(words, others []string) float64 {
	sum := 0.0
	for _, w := range words {
		best := 0.0
		for _, o := range others {
			best = max(best, Alike(w, o))
		}
		sum += best
	}
	return sum / max(float64(len(words)), 1)
}

// IsKind reports whether a word is for a kind of device or a class of covers, whatever its number.
func IsKind(w string) bool { return kindWord[Singular(w)] || IsCoverWord(Singular(w)) }

// Numeral writes a number with at most two digits behind the point.
func Numeral(f float64) string {
	if math.Abs(f) >= 100 {
		f = math.Round(f)
	}
	return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
}

// Rounded is Numeral without digits behind the point.
func Rounded(f float64) string { return Numeral(math.Floor(f + 0.5)) }

// PlaceOf is what an area of a call says.
func PlaceOf(area string) Place {
	said := strings.Join(Tokens(area), " ")
	return map[string]Place{"here": Here, "house": InHouse, "everywhere": Everywhere, "there": There}[placeWord[said]]
}

// plainly are words that ask for nothing, neither alone nor with others.
var plainly = func() map[string]bool {
	all := map[string]bool{}
	for _, words := range [][]string{fillers, lexicon["words"]["joining"]} {
		for _, w := range words {
			all[w] = !slices.Contains(particles, w)
		}
	}
	for color := range colors {
		for w := range strings.FieldsSeq(color) {
			all[w] = true
		}
	}
	return all
}()

// Share is what a word for an amount means, in percent of what is possible.
func Share(word string) (percent float64, ok bool) { percent, ok = amounts[word]; return percent, ok }

// Ordinal is the place that a word means among what a question names; -1 is the last.
func Ordinal(word string) (at int, ok bool) { f, ok := ordinals[word]; return int(f), ok }

// Many is how many a word says that are meant, or "".
func Many(word string) string { return quantities[word] }

// Same are the words that people say for a word of a name, itself among them; nil: there are no others.
func Same(w string) []string { return lexicon["same"][same[w]] }

// IsKindWord reports whether a word is for a kind of device.
func IsKindWord(word string) bool { return kindWord[word] }

// KindWords are all those words; the map is the caller's.
func KindWords() map[string]bool { return maps.Clone(kindWord) }

// AsksNothing reports whether a word asks for nothing, neither alone nor with others.
func AsksNothing(word string) bool { return plainly[word] }

// PlaceWords are those of a place; one of fillers alone, such as the Den, is called by them.
func PlaceWords(place string) []string {
	if words := Tokens(place); len(words) > 0 {
		return words
	}
	words := entrance.Words(place)
	return words[:min(len(words), maxWords)]
}
