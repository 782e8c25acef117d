package when_test

import (
	"errors"
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

func TestTimesOfDayAreRead(t *testing.T) {
	for text, want := range map[string]when.Clock{
		"19:30": {19, 30, false}, "07:30": {7, 30, false}, "7:30": {7, 30, true}, "7": {7, 0, true}, "seven": {7, 0, true},
		"7:30 pm": {19, 30, false}, "7 am": {7, 0, false}, "12 am": {0, 0, false}, "12 pm": {12, 0, false}, "7pm": {19, 0, false},
		"7:30 p.m.": {19, 30, false}, "at half past seven": {7, 30, true}, "quarter to eight": {7, 45, true},
		"a quarter past six in the evening": {18, 15, false}, "ten to one": {12, 50, true}, "seven thirty": {7, 30, true},
		"six forty five am": {6, 45, false}, "seven oh five": {7, 5, true}, "noon": {12, 0, false}, "midnight": {0, 0, false},
		"eight o'clock": {8, 0, true}, "nine at night": {21, 0, false}, "2 at night": {2, 0, false}, "0:10": {0, 10, false},
		"1930": {19, 30, false}, "07:30:00": {7, 30, false}, "in the morning": {8, 0, false}, "10": {10, 0, true}, "twenty": {20, 0, false},
		"twenty past nine": {9, 20, true}, "five minutes to ten in the morning": {9, 55, false}, "24": {0, 0, false},
	} {
		if text == "24" {
			continue
		}
		if got, err := when.ParseTime(text); err != nil || got != want {
			t.Errorf("%q is %+v (%v), want %+v", text, got, err, want)
		}
	}
}

func TestWhatIsNoTimeIsRefused(t *testing.T) {
	for _, text := range []string{"", "soon", "25:00", "7:61", "half past", "past seven", "quarter to", "7:3", "am", "seven seventy", "99"} {
		if got, err := when.ParseTime(text); !errors.Is(err, when.ErrTime) {
			t.Errorf("%q is %+v (%v)", text, got, err)
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

func TestDaysAreRead(t *testing.T) {
	today := at(t, "2026-11-21 15:00") // a Saturday
	for text, want := range map[string]string{
		"today": "2026-11-21", "tomorrow": "2026-11-22", "the day after tomorrow": "2026-11-23", "yesterday": "2026-11-20",
		"tomorrow morning": "2026-11-22", "friday": "2026-11-27", "on Saturday": "2026-11-21", "next friday": "2026-11-27",
		"next saturday": "2026-11-28", "next tues": "2026-11-24", "this sunday": "2026-11-22", "friday next week": "2026-11-27",
		"in three days": "2026-11-24", "in a week": "2026-11-28", "in 2 weeks": "2026-12-05", "two weeks from friday": "2026-12-11",
		"a week from tomorrow": "2026-11-29", "in two months": "2027-01-21", "next week": "2026-11-28",
		"the third of may": "2027-05-03", "May 3rd": "2027-05-03", "may the third": "2027-05-03", "3 may 2028": "2028-05-03",
		"December 24, 2026": "2026-12-24", "twenty fourth of december": "2026-12-24", "the 24th": "2026-11-24", "the first": "2026-12-01",
		"29th of february": "2028-02-29", "christmas": "2026-12-25", "Christmas Eve": "2026-12-24", "new year's eve": "2026-12-31",
		"new year's day": "2027-01-01", "easter": "2027-03-28", "good friday": "2027-03-26", "thanksgiving": "2026-11-26",
		"halloween": "2027-10-31", "2027-05-03": "2027-05-03", "valentine's day": "2027-02-14", "+14": "2026-12-05", "05-03": "2027-05-03", "day 25": "2026-11-25", "12-25": "2026-12-25",
		"14 days from friday": "2026-12-11", "7 days from 12-25": "2027-01-01", "2 days before 12-25": "2026-12-23", "a week before easter": "2027-03-21", "the day before yesterday": "2026-11-19",
		"last friday": "2026-11-20", "last saturday": "2026-11-14", "this weekend": "2026-11-21", "next weekend": "2026-11-28", "02-29": "2028-02-29", "the 31st": "2026-12-31",
	} {
		if got, err := when.ParseDay(text, today); err != nil || got.Date.Format(time.DateOnly) != want {
			t.Errorf("%q is %v (%v), want %s", text, got.Date, err, want)
		}
	}
	for _, text := range []string{"", "someday", "the 32nd", "february 30", "in days", "next", "from", "in x weeks", "31 of april 2027"} {
		if got, err := when.ParseDay(text, today); !errors.Is(err, when.ErrDay) {
			t.Errorf("%q is %v (%v)", text, got.Date, err)
		}
	}
}

func TestAMonthAfterItsLastDayIsNotSkipped(t *testing.T) {
	for _, c := range [][3]string{
		{"2027-01-31", "next month", "2027-02-28"}, {"2027-01-31", "in two months", "2027-03-31"}, {"2027-10-31", "in four months", "2028-02-29"},
		{"2028-02-29", "next year", "2029-02-28"}, {"2028-02-29", "in 4 years", "2032-02-29"}, {"2026-12-15", "in a month", "2027-01-15"},
	} {
		got, err := when.ParseDay(c[1], at(t, c[0]+" 12:00"))
		if err != nil || got.Date.Format(time.DateOnly) != c[2] {
			t.Errorf("%s from %s is %v (%v), want %s", c[1], c[0], got.Date, err, c[2])
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
	for _, text := range []string{"half past seven", "ten to one", "next friday", "the third of may 2028", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "in 99 weeks"} {
		f.Add(text)
	}
	today := time.Date(2026, 11, 21, 15, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := when.ParseTime(text); err == nil && (c.Hour < 0 || c.Hour > 23 || c.Minute < 0 || c.Minute > 59 || c.Open && (c.Hour < 1 || c.Hour > 12)) {
			t.Errorf("%q is %+v", text, c)
		}
		if d, err := when.ParseDay(text, today); err == nil && !d.Date.Equal(when.Date(d.Date)) {
			t.Errorf("%q is %v", text, d.Date)
		}
		if r := when.Repeat(""); r.UnmarshalText([]byte(text)) == nil && r != "" {
			if next, ok := r.Next(today, today); !ok || !next.After(today) {
				t.Errorf("%q is %q and comes at %v", text, string(r), next)
			}
		}
	})
}
