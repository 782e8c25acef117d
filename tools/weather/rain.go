package weather

import (
	"time"

	"hearthd/tools/phrase"
)

// falls answers whether it will rain or snow, and whether an umbrella is of use.
func (p *period) falls(about string) (key string, args phrase.Args) {
	is := rains
	switch about {
	case "snow":
		is = snows
	case "umbrella":
		is = func(code *int) bool { return rains(code) || snows(code) }
	}
	args = phrase.Args{"when": p.name, "snow": about == "snow"}
	if p.now != nil && is(p.now.Code) && about != "umbrella" {
		return "weather.falls_now", args
	}
	chance, known := p.chanceOf(is, about == "snow")
	if !known {
		return "", nil
	}
	if p.now != nil {
		args["when"] = p.book.Part("weather.when_hours")
	}
	if p.now != nil && is(p.now.Code) {
		chance = 100
	}
	args["chance"] = percent(chance)
	args["span"], args["from"], args["to"] = p.times(is, chance)
	keys := []string{"weather.falls", "weather.may_fall", "weather.no_fall"}
	if about == "umbrella" {
		keys = []string{"weather.umbrella", "weather.umbrella_maybe", "weather.no_umbrella"}
	}
	switch {
	case chance >= likely:
		return keys[0], args
	case chance >= possible:
		return keys[1], args
	}
	return keys[2], args
}

// chanceOf is the greatest chance of rain, or of snow, in the period. The service has one chance
// for both, so the weather codes tell which is meant.
func (p *period) chanceOf(is func(*int) bool, snow bool) (chance float64, known bool) {
	kind := false
	for _, h := range p.window() {
		known = known || h.Code != nil
		kind = kind || is(h.Code)
	}
	if len(p.hours) == 0 || len(p.days) > 1 {
		for _, d := range p.days {
			known = known || d.Code != nil
			kind = kind || is(d.Code)
		}
	}
	if c := p.chance(); kind && c > 0 {
		return c, known
	}
	switch {
	case kind:
		return likely, known // it is forecast, without a chance
	case snow:
		return 0, known
	}
	for _, h := range p.window() {
		if snows(h.Code) {
			return 0, known // the chance is that of snow
		}
	}
	return p.chance(), known
}

// chance is the greatest chance of rain or snow.
func (p *period) chance() float64 {
	most := 0.0
	for _, h := range p.window() {
		if h.Chance != nil {
			most = max(most, *h.Chance)
		}
	}
	if len(p.hours) > 0 && len(p.days) <= 1 {
		return min(most, 100)
	}
	for _, d := range p.days {
		if d.Chance != nil {
			most = max(most, *d.Chance)
		}
	}
	return min(most, 100)
}

func (p *period) window() []hour {
	if len(p.days) > 1 {
		return nil // for several days the numbers of the days are used
	}
	return p.hours
}

// times says when it rains or snows most: until, from, around or between these times, or with no
// span.
func (p *period) times(is func(*int) bool, chance float64) (span string, begin, end time.Time) {
	from, to := -1, -1
	hours := p.window()
	for i, h := range hours {
		wet := is(h.Code) || h.Chance != nil && *h.Chance >= max(possible, chance*2/3)
		if wet && from < 0 {
			from = i
		}
		if wet {
			to = i
		} else if from >= 0 {
			break
		}
	}
	if chance < possible || from < 0 || from == 0 && to == len(hours)-1 {
		return "", begin, end
	}
	begin = hours[from].Time
	if to < len(hours)-1 {
		end = hours[to+1].Time
	}
	switch {
	case from == 0 && p.now != nil:
		return "until", begin, end
	case to == len(hours)-1:
		return "from", begin, end
	case from == to:
		return "around", begin, end
	}
	return "between", begin, end
}
