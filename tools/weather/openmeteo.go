package weather

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"hearthd/tools/fetch"
)

const (
	// fresh is how long a forecast is not requested again; the service makes a new one every
	// hour. While it does not answer, one as old as usable will do.
	fresh, usable = 10 * time.Minute, time.Hour

	forecastDays = 15 // today, and all of "next week"
	maxHours     = 24 * forecastDays
	localTime    = "2006-01-02T15:04"
)

// The variables that are requested, by the names of the service.
const (
	currentVars = "temperature_2m,apparent_temperature,relative_humidity_2m,weather_code," + windVars
	hourlyVars  = currentVars + ",precipitation_probability"
	windVars    = "wind_speed_10m,wind_gusts_10m,wind_direction_10m"
	dailyVars   = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max," +
		"wind_speed_10m_max,wind_gusts_10m_max,wind_direction_10m_dominant,uv_index_max,sunrise,sunset"
)

// report is the answer of the service.
type report struct {
	Offset  int `json:"utc_offset_seconds"`
	Current struct {
		Time        string   `json:"time"`
		Temperature *float64 `json:"temperature_2m"`
		Feels       *float64 `json:"apparent_temperature"`
		Humidity    *float64 `json:"relative_humidity_2m"`
		Code        *int     `json:"weather_code"`
		Wind        *float64 `json:"wind_speed_10m"`
		Gusts       *float64 `json:"wind_gusts_10m"`
		Direction   *float64 `json:"wind_direction_10m"`
	} `json:"current"`
	Hourly struct {
		Time        []string   `json:"time"`
		Temperature []*float64 `json:"temperature_2m"`
		Feels       []*float64 `json:"apparent_temperature"`
		Humidity    []*float64 `json:"relative_humidity_2m"`
		Chance      []*float64 `json:"precipitation_probability"`
		Code        []*int     `json:"weather_code"`
		Wind        []*float64 `json:"wind_speed_10m"`
		Gusts       []*float64 `json:"wind_gusts_10m"`
		Direction   []*float64 `json:"wind_direction_10m"`
	} `json:"hourly"`
	Daily struct {
		Time      []string   `json:"time"`
		Code      []*int     `json:"weather_code"`
		High      []*float64 `json:"temperature_2m_max"`
		Low       []*float64 `json:"temperature_2m_min"`
		Chance    []*float64 `json:"precipitation_probability_max"`
		Wind      []*float64 `json:"wind_speed_10m_max"`
		Gusts     []*float64 `json:"wind_gusts_10m_max"`
		Direction []*float64 `json:"wind_direction_10m_dominant"`
		UV        []*float64 `json:"uv_index_max"`
		Sunrise   []string   `json:"sunrise"`
		Sunset    []string   `json:"sunset"`
	} `json:"daily"`
}

// forecast returns the forecast for a place.
func (w *weather) forecast(ctx context.Context, at place, imperial bool) (*forecast, error) {
	q := url.Values{
		"latitude": {strconv.FormatFloat(at.Lat, 'f', 4, 64)}, "longitude": {strconv.FormatFloat(at.Lon, 'f', 4, 64)},
		"current": {currentVars}, "hourly": {hourlyVars}, "daily": {dailyVars},
		"timezone": {"auto"}, "forecast_days": {strconv.Itoa(forecastDays)},
	}
	if imperial {
		q.Set("temperature_unit", "fahrenheit")
		q.Set("wind_speed_unit", "mph")
	}
	key := q.Encode()
	if f, ok := w.forecasts.Get(key); ok {
		return f, nil
	}
	var r report
	f := &forecast{imperial: imperial}
	err := w.ask(ctx, w.ForecastURL+"?"+key, &r)
	if err == nil {
		err = f.read(&r)
	}
	if err != nil {
		if old, age, ok := w.forecasts.Stale(key); ok && age < usable {
			return old, nil
		}
		return nil, err
	}
	w.forecasts.Put(key, f)
	return f, nil
}

// ask asks the service, which says why it refuses: {"error":true,"reason":…}.
func (w *weather) ask(ctx context.Context, at string, v any) error {
	return fetch.WithReason(w.Client.JSON(ctx, fetch.Request{URL: at}, v), "reason")
}

// read converts a report, and refuses one that is inconsistent.
func (f *forecast) read(r *report) error {
	if r.Offset < -24*3600 || r.Offset > 24*3600 {
		return fmt.Errorf("read forecast: offset of %d s", r.Offset)
	}
	f.zone = time.FixedZone("", r.Offset)
	h, d, c := &r.Hourly, &r.Daily, &r.Current
	if len(h.Time) == 0 || len(h.Time) > maxHours || len(d.Time) == 0 || len(d.Time) > forecastDays {
		return fmt.Errorf("read forecast: %d hours and %d days", len(h.Time), len(d.Time))
	}
	now, err := f.at(c.Time)
	if err != nil {
		return err
	}
	f.now = hour{now, c.Temperature, c.Feels, c.Humidity, nil, c.Code, wind{c.Wind, c.Gusts, c.Direction}}
	for i, text := range h.Time {
		at, err := f.at(text)
		if err != nil {
			return err
		}
		f.hours = append(f.hours, hour{
			at, nth(h.Temperature, i), nth(h.Feels, i), nth(h.Humidity, i), nth(h.Chance, i), nth(h.Code, i),
			wind{nth(h.Wind, i), nth(h.Gusts, i), nth(h.Direction, i)},
		})
	}
	for i, text := range d.Time {
		date, err := time.ParseInLocation(time.DateOnly, text, f.zone)
		if err != nil {
			return fmt.Errorf("read forecast: date %.20q", text)
		}
		one := day{
			Date: date, Code: nth(d.Code, i), High: nth(d.High, i), Low: nth(d.Low, i), Chance: nth(d.Chance, i),
			wind: wind{nth(d.Wind, i), nth(d.Gusts, i), nth(d.Direction, i)}, UV: nth(d.UV, i),
		}
		if i < len(d.Sunrise) && i < len(d.Sunset) {
			one.Sunrise, one.Sunset = f.sun(d.Sunrise[i], date), f.sun(d.Sunset[i], date)
		}
		f.days = append(f.days, one)
	}
	return nil
}

func (f *forecast) at(text string) (time.Time, error) {
	t, err := time.ParseInLocation(localTime, text, f.zone)
	if err != nil {
		return t, fmt.Errorf("read forecast: time %.20q", text)
	}
	return t, nil
}

// sun reads when the sun rises or sets on a day. In the polar night the service writes a time
// on another day, or none.
func (f *forecast) sun(text string, date time.Time) time.Time {
	t, err := f.at(text)
	if err != nil || !strings.HasPrefix(text, date.Format(time.DateOnly)) || t.Equal(date) {
		return time.Time{}
	}
	return t
}

func nth[T any](list []*T, i int) *T {
	if i < len(list) {
		return list[i]
	}
	return nil
}
