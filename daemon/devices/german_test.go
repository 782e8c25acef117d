package devices

import (
	"testing"

	"hearthd/tools"
	"hearthd/tools/intent"
	"hearthd/tools/phrase"
)

// What Germans say in a house of theirs, and what is sent for it. What opens the house is
// asked for, and sends nothing.
func TestWhatGermansSayReachesTheirDevices(t *testing.T) {
	matcher, err := intent.New(intent.Options{Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	s := &saying{t: t, matcher: matcher}
	for _, c := range [][2]string{
		{"mach das Licht in der Küche aus", `k1 {"state":"off"}`},
		{"Küchenlicht aus", `k1 {"state":"off"}`},
		{"Kueche Licht aus", `k1 {"state":"off"}`},
		{"Schalt mal bitte die Stehlampe ein", `w1 {"state":"on"}`},
		{"kannst du die Lampen im Wohnzimmer anmachen", `w1 {"state":"on"}; w2 {"state":"on"}`},
		{"Alle Lichter aus", `k1 {"state":"off"}; w1 {"state":"off"}; w2 {"state":"off"}`},
		{"Mach alle Lichter außer der Stehlampe aus", `k1 {"state":"off"}; w2 {"state":"off"}`},
		{"dreh die Heizung im Bad auf 21 Grad", `h1 {"temperature":21}`},
		{"fahr die Rollläden zur Hälfte runter", `r1 {"position":50}; r2 {"position":50}`},
		{"Rollos im Schlafzimmer zu", `r1 {"state":"closed"}; r2 {"state":"closed"}`},
		{"mach den linken Rollladen zu", `r1 {"state":"closed"}`},
		{"dimm die Stehlampe auf dreißig Prozent", `w1 {"brightness":30,"state":"on"}`},
		{"Schließ die Haustür ab", `lk {"state":"locked"}`},
		{"Mach das Licht in der Küche nicht aus", ""},
	} {
		s.moveIn("wohnung", "")
		if answer, sent := s.say(c[0]); sent != c[1] {
			t.Errorf("%s => %s | %s, want %s", c[0], answer, sent, c[1])
		}
	}
	for _, c := range [][2]string{
		{"nächstes Lied auf dem Küchenradio", `p1 {"state":"next"}`},
		{"pausiere die Musik im Wohnzimmer", `p2 {"state":"paused"}`},
		{"pausiere das Küchenradio", `p1 {"state":"paused"}`},
		{"mach die Musik im Wohnzimmer leiser", `p2 {"volume":30}`},
		{"spiel die Musik im Schlafzimmer weiter", `p4 {"state":"playing"}`},
		{"mach den Fernseher stumm", `p3 {"muted":"on"}`},
		{"schalt den Fernseher aus", `p3 {"state":"off"}`},
		{"was läuft in der Küche", ""},
		{"mach die Musik leiser", ""},
		{"nächstes Lied", ""},
	} {
		s.moveIn("spieler", "")
		if answer, sent := s.say(c[0]); sent != c[1] {
			t.Errorf("%s => %s | %s, want %s", c[0], answer, sent, c[1])
		}
	}
	s.moveIn("spieler", "")
	if answer, _ := s.say("was läuft in der Küche"); answer != "The küchenradio is playing Yellow Submarine by The Beatles at 30 percent." {
		t.Error(answer)
	}
	s.moveIn("wohnung", "")
	for _, sentence := range []string{
		"sperr die Haustür auf", "mach die Haustür auf", "kannst du mal bitte das Garagentor öffnen", "Garage auf",
		"schalt den Türöffner ein", "Tür aufsperren", "entriegel die Haustür", "fahr das Garagentor hoch",
		"mach alles auf",
		"Türöffner an", "schließ bitte mal die Tür auf", "kannst du die Haustür aufschließen",
	} {
		m, ok := s.matcher.Match(sentence)
		if !ok {
			t.Errorf("%s is not understood", sentence)
			continue
		}
		tool, ok := s.tools[m.Call.Name].(tools.Limited)
		if !ok {
			t.Errorf("%s: %s %s", sentence, m.Call.Name, m.Call.Arguments)
			continue
		}
		if asked := tool.Limits().ConfirmFunc(m.Call.Arguments); asked == "" {
			t.Errorf("%s: %s %s is not asked for", sentence, m.Call.Name, m.Call.Arguments)
		}
	}
}

// The lines of haus.txt are as those of TestWhatPeopleSayReachesTheirDevices.
func TestGermansAreAnsweredInGerman(t *testing.T) {
	matcher, err := intent.New(intent.Options{Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	book, err := phrase.New(phrase.Options{Language: "de"})
	if err != nil {
		t.Fatal(err)
	}
	(&saying{t: t, matcher: matcher, book: book}).hold("haus", "haus", "Küche")
}
