package when_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the tests need Berlin whatever the machine has

	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	f, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTimesOfDayAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]when.Clock{
		"19:30": {19, 30, false}, "07:30": {7, 30, false}, "07:30?": {7, 30, true}, "12:00?": {12, 0, true}, "00:10": {0, 10, false},
		"07:30:00": {7, 30, false}, "10:00": {10, 0, false},
	} {
		var got when.Clock
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want || got.String() != strings.TrimSuffix(text, ":00") && text != "10:00" {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "soon", "25:00", "07:61", "7:30", "7", "half past seven", "19:30?", "00:30?", "07:30:01", "7 pm"} {
		var got when.Clock
		if err := got.UnmarshalText([]byte(text)); !errors.Is(err, when.ErrTime) {
			t.Errorf("%q is %v (%v)", text, got, err)
		}
	}
}

func TestAnOpenTimeIsTheNextOfTheTwo(t *testing.T) {
	seven := when.Clock{Hour: 7, Open: true}
	for now, want := range map[string]string{
		"2026-11-21 06:00": "2026-11-21 07:00", "2026-11-21 07:00": "2026-11-21 19:00",
		"2026-11-21 12:00": "2026-11-21 19:00", "2026-11-21 19:30": "2026-11-22 07:00",
	} {
		if got := seven.After(at(t, now)); !got.Equal(at(t, want)) {
			t.Errorf("seven after %s is %v, want %s", now, got, want)
		}
	}
	if got := (when.Clock{Hour: 12, Open: true}).After(at(t, "2026-11-21 13:00")); !got.Equal(at(t, "2026-11-22 00:00")) {
		t.Errorf("twelve in the afternoon is next at %v", got)
	}
	if got := seven.On(at(t, "2026-11-22 00:00"), 8); !got.Equal(at(t, "2026-11-22 19:00")) {
		t.Errorf("seven from eight on is %v", got)
	}
}

func TestDaysAreReadAsTheyAreWritten(t *testing.T) {
	today := at(t, "2026-11-21 15:00") // a Saturday
	for text, want := range map[when.Day]string{
		"today": "2026-11-21", "tomorrow": "2026-11-22", "yesterday": "2026-11-20", "+2": "2026-11-23", "-2": "2026-11-19", "+14": "2026-12-05",
		"friday": "2026-11-27", "saturday": "2026-11-21", "next friday": "2026-11-27", "next saturday": "2026-11-28", "next tuesday": "2026-11-24",
		"last friday": "2026-11-20", "last saturday": "2026-11-14", "this weekend": "2026-11-21", "next weekend": "2026-11-28",
		"next week": "2026-11-28", "next month": "2026-12-21", "next year": "2027-11-21", "14 days from friday": "2026-12-11",
		"7 days from tomorrow": "2026-11-29", "7 days from 12-25": "2027-01-01", "2 days before 12-25": "2026-12-23", "2 months from today": "2027-01-21",
		"1 months before 12-25": "2026-11-25", "2027-05-03": "2027-05-03", "05-03": "2027-05-03", "12-25": "2026-12-25", "02-29": "2028-02-29",
		"day 25": "2026-11-25", "day 31": "2026-12-31", "day 1": "2026-12-01", "easter": "2027-03-28", "easter -2": "2027-03-26", "easter +1": "2027-03-29",
		"thanksgiving": "2026-11-26", "mother's day": "2027-05-09", "father's day": "2027-06-20", "7 days before easter": "2027-03-21",
		"tuesday 3 06": "2027-06-15", "friday -1 12": "2026-12-25", "monday 5 11": "2026-11-30", "2018 easter": "2018-04-01", "2030 12-25": "2030-12-25",
	} {
		var d when.Day
		if err := d.UnmarshalText([]byte(text)); err != nil || d.On(today).Format(time.DateOnly) != want {
			t.Errorf("%q is %v (%v), want %s", text, d.On(today), err, want)
		}
	}
	for _, text := range []string{"someday", "tuesday 6 06", "tuesday 3 06 2030", "tuesday 3 6 x", "tuesday 0 06", "tuesday 3 13", "someday 3 06", "2018 someday", "day 32", "day 0", "02-30", "2027-04-31", "next", "this friday", "last weekend", "next day", "+", "+99999", "easter2", "easter +",
		"days from friday", "x days from friday", "3 days from someday", "this week", "now", "tonight", "Friday"} {
		var d when.Day
		if err := d.UnmarshalText([]byte(text)); !errors.Is(err, when.ErrDay) {
			t.Errorf("%q is %v (%v)", text, d.On(today), err)
		}
	}
	for text, day := range map[string]bool{"this week": false, "this month": false, "now": false, "tonight": false, "next week": true, "friday": true, "": false} {
		var s when.Span
		if err := s.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if _, ok := s.Day(); ok != day {
			t.Errorf("%q is a day: %v", text, ok)
		}
	}
}

func TestAMonthAfterItsLastDayIsNotSkipped(t *testing.T) {
	for _, c := range [][3]string{
		{"2027-01-31", "next month", "2027-02-28"}, {"2027-01-31", "2 months from today", "2027-03-31"}, {"2027-10-31", "4 months from today", "2028-02-29"},
		{"2028-02-29", "next year", "2029-02-28"}, {"2028-02-29", "48 months from today", "2032-02-29"}, {"2026-12-15", "1 months from today", "2027-01-15"},
	} {
		if got := when.Day(c[1]).On(at(t, c[0]+" 12:00")); got.Format(time.DateOnly) != c[2] {
			t.Errorf("%s from %s is %v, want %s", c[1], c[0], got, c[2])
		}
	}
}

func TestRepetitionsAreSaid(t *testing.T) {
	for text, want := range map[string]string{
		"FREQ=DAILY": "every day", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR": "on weekdays", "FREQ=WEEKLY;BYDAY=SA,SU": "on weekends",
		"FREQ=WEEKLY;BYDAY=MO": "every Monday", "FREQ=WEEKLY;BYDAY=MO,WE,FR": "every Monday, Wednesday and Friday",
		"FREQ=DAILY;INTERVAL=2": "every other day", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU": "every other Tuesday",
		"FREQ=WEEKLY": "every week", "FREQ=MONTHLY": "every month", "FREQ=YEARLY": "every year", "": "", "once": "",
	} {
		var r when.Repeat
		if err := r.UnmarshalText([]byte(text)); err != nil || phrase.English().Often(r.Parts()) != want {
			t.Errorf("%q is %q, said %q (%v), want %q", text, string(r), r, err, want)
		}
	}
}

func TestWhatIsNoRepetitionIsRefused(t *testing.T) {
	for _, text := range []string{"every", "daily", "FREQ=SECONDLY", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=", "FREQ=MONTHLY;BYDAY=MO", "FREQ=DAILY;COUNT=2"} {
		var r when.Repeat
		if err := r.UnmarshalText([]byte(text)); !errors.Is(err, when.ErrRepeat) {
			t.Errorf("%q is %q (%v)", text, string(r), err)
		}
	}
}

func TestRepetitionsComeAgain(t *testing.T) {
	for _, c := range []struct{ rule, start, after, want string }{
		{"FREQ=DAILY", "2026-11-21 07:00", "2026-11-21 07:00", "2026-11-22 07:00"},
		{"FREQ=DAILY", "2020-01-01 07:00", "2026-11-21 06:59", "2026-11-21 07:00"},
		{"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-11-21 07:00", "2026-11-21 06:00", "2026-11-23 07:00"},
		{"FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "2026-11-27 18:00", "2026-11-27 18:00", "2026-12-11 18:00"},
		{"FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "2016-01-01 18:00", "2026-11-27 18:00", "2026-12-04 18:00"},
		{"FREQ=DAILY;INTERVAL=2", "2026-11-20 08:00", "2026-11-25 09:00", "2026-11-26 08:00"},
		{"FREQ=MONTHLY", "2026-01-15 08:00", "2026-11-15 08:00", "2026-12-15 08:00"},
		{"FREQ=YEARLY", "2026-05-03 08:00", "2026-11-15 08:00", "2027-05-03 08:00"},
		{"FREQ=MONTHLY", "2026-01-31 08:00", "2026-01-31 08:00", "2026-02-28 08:00"},
		{"FREQ=MONTHLY", "2026-01-31 08:00", "2026-02-28 08:00", "2026-03-31 08:00"},
		{"FREQ=MONTHLY", "2026-01-30 08:00", "2028-01-30 08:00", "2028-02-29 08:00"},
		{"FREQ=MONTHLY", "2026-01-30 08:00", "2028-02-29 08:00", "2028-03-30 08:00"},
		{"FREQ=MONTHLY;INTERVAL=2", "2026-12-31 08:00", "2026-12-31 08:00", "2027-02-28 08:00"},
		{"FREQ=YEARLY", "2028-02-29 08:00", "2028-02-29 08:00", "2029-02-28 08:00"},
		{"FREQ=YEARLY", "2028-02-29 08:00", "2031-02-28 08:00", "2032-02-29 08:00"},
		{"FREQ=YEARLY", "2026-12-31 08:00", "2026-12-31 08:00", "2027-12-31 08:00"},
	} {
		got, ok := when.Repeat(c.rule).Next(at(t, c.start), at(t, c.after))
		if !ok || !got.Equal(at(t, c.want)) {
			t.Errorf("%s from %s: after %s comes %v, want %s", c.rule, c.start, c.after, got, c.want)
		}
	}
	if _, ok := when.Repeat("nonsense").Next(time.Now(), time.Now()); ok {
		t.Error("nonsense comes again")
	}
}

// Nothing is left out before the first time.
func TestEveryOtherWeekBeginsInTheNextOne(t *testing.T) {
	saturday := at(t, "2026-11-28 08:00")
	for rule, want := range map[when.Repeat]string{
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=WE": "2026-12-02 08:00", "FREQ=DAILY;INTERVAL=2": "2026-11-28 08:00",
		"FREQ=MONTHLY;INTERVAL=2": "2026-11-28 08:00",
	} {
		if first, ok := rule.First(saturday, saturday.Add(-time.Second)); !ok || !first.Equal(at(t, want)) {
			t.Errorf("%s begins %v, want %s", rule, first, want)
		}
	}
}

func TestSkippedAndRepeatedHoursAreResolved(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for floating, want := range map[string]string{
		"2026-03-29 01:59": "2026-03-29T00:59:00Z", "2026-03-29 02:30": "2026-03-29T01:30:00Z", "2026-03-29 03:00": "2026-03-29T01:00:00Z",
		"2026-10-25 01:59": "2026-10-24T23:59:00Z", "2026-10-25 02:30": "2026-10-25T00:30:00Z", "2026-10-25 03:00": "2026-10-25T02:00:00Z",
		"2026-07-01 12:00": "2026-07-01T10:00:00Z",
	} {
		got := when.Resolve(at(t, floating), berlin)
		if got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%s is %v, want %s", floating, got.UTC(), want)
		}
	}
	skipped := when.Resolve(at(t, "2026-03-29 02:30"), berlin)
	if got := when.Float(skipped, berlin); !got.Equal(at(t, "2026-03-29 03:30")) {
		t.Errorf("the clock shows %v when 02:30 is skipped", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"19:30", "07:30?", "next friday", "14 days from 05-03", "easter -2", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"} {
		f.Add(text)
	}
	today := time.Date(2026, 11, 21, 15, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		c := when.Clock{}
		if err := c.UnmarshalText([]byte(text)); err == nil && (c.Hour < 0 || c.Hour > 23 || c.Minute < 0 || c.Minute > 59 || c.Open && (c.Hour < 1 || c.Hour > 12)) {
			t.Errorf("%q is %+v", text, c)
		}
		if d := when.Day(""); d.UnmarshalText([]byte(text)) == nil && text != "" {
			if on := d.On(today); on.IsZero() || !on.Equal(when.Date(on)) {
				t.Errorf("%q is %v", text, on)
			}
		}
		if r := when.Repeat(""); r.UnmarshalText([]byte(text)) == nil && r != "" {
			if next, ok := r.Next(today, today); !ok || !next.After(today) {
				t.Errorf("%q is %q and comes at %v", text, string(r), next)
			}
		}
	})
}
