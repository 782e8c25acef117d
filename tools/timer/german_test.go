package timer_test

import (
	"testing"
	"testing/synctest"
	"time"

	"hearthd/tools/phrase"
	"hearthd/tools/timer"
)

func TestTimersAnswerInGerman(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newPath(t), 0) // at midnight of a Saturday
		book, err := phrase.New(phrase.Options{Language: "de"})
		if err != nil {
			t.Fatal(err)
		}
		b.timers.Book = book
		for _, c := range [][3]string{
			{"timer_left", `{}`, "Du hast keine Timer."},
			{"timer_set", `{"duration_s":60}`, "Timer auf eine Minute gestellt."},
			{"timer_left", `{}`, "Der Timer läuft noch eine Minute."},
			{"timer_cancel", `{}`, "Der Timer ist abgebrochen."},
			{"timer_set", `{"duration_s":600,"label":"nudeln","more":[{"duration_s":1260}]}`,
				"Nudel-Timer auf zehn Minuten und Timer auf einundzwanzig Minuten gestellt."},
			{"timer_left", `{}`, "Du hast zwei Timer. Der Nudel-Timer läuft noch zehn Minuten. Der Einundzwanzig-Minuten-Timer läuft noch einundzwanzig Minuten."},
			{"timer_left", `{"label":"die nudel"}`, "Der Nudel-Timer läuft noch zehn Minuten."},
			{"timer_left", `{"label":"pizza"}`, "Du hast keinen Pizza-Timer. Du hast zwei Timer: den Nudel-Timer und den Einundzwanzig-Minuten-Timer."},
			{"timer_left", `{"length_s":1260}`, "Der Einundzwanzig-Minuten-Timer läuft noch einundzwanzig Minuten."},
			{"timer_cancel", `{"length_s":480}`, "Du hast keinen Acht-Minuten-Timer. Du hast zwei Timer: den Nudel-Timer und den Einundzwanzig-Minuten-Timer."},
			{"timer_cancel", `{}`, "Du hast zwei Timer: den Nudel-Timer und den Einundzwanzig-Minuten-Timer. Welchen soll ich abbrechen?"},
			{"timer_left", `{"label":"zweite"}`, "Der Einundzwanzig-Minuten-Timer läuft noch einundzwanzig Minuten."},
			{"timer_pause", `{"label":"nudel timer"}`, "Der Nudel-Timer ist angehalten, noch zehn Minuten."},
			{"timer_pause", `{"label":"nudel"}`, "Der Nudel-Timer ist schon angehalten."},
			{"timer_resume", `{"all":true}`, "Der Nudel-Timer läuft weiter, noch zehn Minuten."},
			{"timer_change", `{"label":"einundzwanzig minuten","add_s":60}`, "Der Einundzwanzig-Minuten-Timer läuft jetzt noch zweiundzwanzig Minuten."},
			{"timer_cancel", `{"all":true}`, "Beide Timer sind abgebrochen."},
			{"timer_set", `{"duration_s":5400,"label":"brot im ofen"}`, "Brot-im-Ofen-Timer auf eine Stunde und dreißig Minuten gestellt."},
			{"timer_cancel", `{"label":"das brot"}`, "Der Brot-im-Ofen-Timer ist abgebrochen."},
			{"alarm_list", `{}`, "Du hast keine Wecker."},
			{"alarm_set", `{"time":"07:00"}`, "Der Wecker klingelt heute um 7 Uhr."},
			{"alarm_set", `{"time":"06:30","day":"monday","label":"schule"}`, "Der Schule-Wecker klingelt übermorgen um 6 Uhr 30."},
			{"alarm_set", `{"time":"08:00","repeat":"FREQ=WEEKLY;BYDAY=MO,FR"}`, "Der Wecker klingelt jeden Montag und Freitag um 8 Uhr."},
			{"alarm_set", `{"time":"08:00","repeat":"FREQ=WEEKLY;BYDAY=MO,FR"}`, "Der Wecker ist schon gestellt: jeden Montag und Freitag um 8 Uhr."},
			{"alarm_list", `{}`, "Du hast drei Wecker: heute um 7 Uhr, übermorgen um 6 Uhr 30, schule und jeden Montag und Freitag um 8 Uhr."},
			{"alarm_cancel", `{"time":"07:00"}`, "Der Wecker heute um 7 Uhr ist gelöscht."},
			{"alarm_cancel", `{"time":"09:00"}`, "So einen Wecker gibt es nicht. Du hast zwei Wecker: übermorgen um 6 Uhr 30, schule und jeden Montag und Freitag um 8 Uhr."},
			{"alarm_change", `{"time":"06:30","new_time":"06:45"}`, "Der Wecker klingelt jetzt übermorgen um 6 Uhr 45."},
			{"alarm_cancel", `{"all":true}`, "Zwei Wecker sind gelöscht."},
			{"alarm_snooze", `{}`, "Es klingelt gerade nichts."},
			{"reminder_list", `{}`, "Du hast keine Erinnerungen."},
			{"reminder_set", `{"text":"daran, meine Mutter anzurufen","in_s":3600}`, "Ich erinnere dich in einer Stunde daran, deine Mutter anzurufen."},
			{"reminder_set", `{"text":"Milch kaufen","time":"18:00"}`, "Ich erinnere dich heute um 18 Uhr daran: Milch kaufen."},
			{"reminder_list", `{}`, "Du hast zwei Erinnerungen: heute um ein Uhr daran, deine Mutter anzurufen und heute um 18 Uhr Milch kaufen."},
			{"reminder_cancel", `{"text":"milch"}`, "Die Erinnerung ist gelöscht: Milch kaufen."},
			{"reminder_cancel", `{"text":"mutter"}`, "Die Erinnerung ist gelöscht: daran, deine Mutter anzurufen."},
			{"reminder_set", `{"text":"Milch kaufen"}`, "Wann soll ich dich erinnern?"},
			{"home_later_list", `{}`, "Für später ist nichts vorgesehen."},
		} {
			b.expect(c[0], c[1], c[2])
		}
		b.order(timer.Plan{Label: "den Ofen ausschalten", Do: "{}", In: time.Minute}, "Ich werde in einer Minute den Ofen ausschalten.")
		b.expect("home_later_list", "{}", "Ich soll in einer Minute den Ofen ausschalten.")
		e, _ := b.ring()
		if got := b.timers.Due(e); got != "Ich sollte um 0 Uhr 1 den Ofen ausschalten" {
			t.Error(got)
		}
		b.timers.Ended([]int64{e.Timer.ID})
		b.expect("timer_set", `{"duration_s":60,"label":"eier"}`, "Eier-Timer auf eine Minute gestellt.")
		e, _ = b.ring()
		if got := b.spoken(e); got != "Der Eier-Timer ist abgelaufen." {
			t.Error(got)
		}
		b.expect("alarm_snooze", `{"duration_s":300}`, "Okay, Eier in fünf Minuten noch einmal.")
	})
}
