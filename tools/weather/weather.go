package weather

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hearthd/language"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// home is where persons live; "" is the household.
type home interface {
	// Home gives the place, empty when nobody said one, and whether miles and
	// Fahrenheit are used there.
	Home(ctx context.Context, person string) (place string, imperial bool, err error)
	// SetHome keeps what is not empty; units is metric or imperial.
	SetHome(ctx context.Context, person, place, units string) error
}

// Options says whom to ask. Where home is not known, or ForecastURL is empty, it is the House; without both there is no
// weather.
type Options struct {
	Client       *fetch.Client
	ForecastURL  string
	GeocodingURL string
	Home         home
	House        assistant // nil: there is none
	// Outside tells what a thermometer of the house measures outside; nil, or not ok: there is none.
	Outside  func() (r tools.Result, ok bool)
	Location *time.Location   // of the house; nil: that of this machine
	Book     *phrase.Book     // what is said; nil: in English
	now      func() time.Time // nil: time.Now
}

type weather struct {
	Options
	places    *fetch.Cache[string, place]
	forecasts *fetch.Cache[string, *forecast]
}

// New makes the tools; none if there is no service.
func New(o Options) ([]tools.Tool, error) {
	asks := o.ForecastURL != ""
	if !asks && o.House == nil {
		return nil, nil
	}
	if o.Home == nil || asks && (o.Client == nil || o.GeocodingURL == "") {
		return nil, errors.New("make weather tools: a client, a home and a geocoding service are needed")
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Book == nil {
		o.Book = phrase.English()
	}
	if o.now == nil {
		o.now = time.Now
	}
	w := &weather{
		Options: o,
		places:  fetch.NewCache[string, place](64, 24*time.Hour), forecasts: fetch.NewCache[string, *forecast](32, fresh),
	}
	made := []tools.Tool{
		tools.CallFunc(llm.ToolSpec{
			Name: "weather_forecast", ReadOnly: true,
			Description: "Tells the weather now or in the next two weeks: temperature, rain, snow, wind, " +
				"sunrise, sunset, humidity, UV.",
		}, w.tell),
	}
	if asks {
		made = append(made, tools.CallFunc(llm.ToolSpec{
			Name: "weather_home", Description: "Remembers where the person lives, or in which units they want the weather.",
		}, w.setHome))
	}
	return made, nil
}

// atHome are what people call the place where the house is.
var atHome = language.Words("weather.txt")["home"]

type question struct {
	Place string    `json:"place" max:"80" about:"town, with its country if it may be mistaken; home when it is not given"`
	Day   when.Span `json:"day" about:"2026-11-30, or words: today, tonight, tomorrow, friday, this weekend, this week; leave out for now"`
	Part  string    `json:"part" enum:"morning,afternoon,evening,night"`
	About string    `json:"about" enum:"general,rain,umbrella,snow,temperature,jacket,wind,sunrise,sunset,humidity,uv"`
}

// answer is the structured result.
type answer struct {
	Place   string `json:"place,omitempty"` // empty: the house
	Country string `json:"country,omitempty"`
	Metric  bool   `json:"metric"` // degrees Celsius and km/h, or Fahrenheit and mph
	Now     *hour  `json:"now,omitempty"`
	Days    []day  `json:"days,omitempty"`
	Hours   []hour `json:"hours,omitempty"`
}

func (w *weather) tell(ctx context.Context, c tools.Call, q question) (tools.Result, error) {
	named, imperial, err := w.Home.Home(ctx, c.For.Person)
	if err != nil {
		return tools.Result{}, &tools.Failure{Say: w.Book.Say("tools.forgetful"), Cause: err}
	}
	place := strings.TrimSpace(q.Place)
	elsewhere := place != "" && !slices.Contains(atHome, strings.ToLower(place))
	if now := q.About == "temperature" && q.Day == "" && q.Part == ""; now && !elsewhere && w.Outside != nil {
		if r, ok := w.Outside(); ok {
			return r, nil
		}
	}
	if elsewhere {
		named = place
	}
	switch {
	case w.ForecastURL == "" && elsewhere:
		return tools.Result{Text: w.Book.Say("weather.only_here")}, nil
	case w.House != nil && (named == "" || w.ForecastURL == ""):
		return w.here(ctx, q, imperial)
	case named == "":
		return tools.Result{Text: w.Book.Say("weather.homeless")}, nil
	}
	at, err := w.find(ctx, named)
	if errors.Is(err, ErrNoPlace) {
		return tools.Result{Text: w.Book.Say("weather.no_place", phrase.Args{"place": fetch.Line(named, 60)})}, nil
	}
	if err != nil {
		return tools.Result{}, fetch.Failure(w.Book, w.Book.Part("weather.service"), err)
	}
	f, err := w.forecast(ctx, at, imperial)
	if err != nil {
		return tools.Result{}, fetch.Failure(w.Book, w.Book.Part("weather.service"), err)
	}
	p, err := f.period(w.Book, w.now(), q.Day, q.Part)
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Result{
		Text:    p.say(at.Name, q.About),
		Data:    answer{Place: at.Name, Country: at.Country, Metric: !imperial, Now: p.now, Days: p.days, Hours: p.hours},
		Sources: []llm.Source{{Title: "Open-Meteo", URL: "https://open-meteo.com/"}},
		Foreign: true, // the name of the place
	}, nil
}

// here tells the weather of the house, which has no name.
func (w *weather) here(ctx context.Context, q question, imperial bool) (tools.Result, error) {
	f, err := w.fromHouse(ctx, imperial)
	switch {
	case errors.Is(err, ErrNoPlace) && w.ForecastURL == "":
		return tools.Result{Text: w.Book.Say("weather.none_here")}, nil
	case errors.Is(err, ErrNoPlace):
		return tools.Result{Text: w.Book.Say("weather.homeless")}, nil
	case errors.As(err, new(*tools.Failure)):
		return tools.Result{}, err
	case err != nil:
		return tools.Result{}, fetch.Failure(w.Book, w.Book.Part("weather.service"), err)
	}
	p, err := f.period(w.Book, w.now(), q.Day, q.Part)
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Result{
		Text: p.say("", q.About), Data: answer{Metric: !imperial, Now: p.now, Days: p.days, Hours: p.hours},
		Sources: []llm.Source{{Title: "Home Assistant"}},
	}, nil
}

func (w *weather) setHome(ctx context.Context, c tools.Call, a struct {
	_     struct{} `anyof:"place,units"`
	Place string   `json:"place" min:"2" max:"80" about:"town, with its country"`
	Units string   `json:"units" enum:"metric,imperial"`
}) (tools.Result, error) {
	text := w.Book.Say("weather.units", phrase.Args{"imperial": a.Units == "imperial"})
	if a.Place != "" {
		at, err := w.find(ctx, a.Place)
		if errors.Is(err, ErrNoPlace) {
			return tools.Result{Text: w.Book.Say("weather.no_place", phrase.Args{"place": fetch.Line(a.Place, 60)})}, nil
		}
		if err != nil { // recognisers write no capitals, and no service tells them
			a.Place = capitals(a.Place)
		}
		a.Place = at.kept(a.Place)
		text = w.Book.Say("weather.lives", phrase.Args{"place": at.full()})
		if err != nil { // it is looked up when the weather is asked for
			text = w.Book.Say("weather.lives_unseen", phrase.Args{"place": a.Place})
		}
	}
	if err := w.Home.SetHome(ctx, c.For.Person, a.Place, a.Units); err != nil {
		return tools.Result{}, &tools.Failure{Say: w.Book.Say("tools.forgetful"), Cause: err}
	}
	return tools.Result{Text: text, Data: a, Foreign: a.Place != ""}, nil // the name of the place
}
