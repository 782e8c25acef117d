package weather

import (
	"math"
	"slices"

	"hearthd/tools/phrase"
)

const (
	likely, possible = 60.0, 30.0 // percent
	feelsOther       = 3          // degrees by which the felt temperature must differ to be mentioned
	jacketBelow      = 15.0       // degrees Celsius
)

// say answers a question about the period.
func (p *period) say(place, about string) string {
	var key string
	var args phrase.Args
	switch about {
	case "rain", "umbrella", "snow":
		key, args = p.falls(about)
	case "temperature":
		key, args = p.temperature()
	case "jacket":
		key, args = p.jacket()
	case "wind":
		key, args = p.windiness()
	case "sunrise", "sunset":
		key, args = p.sun(about)
	case "humidity":
		key, args = p.humidity()
	case "uv":
		key, args = p.uv()
	default:
		key, args = p.general()
	}
	if key == "" {
		return p.book.Say("weather.silent", phrase.Args{"place": place})
	}
	args["place"] = place
	return p.book.Say(key, args)
}

// general and the functions after it return a key and its arguments; no key: the forecast does not
// say.
func (p *period) general() (key string, args phrase.Args) {
	if p.now != nil {
		return p.currently(p.skyOf(p.now.Code))
	}
	if len(p.days) > 1 {
		var list []phrase.Args
		for _, d := range p.days {
			if sky := p.skyOf(d.Code); d.High != nil {
				list = append(list, phrase.Args{"time": d.Date, "sky": sky, "high": math.Round(*d.High)})
			}
		}
		if len(list) == 0 {
			return "", nil
		}
		return "weather.several", phrase.Args{"forecasts": list}
	}
	low, high, ok := p.extremes()
	if !ok {
		return "", nil
	}
	chance := 0
	if c := p.chance(); c >= possible {
		chance = percent(c)
	}
	snow := slices.ContainsFunc(p.days, func(d day) bool { return snows(d.Code) })
	return "weather.general", phrase.Args{
		"when": p.name, "sky": p.sky(), "low": math.Round(low), "high": math.Round(high), "chance": chance, "snow": snow,
	}
}

// currently is the temperature of now; sky may be empty.
func (p *period) currently(sky string) (key string, args phrase.Args) {
	if p.now.Temperature == nil {
		return "", nil
	}
	feels := ""
	if f := p.now.Feels; f != nil && math.Abs(*f-*p.now.Temperature) >= feelsOther {
		feels = p.book.Decimal(math.Round(*f))
	}
	return "weather.now", phrase.Args{"low": math.Round(*p.now.Temperature), "sky": sky, "feels": feels}
}

// sky is the weather of a day, or of a part of the day the worst of its hours.
func (p *period) sky() string {
	if !p.parted {
		if len(p.days) == 0 {
			return ""
		}
		return p.skyOf(p.days[0].Code)
	}
	var worst *int
	for _, h := range p.hours {
		if p.skyOf(h.Code) != "" && (worst == nil || *h.Code > *worst) {
			worst = h.Code // the greater the code, the worse the weather
		}
	}
	return p.skyOf(worst)
}

func (p *period) temperature() (key string, args phrase.Args) {
	if p.now != nil {
		return p.currently("")
	}
	low, high, ok := p.extremes()
	if !ok {
		return "", nil
	}
	return "weather.temperature", phrase.Args{"when": p.name, "low": math.Round(low), "high": math.Round(high)}
}

func (p *period) jacket() (key string, args phrase.Args) {
	low, _, ok := p.extremes()
	if !ok {
		return "", nil
	}
	bound := jacketBelow
	if p.f.imperial {
		bound = bound*9/5 + 32
	}
	args = phrase.Args{"when": p.day(), "low": math.Round(low)}
	switch {
	case low < bound:
		return "weather.jacket", args
	case p.chance() >= likely:
		return "weather.rain_jacket", args
	}
	return "weather.no_jacket", args
}

// extremes are the lowest and highest temperature of the period.
func (p *period) extremes() (low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	take := func(v *float64) {
		if v != nil {
			low, high, ok = math.Min(low, *v), math.Max(high, *v), true
		}
	}
	if p.parted || p.now != nil {
		for _, h := range p.hours {
			take(h.Temperature)
		}
		return low, high, ok
	}
	for _, d := range p.days {
		take(d.Low)
		take(d.High)
	}
	return low, high, ok
}

// day names the day of the period: now is today.
func (p *period) day() string {
	if p.now != nil {
		return p.book.Part("weather.when_today")
	}
	return p.name
}

// percent is rounded to tens, because forecasts are no more exact.
func percent(v float64) int { return int(math.Round(v/10) * 10) }
