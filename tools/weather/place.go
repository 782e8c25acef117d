package weather

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

// ErrNoPlace is the error of a name that the service does not know.
var ErrNoPlace = errors.New("there is no such place")

// place is a result of the geocoding service.
type place struct {
	Name    string  `json:"name"`
	Lat     float64 `json:"latitude"`
	Lon     float64 `json:"longitude"`
	Region  string  `json:"admin1"`
	Country string  `json:"country"`
	Code    string  `json:"country_code"`
}

// full is the name with region and country, which tell the place from others of the same name.
func (p place) full() string {
	full := p.Name
	for _, more := range []string{p.Region, p.Country} {
		if more != "" && more != p.Name {
			full += ", " + more
		}
	}
	return full
}

// british are the countries with British measures, by their code.
var british = map[string]string{"GB": "United Kingdom", "IE": "Ireland"}

// kept is a name by which find finds the place again. It has only words that the person said,
// because it will be in every prompt, and the service could write anything. said is what
// they called the place.
func (p place) kept(said string) string {
	words := wordsOf(said)
	for short, country := range sameCountry {
		if slices.Contains(words, short) {
			words = append(words, wordsOf(country)...)
		}
	}
	own := func(part string) bool {
		return part != "" && !slices.ContainsFunc(wordsOf(part), func(w string) bool { return !slices.Contains(words, w) })
	}
	var parts []string
	if own(p.Name) {
		for _, part := range []string{p.Name, p.Region, p.Country, p.Code} {
			if own(part) && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	} else { // the service has another name for it
		for part := range strings.SplitSeq(said, ",") {
			parts = append(parts, plainName(part))
		}
	}
	if country := british[p.Code]; country != "" && !slices.Contains(parts, country) {
		parts = append(parts, country)
	}
	return strings.Join(parts, ", ")
}

// capitals gives each word one, if none has any.
func capitals(name string) string {
	if name != strings.ToLower(name) {
		return name
	}
	words := strings.Fields(name)
	for i, w := range words {
		words[i] = phrase.Sentence(w)
	}
	return strings.Join(words, " ")
}

func wordsOf(text string) []string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.FieldsFunc(strings.ToLower(text), between)
}

// sameCountry are names of countries that the service does not use.
var sameCountry = map[string]string{
	"usa": "united states", "america": "united states", "the states": "united states", "uk": "united kingdom",
	"great britain": "united kingdom", "britain": "united kingdom",
	"holland": "netherlands", "the netherlands": "netherlands",
}

// find finds the place that is meant by "Paris", "Paris, Texas" or "paris texas". The service
// searches only for names, so a region or country is compared here.
func (w *weather) find(ctx context.Context, named string) (place, error) {
	key := strings.ToLower(fetch.Line(named, 80))
	if p, ok := w.places.Get(key); ok {
		return p, nil
	}
	name, within, qualified := strings.Cut(key, ",")
	p, err := w.search(ctx, name, strings.Split(within, ","))
	words := strings.Fields(name)
	for n := 1; n <= 2 && n < len(words) && !qualified && errors.Is(err, ErrNoPlace); n++ {
		at := len(words) - n
		name := strings.TrimSuffix(strings.Join(words[:at], " "), " in")
		p, err = w.search(ctx, name, []string{strings.Join(words[at:], " ")})
	}
	if err != nil {
		return p, err
	}
	w.places.Put(key, p)
	return p, nil
}

// Locate tells in full which place is meant by a name, without tools.
func Locate(ctx context.Context, client *fetch.Client, geocodingURL, name string) (string, error) {
	w := &weather{Options: Options{Client: client, GeocodingURL: geocodingURL},
		places: fetch.NewCache[string, place](1, time.Minute)}
	p, err := w.find(ctx, name)
	return p.full(), err
}

// search finds the largest place of a name that lies within the regions or countries.
func (w *weather) search(ctx context.Context, name string, within []string) (place, error) {
	if name = strings.TrimSpace(name); len([]rune(name)) < 2 {
		return place{}, ErrNoPlace // the service wants two letters
	}
	var found struct {
		Results []place `json:"results"`
	}
	q := url.Values{"name": {name}, "count": {"20"}, "language": {"en"}, "format": {"json"}}
	if err := w.ask(ctx, w.GeocodingURL+"?"+q.Encode(), &found); err != nil {
		return place{}, err
	}
	for _, p := range found.Results {
		p.Name, p.Region, p.Country = plainName(p.Name), plainName(p.Region), plainName(p.Country)
		if p.Name != "" && p.Lat >= -90 && p.Lat <= 90 && p.Lon >= -180 && p.Lon <= 180 && p.lies(within) {
			return p, nil
		}
	}
	return place{}, ErrNoPlace
}

// lies reports whether each of the names is the region or country of p.
func (p place) lies(within []string) bool {
	for _, name := range within {
		name = strings.TrimSpace(name)
		if same, ok := sameCountry[name]; ok {
			name = same
		}
		called := []string{"", strings.ToLower(p.Region), strings.ToLower(p.Country), strings.ToLower(p.Code)}
		if !slices.Contains(called, name) {
			return false
		}
	}
	return true
}

// plainName keeps only letters and the like of a name, because it is spoken without a warning.
func plainName(name string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune(" '’-", r) {
			return r
		}
		return -1
	}, fetch.Line(name, 50))), " ")
}
