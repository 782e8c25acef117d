package weather

import (
	"fmt"
	"math"
	"strings"

	"hearthd/tools"
)

// stormy is the speed in km/h from which on gusts are told: Beaufort 6 begins at 39.
const stormy = 40.0

func (p *period) windiness(place string) string {
	var w wind
	verb := "will be"
	switch {
	case p.now != nil:
		w, verb = p.now.wind, "is"
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
		return ""
	}
	unit, strong := "kilometers", stormy
	if p.f.imperial {
		unit, strong = "miles", stormy/1.609344
	}
	begin := "The"
	if p.now == nil {
		begin = tools.Sentence(p.name) + " the"
	}
	text := fmt.Sprintf("%s wind in %s %s %s %s per hour", begin, place, verb, number(*w.Speed), unit)
	if w.Direction != nil {
		text += " from the " + compass(*w.Direction)
	}
	if w.Gusts != nil && *w.Gusts >= strong && *w.Gusts > *w.Speed*1.2 {
		text += fmt.Sprintf(", with gusts of %s", number(*w.Gusts))
	}
	return text + "."
}

func stronger(a, b wind) wind {
	if b.Speed != nil && (a.Speed == nil || *b.Speed > *a.Speed) {
		return b
	}
	return a
}

func (p *period) sun(place, about string) string {
	if len(p.days) == 0 {
		return ""
	}
	d := p.days[0]
	at, verb := d.Sunrise, "rises"
	if about == "sunset" {
		at, verb = d.Sunset, "sets"
	}
	if at.IsZero() {
		return fmt.Sprintf("%s the sun neither rises nor sets in %s.", tools.Sentence(p.day()), place)
	}
	return fmt.Sprintf("%s the sun %s at %s in %s.", tools.Sentence(p.day()), verb, p.clock(at), place)
}

func (p *period) humidity(place string) string {
	h := p.now
	if h == nil && len(p.hours) > 0 {
		h = &p.hours[len(p.hours)/2]
	}
	if h == nil || h.Humidity == nil {
		return ""
	}
	verb := "is"
	if p.now == nil {
		verb = "will be"
	}
	return fmt.Sprintf("The air in %s %s at %s percent humidity %s.", place, verb, percent(*h.Humidity), p.name)
}

// uv tells the index with the levels of the WHO ("Global Solar UV Index", 2002).
func (p *period) uv(place string) string {
	if len(p.days) == 0 || p.days[0].UV == nil {
		return ""
	}
	v := math.Round(*p.days[0].UV)
	level := "extreme"
	switch {
	case v < 3:
		level = "low"
	case v < 6:
		level = "moderate"
	case v < 8:
		level = "high"
	case v < 11:
		level = "very high"
	}
	return fmt.Sprintf("The UV index in %s %s is up to %s, which is %s.", place, p.day(), number(v), level)
}

func compass(from float64) string {
	names := strings.Fields("north northeast east southeast south southwest west northwest")
	return names[int(math.Round(math.Mod(math.Mod(from, 360)+360, 360)/45))%8]
}
