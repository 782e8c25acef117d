package weather

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"hearthd/tools"
	"hearthd/tools/when"
)

const (
	likely, possible = 60.0, 30.0 // percent
	feelsOther       = 3          // degrees by which the felt temperature must differ to be told
	jacketBelow      = 15.0       // degrees Celsius
)

// say answers a question about the period.
func (p *period) say(place, about string) string {
	var text string
	switch about {
	case "rain", "umbrella", "snow":
		text = p.falls(place, about)
	case "temperature":
		text = p.temperature(place)
	case "jacket":
		text = p.jacket(place)
	case "wind":
		text = p.windiness(place)
	case "sunrise", "sunset":
		text = p.sun(place, about)
	case "humidity":
		text = p.humidity(place)
	case "uv":
		text = p.uv(place)
	default:
		text = p.general(place)
	}
	if text == "" {
		return fmt.Sprintf("The forecast for %s does not say that.", place)
	}
	return text
}

func (p *period) general(place string) string {
	if p.now != nil {
		if p.now.Temperature == nil {
			return ""
		}
		text := fmt.Sprintf("It is %s in %s", degrees(*p.now.Temperature), place)
		if s := skyOf(p.now.Code); s != "" {
			text += " with " + s
		}
		return text + p.feels() + "."
	}
	if len(p.days) > 1 {
		var list []string
		for _, d := range p.days {
			if d.High != nil && skyOf(d.Code) != "" {
				list = append(list, fmt.Sprintf("%s %s and up to %s", d.Date.Weekday(), skyOf(d.Code), number(*d.High)))
			}
		}
		if len(list) == 0 {
			return ""
		}
		return fmt.Sprintf("In %s: %s degrees.", place, tools.Join(list))
	}
	low, high, ok := p.extremes()
	if !ok {
		return ""
	}
	text := fmt.Sprintf("%s in %s: ", tools.Sentence(p.name), place)
	if s := p.sky(); s != "" {
		text += s + ", "
	}
	text += between(low, high)
	if c := p.chance(); c >= possible {
		article := "a"
		if percent(c) == "80" {
			article = "an"
		}
		text += fmt.Sprintf(", and %s %s percent chance of %s", article, percent(c), p.what())
	}
	return text + "."
}

// what is rain or snow.
func (p *period) what() string {
	for _, d := range p.days {
		if snows(d.Code) {
			return "snow"
		}
	}
	return "rain"
}

// sky is the weather of a day, or of a part of the day the worst of its hours.
func (p *period) sky() string {
	if !p.parted {
		if len(p.days) == 0 {
			return ""
		}
		return skyOf(p.days[0].Code)
	}
	worst := -1
	for _, h := range p.hours {
		if h.Code != nil && sky[*h.Code] != "" {
			worst = max(worst, *h.Code) // the greater, the more it matters
		}
	}
	return sky[worst]
}

func (p *period) feels() string {
	if p.now.Feels == nil || p.now.Temperature == nil {
		return ""
	}
	if math.Abs(*p.now.Feels-*p.now.Temperature) < feelsOther {
		return ""
	}
	return ", and feels like " + number(*p.now.Feels)
}

func (p *period) temperature(place string) string {
	if p.now != nil {
		if p.now.Temperature == nil {
			return ""
		}
		return fmt.Sprintf("It is %s in %s%s.", degrees(*p.now.Temperature), place, p.feels())
	}
	low, high, ok := p.extremes()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s it will be %s in %s.", tools.Sentence(p.name), between(low, high), place)
}

func (p *period) jacket(place string) string {
	low, _, ok := p.extremes()
	if !ok {
		return ""
	}
	bound := jacketBelow
	if p.f.imperial {
		bound = bound*9/5 + 32
	}
	day := p.day()
	switch {
	case low < bound:
		return fmt.Sprintf("Yes, take a jacket: %s it gets down to %s in %s.", day, degrees(low), place)
	case p.chance() >= likely:
		return fmt.Sprintf("Yes, take a rain jacket: %s rain is likely in %s.", day, place)
	}
	return fmt.Sprintf("No, you don't need a jacket: %s it is at least %s in %s.", day, degrees(low), place)
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
		return "today"
	}
	return p.name
}

func (p *period) clock(t time.Time) string { return when.SayTime(t, p.hour24) }

// number says a whole number; "minus" because voices swallow the sign.
func number(v float64) string {
	n := int(math.Round(v))
	if n < 0 {
		return "minus " + strconv.Itoa(-n)
	}
	return strconv.Itoa(n)
}

func degrees(v float64) string {
	if math.Abs(math.Round(v)) == 1 {
		return number(v) + " degree"
	}
	return number(v) + " degrees"
}

func between(low, high float64) string {
	if math.Round(low) == math.Round(high) {
		return degrees(low)
	}
	return number(low) + " to " + degrees(high)
}

// percent is rounded to tens, because forecasts are no more exact.
func percent(v float64) string { return strconv.Itoa(int(math.Round(v/10) * 10)) }
