package weather

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/fetch"
)

// service asks for no key from households, and for its name.
const service = "the weather service"

// home is where persons live; "" is the household.
type home interface {
	// Home gives the place, empty when nobody said one, and whether miles and
	// Fahrenheit are used there.
	Home(ctx context.Context, person string) (place string, imperial bool, err error)
	// SetHome keeps what is not empty; units is metric or imperial.
	SetHome(ctx context.Context, person, place, units string) error
}

// Options says whom to ask. An empty ForecastURL means that there is no weather.
type Options struct {
	Client       *fetch.Client
	ForecastURL  string
	GeocodingURL string
	Home         home
	Hour24       bool             // "15:20" instead of "3:20 PM"
	Now          func() time.Time // nil: time.Now
}

type weather struct {
	Options
	places    *fetch.Cache[string, place]
	forecasts *fetch.Cache[string, *forecast]
}

// New makes the tools; none if there is no service.
func New(o Options) ([]tools.Tool, error) {
	if o.ForecastURL == "" {
		return nil, nil
	}
	if o.Client == nil || o.Home == nil || o.GeocodingURL == "" {
		return nil, errors.New("make weather tools: a client, a home and a geocoding service are needed")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	w := &weather{
		Options: o,
		places:  fetch.NewCache[string, place](64, 24*time.Hour), forecasts: fetch.NewCache[string, *forecast](32, fresh),
	}
	return []tools.Tool{
		tools.CallFunc(llm.ToolSpec{
			Name: "weather_forecast", ReadOnly: true,
			Description: "Tells the weather now or in the next two weeks: temperature, rain, snow, wind, " +
				"sunrise, sunset, humidity, UV.",
		}, w.tell),
		tools.CallFunc(llm.ToolSpec{
			Name: "weather_home", Description: "Remembers where the person lives, or in which units they want the weather.",
		}, w.setHome),
	}, nil
}

// athome are the places that are called so from home.
var athome = map[string]bool{
	"home": true, "here": true, "my home": true, "my house": true, "my place": true, "our house": true, "our place": true, "my town": true,
	"my city": true, "outside": true, "town": true, "this town": true, "my area": true, "our area": true, "the area": true,
}

type question struct {
	Place string `json:"place" max:"80" about:"town, with its country if it may be mistaken; home when it is not given"`
	Day   string `json:"day" max:"20" about:"now, today, tomorrow, weekend, week, a weekday, or a date such as 2026-11-30; now when it is not given"`
	Part  string `json:"part" enum:"morning,afternoon,evening,night"`
	About string `json:"about" enum:"general,rain,umbrella,snow,temperature,jacket,wind,sunrise,sunset,humidity,uv"`
}

// answer is the structured result.
type answer struct {
	Place   string `json:"place"`
	Country string `json:"country,omitempty"`
	Metric  bool   `json:"metric"` // degrees Celsius and km/h, or Fahrenheit and mph
	Now     *hour  `json:"now,omitempty"`
	Days    []day  `json:"days,omitempty"`
	Hours   []hour `json:"hours,omitempty"`
}

func (w *weather) tell(ctx context.Context, c tools.Call, q question) (tools.Result, error) {
	named, imperial, err := w.Home.Home(ctx, c.For.Person)
	if err != nil {
		return tools.Result{}, &tools.Failure{Say: "I cannot get at my memory right now.", Cause: err}
	}
	if place := strings.TrimSpace(q.Place); place != "" && !athome[strings.ToLower(place)] {
		named = place
	}
	if named == "" {
		return tools.Result{Text: "I don't know where you live. Say, for example, I live in Graz."}, nil
	}
	at, err := w.find(ctx, named)
	if errors.Is(err, errNoPlace) {
		return tools.Result{Text: fmt.Sprintf("I know no place that is called %s.", fetch.Line(named, 60))}, nil
	}
	if err != nil {
		return tools.Result{}, fetch.Failure(service, err)
	}
	f, err := w.forecast(ctx, at, imperial)
	if err != nil {
		return tools.Result{}, fetch.Failure(service, err)
	}
	p, err := f.period(w.Now(), q.Day, q.Part)
	if err != nil {
		return tools.Result{}, err
	}
	p.hour24 = w.Hour24
	return tools.Result{
		Text:    p.say(at.Name, q.About),
		Data:    answer{Place: at.Name, Country: at.Country, Metric: !imperial, Now: p.now, Days: p.days, Hours: p.hours},
		Sources: []llm.Source{{Title: "Open-Meteo", URL: "https://open-meteo.com/"}},
		Foreign: true, // the name of the place
	}, nil
}

func (w *weather) setHome(ctx context.Context, c tools.Call, a struct {
	_     struct{} `anyof:"place,units"`
	Place string   `json:"place" min:"2" max:"80" about:"town, with its country"`
	Units string   `json:"units" enum:"metric,imperial"`
}) (tools.Result, error) {
	text := "I will use degrees Celsius."
	if a.Units == "imperial" {
		text = "I will use degrees Fahrenheit."
	}
	if a.Place != "" {
		at, err := w.find(ctx, a.Place)
		if errors.Is(err, errNoPlace) {
			return tools.Result{Text: fmt.Sprintf("I know no place that is called %s.", fetch.Line(a.Place, 60))}, nil
		}
		if err != nil {
			return tools.Result{}, fetch.Failure(service, err)
		}
		a.Place = at.kept(a.Place)
		text = fmt.Sprintf("I will remember that you live in %s.", at.full())
	}
	if err := w.Home.SetHome(ctx, c.For.Person, a.Place, a.Units); err != nil {
		return tools.Result{}, &tools.Failure{Say: "I cannot get at my memory right now.", Cause: err}
	}
	return tools.Result{Text: text, Data: a, Foreign: a.Place != ""}, nil // the name of the place
}
