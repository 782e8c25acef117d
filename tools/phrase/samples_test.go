package phrase

import "time"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// samples are values of the arguments of sentences by name: one name is one thing in all of them.
var samples = map[string][]any{
	"n":      {1, 2, 11, 21, 103},
	"time":   {noon, noon.Add(13*time.Hour + 5*time.Minute), noon.AddDate(1, 0, 0)},
	"days":   {0, 1, 2, 5, 20, 400, -3},
	"far":    {false, true},
	"hour":   {0, 1, 12, 23},
	"hour12": {1, 12},
	"hour24": {false, true},
	"minute": {0, 5, 59},
	"case":   {"nominative", "dative"},
	"number": {"12"},
	"one":    {"ein"},
	"ten":    {"zwanzig"},
}
