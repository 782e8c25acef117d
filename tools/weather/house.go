package weather

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// assistant is a Home Assistant, whose errors have sentences for people.
type assistant interface {
	// Called gives the names of the entities of a domain, by their IDs.
	Called(domain string) (map[string][]string, error)
	// Shown gives the state and the attributes of one.
	Shown(id string) (state string, attributes map[string]any)
	// Do calls an action of one, and decodes what it responds with.
	Do(ctx context.Context, action, id string, data map[string]any, into any) error
}

// conditions are the weather codes (see sky) of what Home Assistant calls the weather
// (developers.home-assistant.io/docs/core/entity/weather). Of windy and exceptional only the numbers are told.
var conditions = map[string]int{
	"clear-night": 0, "sunny": 0, "partlycloudy": 2, "cloudy": 3, "windy-variant": 3, "fog": 45, "rainy": 63,
	"pouring": 65, "snowy-rainy": 68, "snowy": 73, "hail": 89, "lightning": 95, "lightning-rainy": 95,
}

// kinds are the forecasts of Home Assistant, with the features that say which an entity has.
var kinds = []struct {
	name    string
	feature int
}{{"daily", 1}, {"hourly", 2}, {"twice_daily", 4}}

// reading is the weather at a time, as Home Assistant tells it.
type reading map[string]any

// fromHouse is the weather of the first entity of Home Assistant that has one. The error is ErrNoPlace if there is
// none.
func (w *weather) fromHouse(ctx context.Context, imperial bool) (*forecast, error) {
	all, err := w.House.Called("weather")
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if state, now := w.House.Shown(id); state != "unavailable" && state != "unknown" && state != "" {
			now = maps.Clone(now)
			now["condition"] = state
			return w.tellOf(ctx, id, now, imperial)
		}
	}
	return nil, ErrNoPlace
}

// tellOf asks for what the weather of an entity will be.
func (w *weather) tellOf(ctx context.Context, id string, now reading, imperial bool) (*forecast, error) {
	u := units{now.text("temperature_unit"), now.text("wind_speed_unit"), imperial}
	f := &forecast{zone: w.Location, imperial: imperial, house: true}
	f.now = u.hour(w.now().In(f.zone), now)
	features := now.number("supported_features")
	told := map[string][]reading{}
	for _, k := range kinds {
		if features == nil || int(*features)&k.feature == 0 || k.name == "twice_daily" && len(told) > 0 {
			continue
		}
		var out struct{ Forecast []reading }
		if err := w.House.Do(ctx, "weather.get_forecasts", id, map[string]any{"type": k.name}, &out); err != nil {
			return nil, err
		}
		if len(out.Forecast) > 0 {
			told[k.name] = out.Forecast[:min(len(out.Forecast), maxHours)]
		}
	}
	for _, r := range told["hourly"] {
		if at, ok := r.at("datetime", f.zone); ok {
			f.hours = append(f.hours, u.hour(at, r))
		}
	}
	daily := told["daily"]
	if len(daily) == 0 {
		daily = slices.Concat(told["hourly"], told["twice_daily"])
	}
	f.days = f.grouped(u, daily)
	if f.days[0].UV == nil {
		f.days[0].UV = now.number("uv_index")
	}
	f.sunFrom(w.House)
	return f, nil
}

// grouped makes days of readings: from today on, one after the other, those of which nothing is told too.
func (f *forecast) grouped(u units, list []reading) []day {
	first := f.now.Time
	days := []day{{Date: time.Date(first.Year(), first.Month(), first.Day(), 0, 0, 0, 0, f.zone)}}
	for _, r := range list {
		at, ok := r.at("datetime", f.zone)
		if !ok || at.Before(days[0].Date) || at.After(days[0].Date.AddDate(0, 0, forecastDays)) {
			continue
		}
		i := slices.IndexFunc(days, func(d day) bool { return at.Before(d.Date.AddDate(0, 0, 1)) })
		for i < 0 {
			days = append(days, day{Date: days[len(days)-1].Date.AddDate(0, 0, 1)})
			if at.Before(days[len(days)-1].Date.AddDate(0, 0, 1)) {
				i = len(days) - 1
			}
		}
		days[i].take(u, r)
	}
	return days
}

// take adds a reading to its day: of several the worst weather, and the extremes.
func (d *day) take(u units, r reading) {
	h := u.hour(d.Date, r)
	low := cmp.Or(u.degrees(r.number("templow")), h.Temperature)
	d.High, d.Low = most(d.High, h.Temperature, 1), most(d.Low, low, -1)
	d.Chance, d.UV = most(d.Chance, h.Chance, 1), most(d.UV, r.number("uv_index"), 1)
	d.wind = stronger(d.wind, h.wind)
	if d.Code == nil || h.Code != nil && *h.Code > *d.Code {
		d.Code = h.Code
	}
}

// most is the greater of two values, or with a sign of -1 the smaller; nil: not known.
func most(a, b *float64, sign float64) *float64 {
	if a == nil || b != nil && *b*sign > *a*sign {
		return b
	}
	return a
}

// sunFrom takes when the sun rises and sets next.
func (f *forecast) sunFrom(house assistant) {
	_, told := house.Shown("sun.sun")
	rise, rises := reading(told).at("next_rising", f.zone)
	set, sets := reading(told).at("next_setting", f.zone)
	for i := range f.days {
		end := f.days[i].Date.AddDate(0, 0, 1)
		if rises && rise.Before(end) && !rise.Before(f.days[i].Date) {
			f.days[i].Sunrise = rise
		}
		if sets && set.Before(end) && !set.Before(f.days[i].Date) {
			f.days[i].Sunset = set
		}
	}
}

func (r reading) text(key string) string {
	t, _ := r[key].(string)
	return t
}

// number is a value, or nil.
func (r reading) number(key string) *float64 {
	switch v := r[key].(type) {
	case float64:
		return &v
	case json.Number:
		if n, err := v.Float64(); err == nil {
			return &n
		}
	}
	return nil
}

// at is a time. One without a zone is of the home; a day is its noon.
func (r reading) at(key string, zone *time.Location) (time.Time, bool) {
	text := r.text(key)
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.In(zone), true
	}
	if t, err := time.ParseInLocation("2006-01-02T15:04:05", text, zone); err == nil {
		return t, true
	}
	t, err := time.ParseInLocation(time.DateOnly, text, zone)
	return t.Add(12 * time.Hour), err == nil
}

// units are those of a Home Assistant, and whether miles and Fahrenheit are wanted.
type units struct {
	temperature, speed string
	imperial           bool
}

// hour reads what is told of a time.
func (u units) hour(at time.Time, r reading) hour {
	h := hour{
		Time: at, Temperature: u.degrees(r.number("temperature")), Feels: u.degrees(r.number("apparent_temperature")),
		Humidity: r.number("humidity"), Chance: r.number("precipitation_probability"),
		wind: wind{u.fast(r.number("wind_speed")), u.fast(r.number("wind_gust_speed")), r.bearing()},
	}
	if code, ok := conditions[r.text("condition")]; ok {
		h.Code = &code
	}
	return h
}

// points are the winds by their letters, from the north on.
var points = []string{"N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW",
	"NNW"}

// bearing is where the wind comes from, in degrees, which some write in letters.
func (r reading) bearing() *float64 {
	if i := slices.Index(points, strings.ToUpper(r.text("wind_bearing"))); i >= 0 {
		degrees := 360 * float64(i) / float64(len(points))
		return &degrees
	}
	return r.number("wind_bearing")
}

// degrees converts a temperature.
func (u units) degrees(v *float64) *float64 {
	if v == nil {
		return nil
	}
	c := *v
	switch u.temperature {
	case "°F":
		c = (c - 32) * 5 / 9
	case "K":
		c -= 273.15
	}
	if u.imperial {
		c = c*9/5 + 32
	}
	return &c
}

// speeds are units in km/h.
var speeds = map[string]float64{"km/h": 1, "mph": 1.609344, "m/s": 3.6, "kn": 1.852, "ft/s": 1.09728}

// fast converts a speed; one in a unit that is not known is not known.
func (u units) fast(v *float64) *float64 {
	of, known := speeds[u.speed]
	if v == nil || !known {
		return nil
	}
	s := *v * of
	if u.imperial {
		s /= speeds["mph"]
	}
	return &s
}
