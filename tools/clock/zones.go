package clock

import (
	_ "embed"
	"strings"
	"time"

	"hearthd/tools/phrase"
)

// places has a time zone of the IANA database per line, and then the places that
// are in it, as people call them.
//
//go:embed zones.txt
var places string

// zoneOf finds the time zone of a place, and the place as it is spelled: from the
// table, or else from the last part of a name in the database of zones.
func zoneOf(place string) (*time.Location, string, bool) {
	want := normal(place)
	if want == "" {
		return nil, "", false
	}
	for line := range strings.Lines(places) {
		zone, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for name := range strings.SplitSeq(names, ", ") {
			if normal(name) == want {
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

// normal is a name as it is compared: letters only, in lower case.
func normal(name string) string {
	words := strings.Fields(strings.ToLower(strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == ',' || r == '/' || r == '\\' || r == '_' {
			return ' '
		}
		return r
	}, name)))
	for len(words) > 1 && words[0] == "the" {
		words = words[1:]
	}
	return strings.Join(words, " ")
}
