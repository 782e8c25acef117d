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

// articles stands beside the zones in places.
const articles = "articles"

// zoneOf finds the time zone of a place, and the place as it is spelled: from the
// table, or else from the last part of a name in the database of zones.
func zoneOf(place string) (*time.Location, string, bool) {
	want := normal(place)
	if want == "" {
		return nil, "", false
	}
	for zone, names := range places {
		for _, name := range names {
			if zone != articles && normal(name) == want {
				if loc, err := time.LoadLocation(zone); err == nil {
					return loc, name, true
				}
			}
		}
	}
	words := strings.Fields(want)
	for i, w := range words {
		words[i] = phrase.Sentence(w)
	}
	for _, area := range []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"} {
		if loc, err := time.LoadLocation(area + "/" + strings.Join(words, "_")); err == nil {
			return loc, strings.Join(words, " "), true
		}
	}
	return nil, "", false
}

// normal is a name as it is compared: letters only, in lower case, without its article.
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
	return strings.Join(words, " ")
}
