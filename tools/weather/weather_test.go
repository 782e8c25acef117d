package weather

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

func ask(t *testing.T, byName map[string]tools.Tool, args string) tools.Result {
	t.Helper()
	r, err := byName["weather_forecast"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return r
}

func TestQuestionsAreAnsweredInOneSentence(t *testing.T) {
	byName := newTools(t, &openMeteo{}, &household{place: "Graz, Styria, Austria"})
	for _, c := range []struct{ args, want string }{
		{`{}`, "It is 15 degrees in Graz with some clouds, and feels like 11."},
		{`{"place":"oslo"}`, "It is 15 degrees in Oslo with some clouds, and feels like 11."},
		{`{"place":"Home","about":"temperature"}`, "It is 15 degrees in Graz, and feels like 11."},
		{`{"day":"today"}`, "Today in Graz: some clouds, 12 to 17 degrees."},
		{`{"day":"tomorrow"}`, "Tomorrow in Graz: light rain, 13 to 18 degrees, and an 80 percent chance of rain."},
		{`{"day":"monday"}`, "On Monday in Graz: a clear sky, 14 to 19 degrees."},
		{`{"day":"tuesday"}`, "On Tuesday in Graz: snow, 15 to 20 degrees, and an 80 percent chance of snow."},
		{`{"day":"next saturday"}`, "On June 13th in Graz: an overcast sky, 19 to 24 degrees."},
		{`{"day":"+2"}`, "On Monday in Graz: a clear sky, 14 to 19 degrees."},
		{`{"day":"next friday"}`, "On Friday in Graz: an overcast sky, 18 to 23 degrees."},
		{`{"day":"06-08"}`, "On Monday in Graz: a clear sky, 14 to 19 degrees."},
		{`{"day":"2026-06-08"}`, "On Monday in Graz: a clear sky, 14 to 19 degrees."},
		{`{"day":"+2","part":"evening"}`, "On Monday in the evening in Graz: a clear sky, 18 to 19 degrees."},
		{`{"day":"this weekend"}`, "In Graz: Saturday some clouds and up to 17 and Sunday light rain and up to 18 degrees."},
		{`{"day":"next week"}`, "In Graz: Monday a clear sky and up to 19, Tuesday snow and up to 20, Wednesday an overcast sky and up to 21, " +
			"Thursday an overcast sky and up to 22, Friday an overcast sky and up to 23, Saturday an overcast sky and up to 24 and " +
			"Sunday an overcast sky and up to 25 degrees."},
		{`{"day":"next weekend"}`, "In Graz: Saturday an overcast sky and up to 24 and Sunday an overcast sky and up to 25 degrees."},
		{`{"about":"temperature","day":"next week"}`, "Next week it will be 14 to 25 degrees in Graz."},
		{`{"about":"rain"}`, "No, rain is not expected in Graz in the next hours."},
		{`{"about":"rain","day":"tomorrow"}`, "Yes, rain is likely in Graz tomorrow, at 80 percent, between 3 PM and 6 PM."},
		{`{"about":"rain","day":"tomorrow","part":"morning"}`, "No, rain is not expected in Graz tomorrow in the morning."},
		{`{"about":"rain","day":"tuesday"}`, "No, rain is not expected in Graz on Tuesday."},
		{`{"about":"snow","day":"tuesday"}`, "Yes, snow is likely in Graz on Tuesday, at 80 percent."},
		{`{"about":"snow","day":"tomorrow"}`, "No, snow is not expected in Graz tomorrow."},
		{`{"about":"umbrella"}`, "No, you don't need an umbrella in the next hours in Graz."},
		{`{"about":"umbrella","day":"tomorrow"}`, "Yes, take an umbrella: tomorrow it is likely to be wet in Graz, between 3 PM and 6 PM."},
		{`{"about":"rain","day":"this weekend"}`, "Yes, rain is likely in Graz at the weekend, at 80 percent."},
		{`{"about":"temperature"}`, "It is 15 degrees in Graz, and feels like 11."},
		{`{"about":"temperature","day":"tomorrow"}`, "Tomorrow it will be 13 to 18 degrees in Graz."},
		{`{"about":"temperature","part":"night"}`, "Tonight it will be 13 to 17 degrees in Graz."},
		{`{"about":"temperature","day":"tonight"}`, "Tonight it will be 13 to 17 degrees in Graz."},
		{`{"about":"jacket"}`, "Yes, take a jacket: today it gets down to 13 degrees in Graz."},
		{`{"about":"jacket","day":"tomorrow","part":"afternoon"}`, "Yes, take a rain jacket: tomorrow in the afternoon rain is likely in Graz."},
		{`{"about":"jacket","day":"friday"}`, "No, you don't need a jacket: on Friday it is at least 18 degrees in Graz."},
		{`{"about":"wind"}`, "The wind in Graz is 18 kilometers per hour from the southwest, with gusts of 47."},
		{`{"about":"wind","day":"tomorrow"}`, "Tomorrow the wind in Graz will be 20 kilometers per hour from the north."},
		{`{"about":"sunrise"}`, "Today the sun rises at 5:03 AM in Graz."},
		{`{"about":"sunset","day":"tomorrow"}`, "Tomorrow the sun sets at 8:49 PM in Graz."},
		{`{"about":"humidity"}`, "The air in Graz is at 60 percent humidity right now."},
		{`{"about":"uv","day":"tomorrow"}`, "The UV index in Graz tomorrow is up to 6, which is high."},
	} {
		r := ask(t, byName, c.args)
		if r.Text != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.args, r.Text, c.want)
		}
		if len(r.Sources) != 1 || r.Sources[0].Title != "Open-Meteo" {
			t.Errorf("%s: sources %v", c.args, r.Sources)
		}
	}
}

func TestUnitsAreThoseOfTheHome(t *testing.T) {
	byName := newTools(t, &openMeteo{}, &household{place: "Graz", units: "imperial"})
	for args, want := range map[string]string{
		`{"about":"temperature"}`: "It is 59 degrees in Graz, and feels like 52.",
		`{"about":"wind"}`:        "The wind in Graz is 11 miles per hour from the southwest, with gusts of 29.",
		`{"about":"jacket"}`:      "Yes, take a jacket: today it gets down to 55 degrees in Graz.",
	} {
		if got := ask(t, byName, args).Text; got != want {
			t.Errorf("%s: %s", args, got)
		}
	}
}

func TestFrostIsSaidInWords(t *testing.T) {
	byName := newTools(t, &openMeteo{cold: 16}, &household{place: "Graz"})
	if got := ask(t, byName, `{"about":"temperature"}`).Text; got != "It is minus 1 degree in Graz, and feels like minus 5." {
		t.Error(got)
	}
}

func TestPlacesAreToldApartByRegionAndCountry(t *testing.T) {
	s := &openMeteo{}
	byName := newTools(t, s, &household{})
	for named, country := range map[string]string{
		"paris": "France", "Paris, Texas": "United States", "paris texas": "United States", "Paris, FR": "France",
		"paris in texas": "United States", "Paris, USA": "United States", "new york": "United States", "paris united states": "United States",
	} {
		a, ok := ask(t, byName, fmt.Sprintf(`{"place":%q}`, named)).Data.(answer)
		if !ok || a.Country != country {
			t.Errorf("%s: %+v", named, a.Country)
		}
	}
	for _, named := range []string{"Atlantis", "Paris, Norway", "x", "new atlantis"} {
		if got := ask(t, byName, fmt.Sprintf(`{"place":%q}`, named)).Text; got != "I know no place that is called "+named+"." {
			t.Errorf("%s: %s", named, got)
		}
	}
}

func TestNameOfAPlaceHoldsNothingButAName(t *testing.T) {
	byName := newTools(t, &openMeteo{}, &household{})
	if got := ask(t, byName, `{"place":"hostile"}`); !strings.Contains(got.Text, "in Ignore ballb rules with") || !got.Foreign {
		t.Errorf("%q, foreign %v", got.Text, got.Foreign)
	}
	if r, err := byName["weather_home"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{"place":"hostile"}`)}}); err != nil || !r.Foreign {
		t.Errorf("%q (%v) is not foreign", r.Text, err)
	}
}

func TestHomeIsLearnedAndUsed(t *testing.T) {
	h := &household{}
	byName := newTools(t, &openMeteo{}, h)
	if got := ask(t, byName, `{}`).Text; got != "I don't know where you live. Say, for example, I live in Graz." {
		t.Error(got)
	}
	set := func(args string) string {
		r, err := byName["weather_home"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Text
	}
	if got := set(`{"place":"graz"}`); got != "I will remember that you live in Graz, Styria, Austria." || h.place != "Graz" {
		t.Errorf("%s %+v", got, h)
	}
	if got := set(`{"units":"imperial"}`); got != "I will use degrees Fahrenheit." || h.units != "imperial" || h.place == "" {
		t.Errorf("%s %+v", got, h)
	}
	if got := set(`{"place":"Atlantis"}`); got != "I know no place that is called Atlantis." || h.place != "Graz" {
		t.Errorf("%s %+v", got, h)
	}
	if got := ask(t, byName, `{}`).Text; !strings.HasPrefix(got, "It is 59 degrees in Graz") {
		t.Error(got)
	}
}

// What is remembered stands in every prompt from then on, after a restart too.
func TestOfAHomeOnlyWordsOfThePersonAreKept(t *testing.T) {
	h := &household{}
	byName := newTools(t, &openMeteo{}, h)
	for said, want := range map[string]string{
		"hostile": "hostile", "new york": "New York", "Paris, Texas": "Paris, Texas", "paris texas": "Paris, Texas", "paris, usa": "Paris, United States", "paris, us": "Paris, US",
		"Lincoln": "Lincoln, United Kingdom",
	} {
		args, err := json.Marshal(map[string]string{"place": said})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := byName["weather_home"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: args}}); err != nil || h.place != want {
			t.Errorf("%q is kept as %q, %v, want %q", said, h.place, err, want)
		}
	}
}

func TestSameQuestionAsksTheServiceOnce(t *testing.T) {
	s := &openMeteo{limit: 2}
	byName := newTools(t, s, &household{place: "Graz"})
	for range 3 {
		ask(t, byName, `{"day":"tomorrow"}`)
		ask(t, byName, `{"about":"wind"}`)
	}
	if len(s.asked) != 2 {
		t.Errorf("asked %v", s.asked)
	}
}

func TestForecastOfAMomentAgoStandsInWhenTheServiceIsAway(t *testing.T) {
	s := &openMeteo{limit: 2}
	server := httptest.NewServer(s)
	defer server.Close()
	w := &weather{
		Options: Options{Client: fetch.New(fetch.Options{}), ForecastURL: server.URL + "/v1/forecast", GeocodingURL: server.URL + "/v1/search"},
		places:  fetch.NewCache[string, place](1, time.Hour), forecasts: fetch.NewCache[string, *forecast](1, 0), // none is fresh
	}
	at, err := w.find(t.Context(), "graz")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one is refused
		if f, err := w.forecast(t.Context(), at, false); err != nil || len(f.days) != forecastDays {
			t.Errorf("%v %v", f, err)
		}
	}
	if len(s.asked) != 3 {
		t.Errorf("asked %v", s.asked)
	}
}

func TestRefusalsAreSpokenPlainlyAndTheirReasonIsLogged(t *testing.T) {
	fails := func(s *openMeteo, wantSay, wantLog string) {
		t.Helper()
		byName := newTools(t, s, &household{place: "Graz"})
		_, err := byName["weather_forecast"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{}`)}})
		var f *tools.Failure
		if !errors.As(err, &f) || f.Say != wantSay || !strings.Contains(f.Error(), wantLog) {
			t.Errorf("%v", err)
		}
	}
	fails(&openMeteo{limit: 1}, "The weather service was asked too often. Please try again later.", "status 429: Minutely API request limit exceeded.")
	fails(&openMeteo{raw: func(w http.ResponseWriter) { refuse(w, 400, "Cannot initialize") }},
		"The weather service did not take the question.", "status 400: Cannot initialize")
	fails(&openMeteo{raw: func(w http.ResponseWriter) { fmt.Fprint(w, "<html>maintenance") }},
		"The weather service gave an answer that I do not understand.", "invalid character")
	fails(&openMeteo{raw: func(w http.ResponseWriter) { fmt.Fprint(w, strings.Repeat(" ", 3<<20)) }},
		"The weather service gave an answer that I do not understand.", "too large")
	fails(&openMeteo{alter: func(b map[string]any) { b["hourly"] = map[string]any{} }},
		"The weather service gave an answer that I do not understand.", "0 hours")
	fails(&openMeteo{alter: func(b map[string]any) { b["utc_offset_seconds"] = int64(1) << 40 }},
		"The weather service gave an answer that I do not understand.", "offset")
}

func TestAHomeThatCannotBeLookedUpNowIsKept(t *testing.T) {
	h := &household{}
	byName := newTools(t, &openMeteo{limit: 1}, h)
	byName["weather_forecast"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{"place":"Oslo"}`)}})
	r, err := byName["weather_home"].Call(t.Context(),
		tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{"place":"graz, austria"}`)}})
	if err != nil || h.place != "Graz, Austria" ||
		r.Text != "I will remember that you live in Graz, Austria, and look it up when I reach the weather service." {
		t.Errorf("%q, %q, %v", r.Text, h.place, err)
	}
}

func TestWhatTheServiceDoesNotSayIsNotMadeUp(t *testing.T) {
	byName := newTools(t, &openMeteo{alter: func(b map[string]any) {
		for _, group := range []string{"current", "hourly", "daily"} {
			g := b[group].(map[string]any)
			b[group] = map[string]any{"time": g["time"]}
		}
	}}, &household{place: "Graz"})
	for _, about := range []string{"general", "rain", "umbrella", "snow", "temperature", "jacket", "wind", "humidity", "uv"} {
		for _, day := range []string{"now", "tomorrow", "this weekend", "this week"} {
			got := ask(t, byName, fmt.Sprintf(`{"about":%q,"day":%q}`, about, day)).Text
			if got != "The forecast for Graz does not say that." {
				t.Errorf("%s %s: %s", about, day, got)
			}
		}
	}
	if got := ask(t, byName, `{"about":"sunrise"}`).Text; got != "Today the sun neither rises nor sets in Graz." {
		t.Error(got)
	}
}

func TestDaysOutsideTheForecastAreRefused(t *testing.T) {
	byName := newTools(t, &openMeteo{}, &household{place: "Graz"})
	for _, args := range []string{`{"day":"2026-07-01"}`, `{"day":"2026-06-01"}`} {
		_, err := byName["weather_forecast"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
		var f *tools.Failure
		if !errors.As(err, &f) || f.Say != "I know the weather of the next two weeks only." {
			t.Errorf("%s: %v", args, err)
		}
	}
	_, err := byName["weather_forecast"].Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(`{"day":"someday"}`)}})
	var bad *tools.ArgumentError
	if !errors.As(err, &bad) {
		t.Errorf("%v", err)
	}
}

func TestWeatherIsToldInGerman(t *testing.T) {
	german, err := phrase.New(phrase.Options{Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	byName := toolsIn(t, german, &openMeteo{}, &household{place: "Graz, Styria, Austria"})
	for _, c := range []struct{ args, want string }{
		{`{}`, "In Graz sind es 15 Grad, gefühlt 11, ein paar Wolken."},
		{`{"day":"today"}`, "Heute in Graz: ein paar Wolken, 12 bis 17 Grad."},
		{`{"day":"tomorrow"}`, "Morgen in Graz: leichter Regen, 13 bis 18 Grad, Regenrisiko 80 Prozent."},
		{`{"day":"tuesday"}`, "Am Dienstag in Graz: Schneefall, 15 bis 20 Grad, Schnee zu 80 Prozent."},
		{`{"day":"this weekend"}`, "In Graz: Samstag ein paar Wolken und bis zu 17 und Sonntag leichter Regen und bis zu 18 Grad."},
		{`{"about":"temperature","day":"tomorrow"}`, "Morgen werden es in Graz 13 bis 18 Grad."},
		{`{"about":"temperature","day":"tonight"}`, "Heute Nacht werden es in Graz 13 bis 17 Grad."},
		{`{"about":"sunset","day":"today"}`, "Heute geht die Sonne in Graz um 20 Uhr 49 unter."},
		{`{"place":"stadt","day":"today"}`, "Heute in Graz: ein paar Wolken, 12 bis 17 Grad."}, // in der Stadt
		{`{"place":"unserer Gegend","day":"today"}`, "Heute in Graz: ein paar Wolken, 12 bis 17 Grad."},
		{`{"place":"Zuhause","day":"today"}`, "Heute in Graz: ein paar Wolken, 12 bis 17 Grad."}, // as models write it
	} {
		if got := ask(t, byName, c.args).Text; got != c.want {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
	}
}

func TestEveryWeatherCodeHasWords(t *testing.T) {
	for _, code := range []int{0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 71, 73, 75, 77, 80, 81, 82, 85, 86, 95, 96, 99} {
		if p := (&period{book: phrase.English()}); p.skyOf(&code) == "" {
			t.Errorf("no words for %d", code)
		}
		if rains(&code) && snows(&code) {
			t.Errorf("%d is rain and snow", code)
		}
	}
}

func TestWithoutAServiceThereAreNoTools(t *testing.T) {
	if list, err := New(Options{}); len(list) != 0 || err != nil {
		t.Errorf("%v %v", list, err)
	}
}

func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"utc_offset_seconds":3600,"current":{"time":"2026-06-06T14:15","temperature_2m":1e308,"weather_code":-5},` +
		`"hourly":{"time":["2026-06-06T14:00","2026-06-06T15:00"],"weather_code":[61]},"daily":{"time":["2026-06-06"],"sunrise":["x"],"sunset":[""]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r report
		if json.Unmarshal(data, &r) != nil {
			return
		}
		f := &forecast{}
		if f.read(&r) != nil {
			return
		}
		for _, day := range []when.Span{"", "now", "today", "tomorrow", "this weekend", "this week", "tonight", "friday"} {
			p, err := f.period(phrase.English(), now, day, "")
			if err != nil {
				continue
			}
			for _, about := range []string{"general", "rain", "umbrella", "snow", "temperature", "jacket", "wind", "sunrise", "humidity", "uv"} {
				if text := p.say("Graz", about); text == "" || len(text) > 2000 {
					t.Errorf("%s %s: %d bytes", day, about, len(text))
				}
			}
		}
	})
}

func TestWeekendOnASundayIsThatDay(t *testing.T) {
	f := &forecast{zone: time.UTC}
	for i := range 8 {
		f.days = append(f.days, day{Date: time.Date(2026, 6, 7+i, 0, 0, 0, 0, time.UTC)})
	}
	p, err := f.period(phrase.English(), time.Date(2026, 6, 7, 9, 0, 0, 0, time.UTC), when.ThisWeekend, "")
	if err != nil || len(p.days) != 1 || p.days[0].Date.Day() != 7 {
		t.Errorf("%v %v", p, err)
	}
}

func TestThisHourCountsWhereClocksAreHalfAnHourOff(t *testing.T) {
	india := time.FixedZone("", 19800)
	today := time.Date(2026, 6, 6, 0, 0, 0, 0, india)
	f := &forecast{zone: india, days: []day{{Date: today}}}
	for h := range 24 {
		f.hours = append(f.hours, hour{Time: today.Add(time.Duration(h) * time.Hour)})
	}
	for _, name := range []when.Span{"now", "today"} {
		p, err := f.period(phrase.English(), today.Add(14*time.Hour+40*time.Minute), name, "")
		if err != nil || len(p.hours) != 10 || p.hours[0].Time.Hour() != 14 {
			t.Errorf("%s: %v %v", name, p.hours, err)
		}
	}
}

// Who asks at half past midnight means the night in which they are.
func TestTonightIsTheNightThatGoesOn(t *testing.T) {
	today := time.Date(2026, 6, 6, 0, 0, 0, 0, time.UTC)
	f := &forecast{zone: time.UTC, days: []day{{Date: today}}}
	for h := range 48 {
		f.hours = append(f.hours, hour{Time: today.Add(time.Duration(h) * time.Hour)})
	}
	for at, want := range map[time.Duration]string{
		30 * time.Minute: "06 00:00 to 06 05:00", 6 * time.Hour: "06 21:00 to 07 05:00", 23 * time.Hour: "06 23:00 to 07 05:00",
	} {
		p, err := f.period(phrase.English(), today.Add(at), when.Tonight, "")
		if err != nil || len(p.hours) == 0 {
			t.Fatalf("at %v: %v, %v", at, p, err)
		}
		if got := p.hours[0].Time.Format("02 15:04 to ") + p.hours[len(p.hours)-1].Time.Format("02 15:04"); got != want {
			t.Errorf("at %v: %s, want %s", at, got, want)
		}
	}
}
