package intent

import (
	"strings"
	"testing"
)

func newGerman(t testing.TB) *Matcher {
	t.Helper()
	m, err := New(Options{Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	for vocab, names := range m.sentences().SampleNames {
		var all []Name
		for _, n := range names {
			all = append(all, Name{Value: n})
		}
		m.SetNames(vocab, all)
	}
	return m
}

func TestGermanIsUnderstood(t *testing.T) {
	m := newGerman(t)
	understood(t, m, "german_examples.txt", 1)
	understood(t, m, "german.txt", 0.99)
	understood(t, m, "german2.txt", 0.99)
	understood(t, m, "german3.txt", 0.99)
	understood(t, m, "german4.txt", 1)
	understood(t, m, "german5.txt", 1)
	understood(t, m, "german6.txt", 1)
	understood(t, m, "german7.txt", 1)
	understood(t, m, "german8.txt", 1)
	understood(t, m, "german9.txt", 1)
	understood(t, m, "german10.txt", 1)
	understood(t, m, "german11.txt", 1)
}

func TestGermanChatterIsNoRequest(t *testing.T) {
	m := newGerman(t)
	for _, text := range lines(t, "german_chatter.txt") {
		if match, ok := m.Match(text); ok && match.Call.Name != "confirm" && match.Call.Name != Reply {
			t.Errorf("%q: %s %s", text, match.Intent, match.Call.Arguments)
		}
		if a, b, ok := m.MatchTwo(text, ""); ok {
			t.Errorf("%q: %s %s and %s %s", text, a.Intent, a.Call.Arguments, b.Intent, b.Call.Arguments)
		}
	}
}

func TestGermanForAWhileIsTwoRequests(t *testing.T) {
	m := newGerman(t)
	for text, want := range map[string]string{
		"ventilator zehn minuten an":                  `home_control {"action":"on","name":"ventilator"} home_later {"action":"off","in_s":600,"name":"ventilator"}`,
		"lass den ventilator a viertelstund laufen":   `home_control {"action":"on","name":"ventilator"} home_later {"action":"off","in_s":900,"name":"ventilator"}`,
		"schalt den ventilator in zehn minuten an":    "",
		"mach das licht im flur aus und das rollo zu": `home_control {"action":"off","area":"flur","name":"licht"} home_control {"action":"close","and":true,"name":"rollo"}`,
	} {
		a, b, ok := m.MatchTwo(text, "")
		got := a.Call.Name + " " + string(a.Call.Arguments) + " " + b.Call.Name + " " + string(b.Call.Arguments)
		if ok && got != want || !ok && want != "" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// BenchmarkMatchGerman is BenchmarkMatch in a German house.
func BenchmarkMatchGerman(b *testing.B) {
	m := newGerman(b)
	var names []Name
	for _, room := range strings.Fields("Küche Bad Schlafzimmer Flur Büro Garage Garten Dachboden Keller Kinderzimmer Terrasse Wohnzimmer Esszimmer Diele Balkon") {
		for _, thing := range strings.Split("Licht,Deckenlampe,Stehlampe,Schreibtischlampe,Rollladen links,Rollladen rechts,Heizung,Ventilator,Steckdose,Thermostat,Fenster,Türschloss,Radio,Bewegungsmelder,Leselampe,Vorhang,Lautsprecher,Stecker,Kamera,Regallicht", ",") {
			names = append(names, Name{Value: room + " " + thing})
		}
	}
	m.SetNames("device", names)
	texts := lines(b, "german_chatter.txt")
	for _, s := range sentencesIn(b, "german.txt") {
		texts = append(texts, s.text)
	}
	for _, s := range sentencesIn(b, "german_examples.txt") {
		texts = append(texts, s.text)
	}
	spread(b, texts, func(text string) { m.Match(text) })
	b.ReportMetric(float64(len(m.patterns)), "patterns")
}
