package intent

import (
	"testing"

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
		got, ok := m.Read(when.Repeats, text)
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", text, got, ok, want)
		}
	}
}
