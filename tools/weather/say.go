package weather

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"hearthd/tools"
	"hearthd/tools/when"
)

const (
	likely, possible = 60.0, 30.0 // percent
	feelsOther       = 3          // degrees by which a felt temperature is worth telling
	jacketBelow      = 15.0       // degrees Celsius
	stormy           = 40.0       // km/h at which a wind is called strong: Beaufort 6 begins at 39
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
		text = p.wind(place)
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

// what falls, if something does.
func (p *period) what() string {
	for _, d := range p.days {
		if snows(d.Code) {
			return "snow"
		}
	}
	return "rain"
}

// sky is the weather of a day, or the most telling one of its hours.
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
	day := p.name
	if p.now != nil {
		day = "today"
	}
	switch {
	case low < bound:
		return fmt.Sprintf("Yes, take a jacket: %s it gets down to %s in %s.", day, degrees(low), place)
	case p.chance() >= likely:
		return fmt.Sprintf("Yes, take a rain jacket: %s rain is likely in %s.", day, place)
	}
	return fmt.Sprintf("No, you don't need a jacket: %s it is at least %s in %s.", day, degrees(low), place)
}

// extremes gives the lowest and highest temperature of the period.
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

func (p *period) wind(place string) string {
	var speed, gusts, from *float64
	verb := "will be"
	switch {
	case p.now != nil:
		speed, gusts, from, verb = p.now.Wind, p.now.Gusts, p.now.Direction, "is"
	case p.parted:
		for _, h := range p.hours {
			if h.Wind != nil && (speed == nil || *h.Wind > *speed) {
				speed, gusts, from = h.Wind, h.Gusts, h.Direction
			}
		}
	default:
		for _, d := range p.days {
			if d.Wind != nil && (speed == nil || *d.Wind > *speed) {
				speed, gusts, from = d.Wind, d.Gusts, d.Direction
			}
		}
	}
	if speed == nil {
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
	text := fmt.Sprintf("%s wind in %s %s %s %s per hour", begin, place, verb, number(*speed), unit)
	if from != nil {
		text += " from the " + compass(*from)
	}
	if gusts != nil && *gusts >= strong && *gusts > *speed*1.2 {
		text += fmt.Sprintf(", with gusts of %s", number(*gusts))
	}
	return text + "."
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
	day := "today"
	if p.now == nil {
		day = p.name
	}
	if at.IsZero() {
		return fmt.Sprintf("%s the sun neither rises nor sets in %s.", tools.Sentence(day), place)
	}
	return fmt.Sprintf("%s the sun %s at %s in %s.", tools.Sentence(day), verb, p.clock(at), place)
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

// uv says the index in the steps of the WHO ("Global Solar UV Index", 2002).
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
	day := "today"
	if p.now == nil {
		day = p.name
	}
	return fmt.Sprintf("The UV index in %s %s is up to %s, which is %s.", place, day, number(v), level)
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

// percent is rounded to tens: a forecast is not surer than that.
func percent(v float64) string { return strconv.Itoa(int(math.Round(v/10) * 10)) }

func compass(from float64) string {
	names := strings.Fields("north northeast east southeast south southwest west northwest")
	return names[int(math.Round(math.Mod(math.Mod(from, 360)+360, 360)/45))%8]
}
