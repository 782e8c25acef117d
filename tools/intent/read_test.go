package intent

import (
	"testing"
	"time"

	"hearthd/tools/when"
)

func TestModelsMayPutARepetitionInWords(t *testing.T) {
	m := newMatcher(t)
	const work = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
	for text, want := range map[string]string{
		"daily": "FREQ=DAILY", "every day": "FREQ=DAILY", "every morning": "FREQ=DAILY", "weekdays": work, "every weekday": work,
		"monday to friday": work, "weekends": "FREQ=WEEKLY;BYDAY=SA,SU", "every monday": "FREQ=WEEKLY;BYDAY=MO", "mondays": "FREQ=WEEKLY;BYDAY=MO",
		"monday, wednesday and friday": "FREQ=WEEKLY;BYDAY=MO,WE,FR", "every other day": "FREQ=DAILY;INTERVAL=2",
		"every second tuesday": "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "weekly": "FREQ=WEEKLY", "monthly": "FREQ=MONTHLY", "every year": "FREQ=YEARLY",
		"on thursdays and fridays": "FREQ=WEEKLY;BYDAY=TH,FR", "monday and friday": "FREQ=WEEKLY;BYDAY=MO,FR", "Friday": "FREQ=WEEKLY;BYDAY=FR",
		"every day except sunday":             "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA",
		"daily except saturday and sunday":    work,
		"weekdays except friday":              "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH",
		"every day but monday":                "FREQ=WEEKLY;BYDAY=SU,TU,WE,TH,FR,SA",
		"weekends except saturday and sunday": "",
		"monthly except sunday":               "",
		"every day except":                    "",
		"every day except except sunday":      "",
		"every day except sunday except":      "",
		"daily except weekly":                 "",
		"every":                               "",
		"now and then":                        "",
		"every blue moon":                     "",
		"on the fifth of every month":         "",
	} {
		got, _, ok := m.Read(when.Repeats, text)
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestModelsMayPutATimeInWords(t *testing.T) {
	m := newMatcher(t)
	for text, want := range map[string]string{
		"7:30": "07:30?", "7": "07:00?", "seven": "07:00?", "7:30 pm": "19:30", "7 am": "07:00", "12 am": "00:00", "12 pm": "12:00", "7pm": "19:00",
		"7:30 p.m.": "19:30", "at half past seven": "07:30?", "quarter to eight": "07:45?", "a quarter past six in the evening": "18:15",
		"ten to one": "12:50?", "seven thirty": "07:30?", "six forty five am": "06:45", "seven oh five": "07:05?", "noon": "12:00", "midnight": "00:00",
		"eight o'clock": "08:00?", "nine at night": "21:00", "2 at night": "02:00", "0:10": "00:10", "1930": "19:30", "in the morning": "09:00",
		"10": "10:00?", "twenty": "20:00", "twenty past nine": "09:20?", "five minutes to ten in the morning": "09:55", "evening": "19:00",
		"19:30": "19:30", "19:30 in the evening": "19:30",
		"": "", "soon": "", "25:00": "", "7:61": "", "half past": "", "past seven": "", "quarter to": "", "7:3": "", "am": "", "seven seventy": "", "99": "",
		"tomorrow": "", "ten minutes": "",
	} {
		got, day, ok := m.Read(when.Clocks, text)
		if got != want || day != "" || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", text, got, ok, want)
		}
	}
}

// At nine in the evening "tonight" is not tomorrow.
func TestTonightIsOfToday(t *testing.T) {
	m := newMatcher(t)
	for text, want := range map[string]string{"tonight": "20:00", "this afternoon": "15:00"} {
		if got, day, ok := m.Read(when.Clocks, text); got != want || day != "today" || !ok {
			t.Errorf("%q is %q of %q, %v, want %q", text, got, day, ok, want)
		}
	}
}

func TestModelsMayPutADayInWords(t *testing.T) {
	m := newMatcher(t)
	today := time.Date(2026, time.November, 21, 15, 0, 0, 0, time.UTC) // a Saturday
	for text, want := range map[string]string{
		"today": "2026-11-21", "tomorrow": "2026-11-22", "the day after tomorrow": "2026-11-23", "yesterday": "2026-11-20",
		"tomorrow morning": "2026-11-22", "friday": "2026-11-27", "on Saturday": "2026-11-21", "next friday": "2026-11-27",
		"next saturday": "2026-11-28", "next tues": "2026-11-24", "this sunday": "2026-11-22", "friday next week": "2026-11-27",
		"in three days": "2026-11-24", "in a week": "2026-11-28", "in 2 weeks": "2026-12-05", "two weeks from friday": "2026-12-11",
		"a week from tomorrow": "2026-11-29", "in two months": "2027-01-21", "in a year": "2027-11-21", "next week": "2026-11-28", "next month": "2026-12-21",
		"the third of may": "2027-05-03", "May 3rd": "2027-05-03", "may the third": "2027-05-03", "3 may 2028": "2028-05-03",
		"December 24, 2026": "2026-12-24", "twenty fourth of december": "2026-12-24", "the 24th": "2026-11-24", "the first": "2026-12-01",
		"29th of february": "2028-02-29", "christmas": "2026-12-25", "Christmas Eve": "2026-12-24", "new year's eve": "2026-12-31",
		"new year's day": "2027-01-01", "easter": "2027-03-28", "good friday": "2027-03-26", "thanksgiving": "2026-11-26", "boxing day": "2026-12-26",
		"halloween": "2027-10-31", "valentine's day": "2027-02-14", "st patrick's day": "2027-03-17", "mother's day": "2027-05-09",
		"14 days from friday": "2026-12-11", "a week before easter": "2027-03-21", "the day before yesterday": "2026-11-19",
		"last friday": "2026-11-20", "last saturday": "2026-11-14", "this weekend": "2026-11-21", "next weekend": "2026-11-28", "the 31st": "2026-12-31",
		"tonight": "2026-11-21", "this evening": "2026-11-21",
		"": "", "someday": "", "the 32nd": "", "february 30": "", "in days": "", "next": "", "from": "", "in x weeks": "", "31 of april 2027": "", "this week": "",
	} {
		got, _, ok := m.Read(when.Days, text)
		if date := when.Day(got).On(today).Format(time.DateOnly); ok != (want != "") || ok && date != want {
			t.Errorf("%q is %q, %s, want %s", text, got, date, want)
		}
	}
	for text, want := range map[string]string{"this week": "this week", "the weekend": "this weekend", "next month": "next month", "on friday": "friday"} {
		if got, _, ok := m.Read(when.Spans, text); got != want || !ok {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestATimeInWordsMayHaveItsDay(t *testing.T) {
	m := newMatcher(t)
	for text, want := range map[string]string{"tomorrow at 5pm": "17:00 tomorrow", "friday evening at seven": "19:00 friday", "7 am on may 3rd": "07:00 05-03"} {
		if got, day, ok := m.Read(when.Clocks, text); got+" "+string(day) != want || !ok {
			t.Errorf("%q is %s %s, %v, want %s", text, got, day, ok, want)
		}
	}
}

func TestInAGermanHouseModelsMayWriteGermanAndEnglish(t *testing.T) {
	m, err := New(Options{Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		form       when.Form
		text, want string
	}{
		{when.Clocks, "halb acht", "07:30?"}, {when.Clocks, "19 Uhr 30", "19:30"}, {when.Clocks, "7:30 pm", "19:30"}, {when.Clocks, "half past seven", "07:30?"},
		{when.Days, "übermorgen", "+2"}, {when.Days, "nächsten Freitag", "next friday"}, {when.Days, "Freitag nächste Woche", "next friday"},
		{when.Days, "in zwei Monaten", "2 months from today"}, {when.Days, "Karfreitag", "easter -2"}, {when.Days, "in two weeks", "+14"},
		{when.Spans, "am Wochenende", "this weekend"}, {when.Spans, "this week", "this week"},
		{when.Repeats, "werktags", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}, {when.Repeats, "jeden Montag", "FREQ=WEEKLY;BYDAY=MO"}, {when.Repeats, "every other day", "FREQ=DAILY;INTERVAL=2"},
	} {
		if got, _, ok := m.Read(c.form, c.text); got != c.want || !ok {
			t.Errorf("%s %q is %q, %v, want %q", c.form, c.text, got, ok, c.want)
		}
	}
}
