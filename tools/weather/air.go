package weather

import (
	"math"
	"strings"

	"hearthd/tools/phrase"
)

// stormy is the speed in km/h from which on gusts are mentioned: Beaufort 6 begins at 39.
const stormy = 40.0

func (p *period) windiness() (key string, args phrase.Args) {
	var w wind
	switch {
	case p.now != nil:
		w = p.now.wind
	case p.parted:
		for _, h := range p.hours {
			w = stronger(w, h.wind)
		}
	default:
		for _, d := range p.days {
			w = stronger(w, d.wind)
		}
	}
	if w.Speed == nil {
		return "", nil
	}
	strong := stormy
	if p.f.imperial {
		strong = stormy / 1.609344
	}
	from, gusts := "", ""
	if w.Direction != nil {
		from = compass(strings.Fields(p.book.Part("weather.winds")), *w.Direction)
	}
	if w.Gusts != nil && *w.Gusts >= strong && *w.Gusts > *w.Speed*1.2 {
		gusts = p.book.Decimal(math.Round(*w.Gusts))
	}
	return "weather.wind", phrase.Args{
		"when": p.name, "now": p.now != nil, "speed": math.Round(*w.Speed), "imperial": p.f.imperial, "wind": from,
		"gusts": gusts,
	}
}

func stronger(a, b wind) wind {
	if b.Speed != nil && (a.Speed == nil || *b.Speed > *a.Speed) {
		return b
	}
	return a
}

func (p *period) sun(about string) (key string, args phrase.Args) {
	if len(p.days) == 0 {
		return "", nil
	}
	at, key := p.days[0].Sunrise, "weather.sunrise"
	if about == "sunset" {
		at, key = p.days[0].Sunset, "weather.sunset"
	}
	if at.IsZero() && p.f.house { // it tells only what comes next
		return "", nil
	}
	if at.IsZero() {
		key = "weather.no_sun"
	}
	return key, phrase.Args{"when": p.day(), "time": at}
}

func (p *period) humidity() (key string, args phrase.Args) {
	h := p.now
	if h == nil && len(p.hours) > 0 {
		h = &p.hours[len(p.hours)/2]
	}
	if h == nil || h.Humidity == nil {
		return "", nil
	}
	return "weather.humidity", phrase.Args{"when": p.name, "now": p.now != nil, "percent": percent(*h.Humidity)}
}

func (p *period) uv() (key string, args phrase.Args) {
	if len(p.days) == 0 || p.days[0].UV == nil {
		return "", nil
	}
	return "weather.uv", phrase.Args{"when": p.day(), "index": math.Round(*p.days[0].UV)}
}

// compass picks one of the names of eight winds, beginning with north.
func compass(names []string, from float64) string {
	return names[int(math.Round(math.Mod(math.Mod(from, 360)+360, 360)/45))%8]
}
