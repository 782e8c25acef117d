package entrance

import (
	"slices"
	"strings"
	"testing"
)

func TestWayIntoTheHouseIsKnownInEveryLanguage(t *testing.T) {
	for _, name := range []string{
		"Front door strike", "Door buzzer", "Door release", "Entrance door", "Garage", "Haustür", "Garagentor",
		"Open front door", "Open the house", "Lock mode",
		"Back gate", "frontDoorOpener", "switch.front_door_strike", "GARAGE_DOOR_2", "garagedoor", "Main entrance relay",
		"Turnstile", "Key safe", "Entry", "Unlock all",
		"Haustu\u0308r", "haustuer_relais", "switch.haustur", "switch.hausture", "Türöffner", "tueroeffner", "Hoftor",
		"Einfahrtstor Impuls", "Tor", "Wohnungstür Summer", "Schlüsseltresor", "Entriegelung", "Türschloss EG",
		"Haus öffnen", "Eingang", "Schranke",
		"Porte d'entrée", "Gâche électrique", "gache", "Portail", "Ouvre-porte", "Serrure", "Déverrouiller la maison",
		"Voordeur", "deuropener", "Slot achterdeur", "Poort", "Ontgrendelen",
		"Puerta principal", "Portón", "Cerradura", "Abrir casa", "Cancello", "Portone", "Apriporta", "Elettroserratura",
		"Serratura", "Portão", "Fechadura", "Brama wjazdowa", "Furtka", "Drzwi wejściowe", "Elektrozaczep", "Zamek",
		"Garaż",
		"Vchodové dveře", "Vrata", "Ytterdörr", "Grind", "Lås", "Hoveddør", "Døråpner", "Garasjeport", "Etuovi",
		"Portti",
		"Autotalli", "Входная дверь", "Ворота", "Калитка", "Домофон",
		"Giriş kapısı", "Εξώπορτα", "Ușă garaj", "Bejárati ajtó", "Kapija", "玄関ドア", "大门",
		"FrontDoorLock", "hof_tor",
		"Door opener light", "Stahltor", "Holztor", "Südtor Relais", "Gittertor", "Gartentürl", "Gartentürchen",
		"Pförtner", "Besucher reinlassen",
		"Let visitors in", "Buzz them in", "Rimessa", "Baie coulissante", "Deur en lamp",
		"Light and gate", "Licht und Tor", "Garage light and door", "Pump house door", "D\u200boor",
	} {
		if _, ok := In(name); !ok {
			t.Errorf("%q is held for no way in", name)
		}
	}
}

func TestWhatIsAtADoorLetsNobodyIn(t *testing.T) {
	for _, name := range []string{
		"Garage light", "Garage door light", "Garage light 2", "Garage light switch", "Garagenlicht", "Licht Garage",
		"Haustürlampe", "Lampe du garage", "Luz del garaje", "Luci garage", "Lampada ingresso", "Garage heater",
		"Lampa garaż", "Garagebelysning", "Gate lamps", "Front door camera", "Child lock", "switch.trv_child_lock",
		"Kindersicherung", "Doorbell", "Outdoor socket", "Indoor fan", "Temperatur", "Motor", "Monitor", "Rotor",
		"Ventilator", "Open blinds",
		"Coffee machine", "Pool pump", "Kitchen", "Sofa", "Movie night", "Access point", "Block heater", "Clock",
		"Aggregate", "Irrigation", "Natur", "Struktur", "Sensor", "Summer mode", "Generator", "Windows", "Good night",
		"Washing machine",
		"Dishwasher", "Aquarium", "Christmas tree", "Water heater", "Vacuum", "Printer", "TV", "Heizung", "Rollladen Bad",
		"Volet salon", "Lavadora", "Radiateur chambre", "Steckdose Küche", "Boiler", "Sauna", "Router",
		"Lamp voordeur", "Lampa dörr", "Lampe dør", "Rollladen aufmachen", "Schaltaktor", "Inverter", "Invertor",
		"Traktor", "Transistor",
		"Corridor", "Portable radio", "USB port 3", "Locker room light", "Blocks", "Arrive home", "Feierabend", "Alles an",
		"Tout éteindre",
	} {
		if hit, ok := In(name); ok {
			t.Errorf("%q is held for a way in by %+v", name, hit)
		}
	}
}

func TestOnlyWhatClosesIsHarmless(t *testing.T) {
	for name, want := range map[string]bool{
		"Close garage": true, "Lock the front door": true, "Garage schließen": true, "Fermer le portail": true,
		"Zamknij bramę": true, "locked": true, "Lock up": true,
		"Garage open/close": false, "Front door lock": false, "Open": false, "Toggle gate": false, "unlocked": false,
		"Gate": false, "Garage öffnen und schließen": false, "auto": false,
	} {
		if got := Shuts(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

func TestSentenceThatMayOpenTheHouseIsKnown(t *testing.T) {
	for sentence, want := range map[string]bool{
		"Open the garage, will you?": true, "unlock everything": true, "disarm the alarm": true,
		"please open all doors": true, "is the front door open": true, "öffne bitte die Haustür": true,
		"turn on the light and open the gate": true, "what if you unlocked the front door": true,
		"buzz him in": true, "let him in": true, "lass ihn rein": true, "lass uns bitte herein": true,
		"disarm the house": true, "drück den Summer": true, "stell die Heizung im Sommer aus": false, "summer mode on": false,
		"ouvre le portail": true, "let the plumber in at the door": true, "open the house": true,
		"open the blinds": false, "lock the front door": false, "what is on the list": false,
		"turn on the light in the garage": false, "licht in der garage an": false, "how warm is it": false,
	} {
		if got := Asked(sentence); got != want {
			t.Errorf("%q: %t", sentence, got)
		}
	}
}

// A list that is misspelt would be missed by nobody.
func TestEveryFileOfWordsHasEveryListThatMatters(t *testing.T) {
	folder, err := files.ReadDir("words")
	if err != nil || len(folder) < 10 {
		t.Fatalf("%d languages, %v", len(folder), err)
	}
	for _, f := range folder {
		text, err := files.ReadFile("words/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		var l lists
		if err := l.read(f.Name(), string(text)); err != nil {
			t.Fatal(err)
		}
		lists := map[string]*phrases{"place": &l.place, "opener": &l.opener, "lock": &l.lock, "key": &l.key,
			"open": &l.open, "shut": &l.shut, "thing": &l.thing}
		for key, list := range lists {
			if len(list.whole)+len(list.part) == 0 {
				t.Errorf("%s has no %s", f.Name(), key)
			}
			all := slices.Clone(list.part)
			for _, ps := range list.whole {
				all = append(all, ps...)
			}
			for _, p := range all {
				for _, w := range p.words {
					if w.text == "" || w.text != strings.ToLower(w.text) || strings.ContainsAny(w.text, "*-.’'") {
						t.Errorf("%s: %s: %q is no word of a name", f.Name(), key, w.text)
					}
				}
			}
		}
	}
	for _, wrong := range []string{"palce: door\n", "place: door,, gate\n"} {
		if err := new(lists).read("x", wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func FuzzNameOfADevice(f *testing.F) {
	for _, s := range []string{"Haustu\u0308r", "switch.front_door", "", "\xff\xfe", strings.Repeat("a", 5000)} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, name string) {
		In(name)
		Shuts(name)
		Asked(name)
	})
}

// BenchmarkName is what one name costs; a house has up to 2,000 devices.
func BenchmarkName(b *testing.B) {
	for b.Loop() {
		In("Living room ceiling spots left 2")
	}
}
