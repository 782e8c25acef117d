package weather

import (
	"fmt"

	"hearthd/tools"
)

// falls answers whether it will rain or snow, and whether an umbrella is of use.
func (p *period) falls(place, about string) string {
	is, noun, verb := rains, "rain", "raining"
	if about == "snow" {
		is, noun, verb = snows, "snow", "snowing"
	}
	if about == "umbrella" {
		is = func(code *int) bool { return rains(code) || snows(code) }
	}
	if p.now != nil && is(p.now.Code) && about != "umbrella" {
		return fmt.Sprintf("Yes, it is %s in %s right now.", verb, place)
	}
	chance, known := p.chanceOf(is, about == "snow")
	if !known {
		return ""
	}
	when := p.name
	if p.now != nil {
		when = "in the next hours"
	}
	if p.now != nil && is(p.now.Code) {
		chance = 100
	}
	if about == "umbrella" {
		return umbrella(chance, place, when) + p.times(is, chance)
	}
	at := percent(chance) + " percent" + p.times(is, chance)
	switch {
	case chance >= likely:
		return fmt.Sprintf("Yes, %s is likely in %s %s, at %s", noun, place, when, at)
	case chance >= possible:
		return fmt.Sprintf("Maybe: the chance of %s in %s %s is %s", noun, place, when, at)
	}
	return fmt.Sprintf("No, %s is not expected in %s %s.", noun, place, when)
}

func umbrella(chance float64, place, when string) string {
	switch {
	case chance >= likely:
		return fmt.Sprintf("Yes, take an umbrella: %s it is likely to be wet in %s", when, place)
	case chance >= possible:
		return fmt.Sprintf("An umbrella may be of use: %s it may get wet in %s", when, place)
	}
	return fmt.Sprintf("No, you don't need an umbrella %s in %s", when, place)
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
		return nil // for several days the numbers of the days count
	}
	return p.hours
}

// times says when it rains or snows most, and ends the sentence.
func (p *period) times(is func(*int) bool, chance float64) string {
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
	switch {
	case chance < possible || from < 0 || from == 0 && to == len(hours)-1:
		return "."
	case from == 0 && p.now != nil:
		return fmt.Sprintf(", until %s.", p.clock(hours[to+1].Time))
	case to == len(hours)-1:
		return fmt.Sprintf(", from %s on.", p.clock(hours[from].Time))
	case from == to:
		return fmt.Sprintf(", around %s.", p.clock(hours[from].Time))
	}
	return fmt.Sprintf(", %s.", tools.Join([]string{"between " + p.clock(hours[from].Time), p.clock(hours[to+1].Time)}))
}
