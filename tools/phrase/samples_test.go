package phrase

import "time"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// devices are Args that have a part of a sentence of their own: lamps with their article, several, and one that
// has none.
var (
	room    = Args{"name": "Küche", "small": "Küche", "bare": false, "many": false, "area": nil}
	lamp    = Args{"name": "Stehlampe", "small": "Stehlampe", "bare": false, "many": false, "area": nil}
	shades  = Args{"name": "Rollos", "small": "Rollos", "bare": false, "many": true, "area": nil}
	spot    = Args{"name": "Spot 2", "small": "Spot 2", "bare": true, "many": false, "area": room}
	devices = []any{lamp, shades, spot}
)

// samples are values of the arguments of sentences by name: one name is one thing in all of them,
// but for those of ofFile.
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

	"device": devices, "devices": {[]Args{lamp}, []Args{lamp, spot, shades}}, "area": {room},
	"name": {"Stehlampe"}, "small": {"Stehlampe"}, "bare": {false, true}, "many": {false, true}, "except": {nil, lamp},
	"how": {"grau"}, "state": {"on", "closed", "returning"}, "they": {"Mia kocht"}, "but": {"Mia kocht"}, "text": {"Mia kocht"},
	"value": {"12"}, "unit": {"", "percent"}, "colour": {"", "blue"}, "title": {"", "Yellow"}, "artist": {"", "Mia"}, "mode": {"eco"}, "property": {"Modus"}, "kind": {"light", "switch", "climate"},
	"least": {"5"}, "most": {"30"}, "whole": {"12"}, "digits": {"5"}, "of": {1, 2, 21}, "where": {"", "oben"}, "what": {"Rauch"},
	"alone": {false, true}, "there": {false, true}, "others": {false, true}, "all": {false, true},
	"list": {[]string{"Stehlampe"}, []string{"Stehlampe", "Spot 2"}}, "clauses": {[]string{"Spot 2"}}, "question": {"Spot 2"},
	"call":      {"lock, name: Haustür"},
	"heard":     {"stell einen Timer auf zehn Minuten"},
	"tool":      {"garage"},
	"percent":   {0, 70},
	"titles":    {[]string{"Brot backen"}, []string{"Brot", "Ofen"}},
	"boxes":     {[]string{"Küche"}, []string{"Bad", "Flur"}},
	"calendars": {[]string{"Arbeit"}, []string{"Arbeit", "Familie"}},
	"box":       {"Küche", "Flur", "Box 2"},
}

var (
	appointment = Args{"title": "Zahnarzt", "place": "", "until": nil, "time": noon, "today": noon, "whole": false, "dated": true}
	nameless    = Args{"title": "", "place": "", "until": noon, "time": noon, "today": noon, "whole": true, "dated": false}
)

// ofFile are those of one file, in which a name is another thing.
var ofFile = map[string]map[string][]any{
	"core": {
		"unit":     {"day", "week", "month", "year"},
		"names":    {[]string{}, []string{"Montag"}, []string{"Montag", "Freitag"}},
		"other":    {false, true},
		"workdays": {false, true},
		"weekend":  {false, true},
	},
	"list": {
		"n":       {1, 2, 21},
		"list":    {"shopping", "baumarkt", "packliste"},
		"items":   {[]string{"Milch"}, []string{"Milch", "Brot"}},
		"known":   {[]string{"Eier"}, []string{"Eier", "Tee"}},
		"there":   {[]string{"Reis"}, []string{"Reis", "Mehl"}},
		"missing": {[]string{"Salz"}, []string{"Salz", "Pfeffer"}},
		"lists":   {[]Args{{"list": "shopping", "n": 2}}, []Args{{"list": "shopping", "n": 1}, {"list": "party", "n": 3}}},
	},
	"clock": {
		"time":      {noon, noon.Add(13*time.Hour + 5*time.Minute), noon.AddDate(1, 0, 0)},
		"today":     {noon},
		"from":      {noon, noon.AddDate(1, 0, 3)},
		"days":      {1, 2, 20, 400},
		"left":      {9 * time.Minute, time.Second},
		"place":     {"Tokio"},
		"other_day": {false, true}, "year": {false, true},
		"past": {false, true},
		"week": {1, 47},
	},
	"weather": {
		"place": {"Graz"}, "when": {"jetzt", "morgen", "am Freitag"}, "part": {"morning", "afternoon", "evening", "night"},
		"near": {false, true}, "low": {3.0, 12.0, 1.0}, "high": {12.0, 18.0, -1.0}, "sky": {"", "Nebel"}, "feels": {"", "minus 3"},
		"chance": {0, 40, 80}, "snow": {false, true}, "span": {"", "until", "from", "around", "between"}, "from": {noon},
		"to": {noon.Add(90 * time.Minute)}, "now": {false, true}, "speed": {12.0}, "imperial": {false, true}, "wind": {"", "Norden"},
		"gusts": {"", "50"}, "time": {noon}, "percent": {60}, "index": {0.0, 3.0, 7.0, 8.0, 11.0},
		"forecasts": {[]Args{{"time": noon, "sky": "Nebel", "high": 12.0}}},
	},
	"calendar": {
		"title": {"Zahnarzt"}, "place": {"", "Park"}, "time": {noon, noon.AddDate(0, 0, 3), noon.AddDate(2, 0, 0)}, "today": {noon},
		"whole": {false, true}, "until": {nil, noon}, "dated": {true, false}, "span": {"", "soon", "week", "next week", "weekend", "next weekend", "month", "next month"},
		"part": {"", "morning", "noon", "lunchtime", "afternoon", "evening", "night"}, "days": {0, 1, -1}, "exact": {false, true}, "end": {false, true}, "open": {false, true},
		"events": {[]Args{appointment}, []Args{appointment, nameless}}, "deed": {"delete", "move"}, "repeat": {"", "jeden Montag"},
		"next": {false, true}, "article": {false, true}, "at": {nil, noon}, "on": {nil, noon.AddDate(0, 0, 2)}, "series": {false, true},
		"rest": {false, true}, "name": {"Familie"},
	},
	"search":    {"query": {"Brot"}, "host": {"brot.at"}},
	"knowledge": {"page": {"", "2"}, "section": {"Pflege"}, "query": {"Brot"}},
	"news":      {"source": {"Tagesschau"}, "topic": {"Brot"}},
	"stocks": {
		"closed": {false, true}, "price": {"12,50"}, "currency": {"", "USD", "XYZ"}, "moved": {"", "none", "up", "down"}, "percent": {1.5},
		"n": {10},
	},
	"pubmed": {"title": {"Brot"}, "journal": {"", "Lancet"}, "year": {"", "2024"}, "query": {"Brot"}},
	"calc": {
		"expression": {"", " 12 *  neg 7 ^2  + 3 "}, "result": {"12"}, "about": {false, true}, "mantissa": {"1,27"}, "exponent": {"30"},
	},
	"media": {
		"name": {"FM4"}, "names": {[]string{"FM4"}, []string{"FM4", "Ö1"}}, "title": {"", "Lied"}, "artist": {"", "Mia"},
		"station": {"", "FM4"}, "percent": {60}, "left": {30 * time.Minute, time.Second}, "podcast": {"", "Lage"},
		"stations": {[]string{}, []string{"FM4"}, []string{"FM4", "Ö1"}},
		"sources":  {[]string{}, []string{"Spotify"}, []string{"AirPlay", "Spotify"}},
		"podcasts": {[]string{}, []string{"Lage"}, []string{"Lage", "Sonne"}},
		"tracks":   {0, 1, 1204}, "artists": {1, 80}, "forget": {false, true},
		"country": {"", "Österreich"}, "length": {time.Hour},
	},
	"random": {
		"rolls": {[]string{"4"}, []string{"4", "6"}}, "several": {false, true}, "sum": {10}, "choice": {"Mia"},
	},
	"remember": {
		"about": {"", "Kaffee"}, "more": {0, 12}, "topics": {[]string{"Brot"}, []string{"Brot", "Tee"}}, "place": {"Graz"},
		"left": {[]string{"einer Erinnerung"}, []string{"einem Wecker", "der Einkaufsliste"}},
		"kind": {"timer", "alarm", "reminder", "order"}, "list": {"shopping", "baumarkt"},
	},
	"units": {
		"asked": amounts("cup"), "result": amounts("foot"), "of": {"", "flour"}, "about": {false, true}, "from": {"cup"}, "to": {"inch"},
	},
	"medical": {
		"bmi": {22.9}, "class": {"", "normal", "obesity"}, "area": {1.84}, "by": {"Mosteller", "Du Bois"}, "kg": {73.0},
		"day": {false, true}, "dose": {0.015, 1200.0}, "liquid": {nil, 6.25}, "each": {nil, 500.0}, "capped": {false, true},
		"total": {nil, 600.0}, "rate": {71.0}, "stage": {"3a"}, "potassium": {false, true}, "gap": {-10.0}, "weight": {8.8},
		"moles": {2.2}, "pressure": {93.0}, "score": {4}, "points": {-2.0}, "level": {"likely", "unlikely"}, "what": {"Brot"},
		"low": {2.0}, "high": {500.0}, "value": {900.0},
	},
	"fetch": {
		"service": {"der Wetterdienst"}, "wait": {time.Duration(0), time.Minute},
	},
	"timer": {
		"n":       {2, 5, 2000},
		"kind":    {"timer", "alarm", "reminder", "order"},
		"deed":    {"cancel", "change", "pause", "resume", "restart"},
		"running": {false, true},
		"text":    {"an den Ofen", "Milch kaufen"},
		"label":   {"nudeln", "Brot im Ofen"},
		"length":  {10 * time.Minute, time.Hour + 30*time.Minute, time.Duration(0), time.Minute},
		"left":    {9 * time.Minute, time.Second},
		"paused":  {false, true},
		"mute":    {false, true},
		"only":    {false, true},
		"time":    {noon, noon.Add(13*time.Hour + 5*time.Minute), noon.AddDate(1, 0, 0)},
		"today":   {noon},
		"gone":    {noon.AddDate(0, 0, 1)},
		"repeat":  {"", "jeden Montag"},
		"led":     {true, false},
		"station": {"", "FM4"},
		"timers":  {manyTimers(1), manyTimers(2), manyTimers(5), manyTimers(6)},
	},
}

// amounts are those of a unit, in all ways that they are said.
func amounts(unit string) []any {
	return []any{
		Args{"unit": unit, "words": true, "whole": 1}, Args{"unit": unit, "words": true, "whole": 3},
		Args{"unit": unit, "words": false, "whole": 0, "part": "1/2"}, Args{"unit": unit, "words": false, "whole": 2, "part": "2/3"},
		Args{"unit": unit, "words": false, "whole": 1, "part": "1/2"}, Args{"unit": unit, "words": false, "whole": 0, "part": "1/4"},
		Args{"unit": unit, "words": false, "part": "", "number": 1.0, "less": false},
		Args{"unit": "gas mark", "words": false, "part": "", "number": 0.5, "less": true},
	}
}

// manyTimers are timers, alarms or reminders.
func manyTimers(n int) (list []Args) {
	for i := range n {
		one := Args{"only": false, "today": noon, "kind": "timer", "left": 9 * time.Minute}
		for name, two := range map[string][2]any{
			"label": {"nudeln", ""}, "length": {10 * time.Minute, time.Hour}, "paused": {false, true},
			"time": {noon.Add(time.Hour), noon.AddDate(0, 0, 20)}, "repeat": {"", "jeden Montag"}, "led": {true, false}, "station": {"", "FM4"},
		} {
			one[name] = two[i%2]
		}
		list = append(list, one)
	}
	return list
}
