package clock

import (
	"slices"
	"strings"
	"time"

	"hearthd/language"
	"hearthd/tools/phrase"
)

// places are the names of places by their time zone, of the IANA database, and the articles that
// they may have.
var places = language.Words("places.txt")

// articles and tails stand beside the zones in places: words in front of a name, and behind that of a zone.
const (
	articles = "articles"
	tails    = "tails"
)

// zoneOf finds the time zone of a place, and the place as it is spelled. Of two places the second says where the first
// is: "Dallas, Texas".
func zoneOf(place string) (*time.Location, string, bool) {
	want := normal(place)
	if loc, name, ok := zoneCalled(want); ok || want == "" {
		return loc, name, ok
	}
	words := strings.Fields(want)
	for i := 1; i < len(words); i++ {
		if in, _, ok := zoneCalled(strings.Join(words[i:], " ")); ok {
			loc, name, known := zoneCalled(strings.Join(words[:i], " "))
			if !known {
				loc, name = in, capitals(words[:i])
			}
			return loc, name, true
		}
	}
	return nil, "", false
}

// zoneCalled finds a place in the table, or else as the last part of a name in the database of zones.
func zoneCalled(want string) (*time.Location, string, bool) {
	for zone, names := range places {
		for _, name := range names {
			if zone != articles && zone != tails && normal(name) == want {
				if loc, err := time.LoadLocation(zone); err == nil {
					return loc, name, true
				}
			}
		}
	}
	name := capitals(strings.Fields(want))
	for _, area := range []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"} {
		if loc, err := time.LoadLocation(area + "/" + strings.ReplaceAll(name, " ", "_")); err == nil && name != "" {
			return loc, name, true
		}
	}
	return nil, "", false
}

// capitals are words as they are written in a name.
func capitals(words []string) string {
	name := make([]string, len(words))
	for i, w := range words {
		name[i] = phrase.Sentence(w)
	}
	return strings.Join(name, " ")
}

// normal is a name as it is compared: letters only, in lower case, without its article and what zones have behind them.
func normal(name string) string {
	words := strings.Fields(strings.ToLower(strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == ',' || r == '/' || r == '\\' || r == '_' {
			return ' '
		}
		return r
	}, name)))
	for len(words) > 1 && slices.Contains(places[articles], words[0]) {
		words = words[1:]
	}
	if n := len(words) - 1; n >= 0 { // "London's time"
		words[n] = strings.TrimSuffix(words[n], "'s")
	}
	for len(words) > 1 && slices.Contains(places[tails], words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}
