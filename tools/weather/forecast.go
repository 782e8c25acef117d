package weather

import "time"

// forecast is the weather of a place. Times are those of its clock.
type forecast struct {
	zone     *time.Location
	imperial bool
	house    bool // it is of Home Assistant, which does not tell everything
	now      hour
	hours    []hour
	days     []day
}

// hour is the weather at a time. Values that the service did not send are nil.
type hour struct {
	Time        time.Time `json:"time"`
	Temperature *float64  `json:"temperature,omitempty"`
	Feels       *float64  `json:"feels_like,omitempty"`
	Humidity    *float64  `json:"humidity_percent,omitempty"`
	Chance      *float64  `json:"precipitation_percent,omitempty"`
	Code        *int      `json:"weather_code,omitempty"` // of the WMO, see sky
	wind
}

// wind is how fast the air moves and where it comes from.
type wind struct {
	Speed     *float64 `json:"wind,omitempty"`
	Gusts     *float64 `json:"gusts,omitempty"`
	Direction *float64 `json:"wind_degrees,omitempty"`
}

// day is the weather of a day.
type day struct {
	Date   time.Time `json:"date"`
	Code   *int      `json:"weather_code,omitempty"`
	High   *float64  `json:"high,omitempty"`
	Low    *float64  `json:"low,omitempty"`
	Chance *float64  `json:"precipitation_percent,omitempty"`
	wind
	UV      *float64  `json:"uv_index,omitempty"`
	Sunrise time.Time `json:"sunrise,omitzero"` // zero: it does not rise
	Sunset  time.Time `json:"sunset,omitzero"`
}
