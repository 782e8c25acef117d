package clock

import (
	"encoding/json"
	"testing"
	"time"
	_ "time/tzdata" // the tests need Berlin whatever the machine has

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

func book(t *testing.T, language string, hour24 bool) *phrase.Book {
	t.Helper()
	b, err := phrase.New(phrase.Options{Language: language, Hour24: hour24})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ask calls the tool named name at an instant of 2026 given in UTC.
func ask(t *testing.T, name, zone, instant string, hour24 bool) tools.Result {
	t.Helper()
	return askWith(t, name, zone, instant, hour24, "{}")
}

func askWith(t *testing.T, name, zone, instant string, hour24 bool, args string) tools.Result {
	t.Helper()
	return askIn(t, "en", name, zone, instant, hour24, args)
}

func askIn(t *testing.T, language, name, zone, instant string, hour24 bool, args string) tools.Result {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	now, err := time.Parse(time.DateTime, instant)
	if err != nil {
		t.Fatal(err)
	}
	made, err := New(Options{Location: location, Book: book(t, language, hour24), now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range made {
		if tool.Spec().Name == name {
			result, err := tool.Call(t.Context(), tools.Call{ToolCall: llm.ToolCall{Arguments: json.RawMessage(args)}})
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
	}
	t.Fatalf("there is no tool %q", name)
	return tools.Result{}
}

func TestTimeIsSaidInTheHouseholdsZone(t *testing.T) {
	cases := []struct {
		zone, instant string
		hour24        bool
		want          string
	}{
		{"Europe/Berlin", "2026-11-20 14:20:00", false, "It's 3:20 PM."},
		{"Europe/Berlin", "2026-07-20 14:20:00", false, "It's 4:20 PM."},
		{"Europe/Berlin", "2026-11-20 14:20:00", true, "It's 15:20."},
		{"UTC", "2026-11-20 00:05:59", false, "It's 12:05 AM."},
		{"UTC", "2026-11-20 00:00:00", true, "It's 00:00."},
		{"UTC", "2026-11-20 15:00:00", false, "It's 3 PM."},
	}
	for _, c := range cases {
		if got := ask(t, "time_now", c.zone, c.instant, c.hour24).Text; got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestDateIsSaidInTheHouseholdsZone(t *testing.T) {
	for instant, want := range map[string]string{
		"2026-11-20 12:00:00": "Today is Friday, November 20th.",
		"2026-11-30 23:30:00": "Today is Tuesday, December 1st.",
		"2026-12-02 12:00:00": "Today is Wednesday, December 2nd.",
		"2026-12-03 12:00:00": "Today is Thursday, December 3rd.",
		"2026-12-11 12:00:00": "Today is Friday, December 11th.",
		"2026-12-22 12:00:00": "Today is Tuesday, December 22nd.",
	} {
		if got := ask(t, "date_today", "Europe/Berlin", instant, false).Text; got != want {
			t.Errorf("%s: %q, want %q", instant, got, want)
		}
	}
}

func TestClockNeedsALocation(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("a clock without a location was made")
	}
}

func TestClockToolsFitTheRegistry(t *testing.T) {
	made, err := New(Options{Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	if err := tools.NewRegistry(phrase.English()).Register(made...); err != nil {
		t.Error(err)
	}
}

func TestDaysAreReckonedWith(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"days_until", `{"day":"12-25"}`, "Thirty-four days until Friday, December 25th."},
		{"days_until", `{"day":"tomorrow"}`, "That is tomorrow."},
		{"days_until", `{"day":"2026-11-21"}`, "That is today."},
		{"days_until", `{"day":"05-03"}`, "163 days until Monday, May 3rd 2027."},
		{"days_until", `{"day":"2026-11-01"}`, "That was twenty days ago, on November 1st."},
		{"days_until", `{"from":"03-01","day":"04-10"}`, "Forty days from March 1st 2027 to April 10th 2027."},
		{"days_until", `{"from":"12-25","day":"today"}`, "Thirty-four days from November 21st to December 25th."},
		{"days_until", `{"from":"10-01","day":"12-01"}`, "Sixty-one days from October 1st 2027 to December 1st 2027."},
		{"time_until", `{"time":"18:00"}`, "Two hours and forty minutes until 6 PM."},
		{"time_until", `{"time":"03:00?"}`, "Eleven hours and forty minutes until 3 AM."},
		{"time_until", `{"time":"12:00"}`, "Twenty hours and forty minutes until 12 PM."},
		{"date_tell", `{"day":"05-03"}`, "May 3rd 2027 is a Monday."},
		{"date_tell", `{"day":"yesterday"}`, "November 20th was a Friday."},
		{"date_tell", `{"day":"+21"}`, "December 12th is a Saturday."},
		{"week_number", `{}`, "It is week 47."},
		{"week_number", `{"day":"01-01"}`, "January 1st 2027 is in week 53."},
		{"time_after", `{"duration_s":5400}`, "It will be 4:50 PM."},
		{"time_after", `{"duration_s":-7200}`, "It was 1:20 PM."},
		{"time_after", `{"duration_s":43200}`, "It will be 3:20 AM tomorrow."},
		{"time_after", `{"duration_s":3600,"from":"18:00"}`, "It will be 7 PM."},
		{"time_now", `{"place":"Tokyo"}`, "It's 11:20 PM in Tokyo."},
		{"time_now", `{"place":"new york"}`, "It's 9:20 AM in New York."},
		{"time_now", `{"place":"auckland"}`, "It's 3:20 AM on Sunday in Auckland."},
		{"time_now", `{"place":"the UK"}`, "It's 2:20 PM in the UK."},
		{"time_now", `{"place":"hollywood california"}`, "It's 6:20 AM in Hollywood."},
		{"time_now", `{"place":"pacific standard time"}`, "It's 6:20 AM in Pacific."},
		{"time_now", `{"place":"Sligo Ireland"}`, "It's 2:20 PM in Sligo."},
		{"time_now", `{"place":"Tokyo","zone":true}`, "It's 11:20 PM in Tokyo. That is eight hours later than here."},
		{"time_now", `{"place":"New York","from":"London","zone":true}`, "It's 9:20 AM in New York. That is five hours earlier than in London."},
		{"time_now", `{"place":"London","from":"Missouri","time":"16:00"}`, "It is then 10 PM in London."},
		{"time_now", `{"from":"India","time":"09:00"}`, "It is then 4:30 AM here."},
		{"time_now", `{"place":"Punta Arenas"}`, "It's 11:20 AM in Punta Arenas."},
		{"time_now", `{"place":"../../etc/passwd"}`, "I don't know the time zone of ../../etc/passwd."},
	} {
		if got := askWith(t, c.tool, "Europe/Berlin", "2026-11-21 14:20:00", false, c.args).Text; got != c.want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}

func TestClockAnswersInGerman(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"time_now", `{}`, "Es ist 15 Uhr 20."},
		{"time_now", `{"place":"auckland"}`, "In Auckland ist es Sonntag, 3 Uhr 20."},
		{"time_now", `{"place":"Tokio","zone":true}`, "In Tokio ist es 23 Uhr 20. Das ist acht Stunden später als hier."},
		{"time_now", `{"place":"Schweiz"}`, "In der Schweiz ist es 15 Uhr 20."},
		{"time_now", `{"place":"Mordor"}`, "Die Zeitzone von Mordor kenne ich nicht."},
		{"date_today", `{}`, "Heute ist Samstag, der einundzwanzigste November."},
		{"date_today", `{"year":true}`, "Heute ist Samstag, der einundzwanzigste November 2026."},
		{"days_until", `{"day":"12-25"}`, "Bis Freitag, den fünfundzwanzigsten Dezember, sind es noch vierunddreißig Tage."},
		{"days_until", `{"day":"tomorrow"}`, "Das ist morgen."},
		{"days_until", `{"day":"2026-11-01"}`, "Das war vor zwanzig Tagen, am ersten November."},
		{"days_until", `{"from":"03-01","day":"04-10"}`, "Vom ersten März 2027 bis zum zehnten April 2027 sind es vierzig Tage."},
		{"time_until", `{"time":"18:00"}`, "Noch zwei Stunden und vierzig Minuten bis 18 Uhr."},
		{"date_tell", `{"day":"05-03"}`, "Der dritte Mai 2027 ist ein Montag."},
		{"date_tell", `{"day":"yesterday"}`, "Der zwanzigste November war ein Freitag."},
		{"week_number", `{}`, "Es ist Kalenderwoche 47."},
		{"week_number", `{"day":"01-01"}`, "Der erste Januar 2027 liegt in Kalenderwoche 53."},
		{"time_after", `{"duration_s":5400}`, "Das ist um 16 Uhr 50."},
		{"time_after", `{"duration_s":-7200}`, "Das war um 13 Uhr 20."},
		{"time_after", `{"duration_s":43200}`, "Das ist morgen um 3 Uhr 20."},
	} {
		if got := askIn(t, "de", c.tool, "Europe/Berlin", "2026-11-21 14:20:00", true, c.args).Text; got != c.want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.args, got, c.want)
		}
	}
}

func TestEveryPlaceHasAZone(t *testing.T) {
	zones := map[string]string{}
	for zone, names := range places {
		if zone == articles || zone == tails {
			continue
		}
		if _, err := time.LoadLocation(zone); err != nil {
			t.Error(err)
		}
		for _, name := range names {
			if other, twice := zones[normal(name)]; normal(name) == "" || twice {
				t.Errorf("%q is in %s and %s", name, zone, other)
			}
			zones[normal(name)] = zone
		}
	}
}
