package weather

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/rigs/toolstest"
	"hearthd/tools"
)

// manor is a Home Assistant whose weather is as of 2026.2: a forecast that an entity does not have is refused.
type manor struct {
	state     string
	now       map[string]any
	forecasts map[string]string // by kind
	away      bool
}

var errOfHouse = &tools.Failure{Say: "I cannot reach Home Assistant at the moment.", Cause: errors.New("away")}

func (m *manor) Called(domain string) (map[string][]string, error) {
	switch {
	case m.away:
		return nil, errOfHouse
	case domain == "weather" && m.state != "":
		return map[string][]string{"weather.attic": {"Attic"}, "weather.home": {"Forecast <Home>"}}, nil
	}
	return nil, nil
}

func (m *manor) Shown(id string) (string, map[string]any) {
	switch id {
	case "weather.attic":
		return "unavailable", map[string]any{}
	case "weather.home":
		return m.state, m.now
	case "sun.sun":
		return "above_horizon", map[string]any{"next_rising": "2026-06-07T02:52:00+00:00", "next_setting": "2026-06-06T18:51:00+00:00"}
	}
	return "", nil
}

func (m *manor) Do(_ context.Context, action, id string, data map[string]any, into any) error {
	kind, _ := data["type"].(string)
	switch text, has := m.forecasts[kind]; {
	case action != "weather.get_forecasts" || len(data) != 1 || id != "weather.home" || into == nil:
		return fmt.Errorf("%s of %s with %v is refused", action, id, data)
	case !has:
		return fmt.Errorf("weather entity %q does not support %q forecast", id, kind)
	default:
		return json.Unmarshal([]byte(`{"forecast":`+text+`}`), into)
	}
}

// at the manor it is the afternoon of 6 June 2026, a Saturday.
func inManor(t *testing.T, m *manor, o Options) func(args string) string {
	t.Helper()
	o.House, o.Location = m, time.UTC
	o.now = func() time.Time { return time.Date(2026, 6, 6, 14, 20, 0, 0, time.UTC) }
	list, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	named := toolstest.Named(t, list)
	return func(args string) string {
		r, err := named["weather_forecast"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
		var f *tools.Failure
		if errors.As(err, &f) {
			return f.Say
		}
		if err != nil || r.Foreign {
			t.Errorf("%s: %v, foreign %t", args, err, r.Foreign)
		}
		return r.Text
	}
}

var mild = map[string]any{
	"temperature": 15.4, "apparent_temperature": 11.0, "temperature_unit": "°C", "humidity": 62.0, "wind_speed": 5.0,
	"wind_gust_speed": 15.0, "wind_bearing": "NW", "wind_speed_unit": "m/s", "uv_index": 6.2, "supported_features": 3.0,
}

const (
	days = `[{"datetime":"2026-06-06T12:00:00+00:00","condition":"partlycloudy","temperature":17,"templow":9.6,"precipitation_probability":10},
		{"datetime":"2026-06-07T12:00:00+00:00","condition":"snowy-rainy","temperature":8,"templow":1,"precipitation_probability":80,"wind_speed":12,"wind_bearing":90},
		{"datetime":"2026-06-09","condition":"windy","temperature":12,"templow":null}]`
	hours = `[{"datetime":"2026-06-06T14:00:00+00:00","condition":"sunny","temperature":15,"precipitation_probability":0},
		{"datetime":"2026-06-06T15:00:00+00:00","condition":"sunny","temperature":15,"precipitation_probability":0},
		{"datetime":"2026-06-06T16:00:00+00:00","condition":"pouring","temperature":14,"precipitation_probability":70},
		{"datetime":"2026-06-06T17:00:00+00:00","condition":"rainy","temperature":13,"precipitation_probability":65},
		{"datetime":"2026-06-06T18:00:00+00:00","condition":"cloudy","temperature":12,"precipitation_probability":5},
		{"datetime":"soon","condition":"cloudy","temperature":99}]`
)

func TestWeatherOfTheHouseIsToldWhereNoPlaceIsKnown(t *testing.T) {
	m := &manor{state: "partlycloudy", now: mild, forecasts: map[string]string{"daily": days, "hourly": hours}}
	asks := inManor(t, m, Options{Home: &household{}})
	for _, c := range []struct{ args, want string }{
		{`{}`, "It is 15 degrees with some clouds, and feels like 11."},
		{`{"day":"today"}`, "Today: some clouds, 10 to 17 degrees."},
		{`{"day":"tomorrow"}`, "Tomorrow: sleet, 1 to 8 degrees, and an 80 percent chance of snow."},
		{`{"about":"rain"}`, "Yes, rain is likely in the next hours, at 70 percent, between 4 PM and 6 PM."},
		{`{"about":"snow","day":"tomorrow"}`, "Yes, snow is likely tomorrow, at 80 percent."},
		{`{"about":"umbrella","part":"afternoon"}`, "Yes, take an umbrella: this afternoon it is likely to be wet, from 4 PM on."},
		{`{"about":"jacket","day":"tomorrow"}`, "Yes, take a jacket: tomorrow it gets down to 1 degree."},
		{`{"about":"wind"}`, "The wind is 18 kilometers per hour from the northwest, with gusts of 54."},
		{`{"about":"wind","day":"tomorrow"}`, "Tomorrow the wind will be 43 kilometers per hour from the east."},
		{`{"about":"humidity"}`, "The air is at 60 percent humidity right now."},
		{`{"about":"uv"}`, "The UV index today is up to 6, which is high."},
		{`{"about":"sunset"}`, "Today the sun sets at 6:51 PM."},
		{`{"about":"sunrise","day":"tomorrow"}`, "Tomorrow the sun rises at 2:52 AM."},
		{`{"about":"sunrise"}`, "The forecast does not say that."}, // that of today is over
		{`{"day":"this week"}`, "Sunday sleet and up to 8 and Tuesday up to 12 degrees."},
		{`{"day":"monday"}`, "The forecast does not say that."},
		{`{"day":"saturday","part":"morning"}`, "The forecast does not say that."},
		{`{"about":"rain","part":"evening"}`, "The forecast does not say that."}, // of which the end is not told
		{`{"place":"oslo"}`, "I only know the weather here."},
	} {
		if got := asks(c.args); got != c.want {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
	}
	fahrenheit := inManor(t, m, Options{Home: &household{units: "imperial"}})
	if got := fahrenheit(`{}`); got != "It is 60 degrees with some clouds, and feels like 52." {
		t.Error(got)
	}
	if got := fahrenheit(`{"about":"wind"}`); got != "The wind is 11 miles per hour from the northwest, with gusts of 34." {
		t.Error(got)
	}
}

func TestWeatherOfTheHouseWithFewForecasts(t *testing.T) {
	now := map[string]any{"temperature": 59.0, "temperature_unit": "°F", "wind_speed": 5.0, "wind_speed_unit": "furlongs"}
	m := &manor{state: "exceptional", now: now}
	asks := inManor(t, m, Options{Home: &household{}})
	for args, want := range map[string]string{
		`{}`: "It is 15 degrees.", `{"day":"tomorrow"}`: "The forecast does not say that.",
		`{"about":"rain"}`: "The forecast does not say that.", `{"about":"wind"}`: "The forecast does not say that.",
	} {
		if got := asks(args); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	now["supported_features"] = 4.0
	m.forecasts = map[string]string{"twice_daily": `[{"datetime":"2026-06-07T08:00:00Z","is_daytime":true,"condition":"sunny","temperature":68},
		{"datetime":"2026-06-07T20:00:00Z","is_daytime":false,"condition":"lightning","temperature":50}]`}
	if got := asks(`{"day":"tomorrow"}`); got != "Tomorrow: a thunderstorm, 10 to 20 degrees." {
		t.Error(got)
	}
}

func TestAHouseWithoutWeatherIsTold(t *testing.T) {
	for want, m := range map[string]*manor{
		"There is no weather in Home Assistant.":       {},
		"I cannot reach Home Assistant at the moment.": {away: true},
	} {
		if got := inManor(t, m, Options{Home: &household{}})(`{}`); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
