package thinker

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAbbreviationsAreWrittenOut(t *testing.T) {
	for text, want := range map[string]string{
		"Small ones, e.g. 3 kg, live approx. 10 km off.": "Small ones, for example 3 kilograms, live about 10 " +
			"kilometers off.",
		"Salt, pepper, etc.":                    "Salt, pepper, and so on.",
		"Salt (pepper, etc.), i.e. spices.":     "Salt (pepper, and so on), that is spices.",
		"Dr. Smith vs. Mr. Jones":               "Doctor Smith versus Mister Jones",
		"1 kg, 1.5 l, 250ml and 1 tbsp. of oil": "1 kilogram, 1.5 liters, 250 milliliters and 1 tablespoon of oil",
		"Bake at 200°C (392 °F) for 25-30 min.": "Bake at 200 degrees (392 degrees Fahrenheit) for 25-30 minutes.",
		"Wind of 30 km/h, 5 m high, 12 mph.": "Wind of 30 kilometers per hour, 5 meters high, 12 miles " +
			"per hour.",
		"In the 90s, 1m people took 5G or 3D, no. 7.": "In the 90s, 1m people took 5G or 3D, no. 7.",
		"I am m and g, a min of s":                    "I am m and g, a min of s",
		"It is 4 s. Go.":                              "It is 4 seconds. Go.",
		"":                                            "",
		"(":                                           "(",
	} {
		if got := english.spelled(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestGermanIsWrittenOutInGerman(t *testing.T) {
	for text, want := range map[string][]string{
		"Nimm 500 g Mehl, 1 kg Äpfel bzw. Birnen und 2 EL Öl.": {
			"Nimm 500 Gramm Mehl, 1 Kilogramm Äpfel beziehungsweise Birnen und 2 Esslöffel Öl."},
		"Ca. 20 min bei 180°C, dann ca. 1 Std. ruhen lassen. Fertig.": {
			"Zirka 20 Minuten bei 180 Grad, dann zirka 1 Stunde ruhen lassen.", "Fertig."},
		"Obst, z. B. Äpfel oder z.B. Birnen (d. h. Kernobst) usw. Guten Appetit!": {
			"Obst, zum Beispiel Äpfel oder zum Beispiel Birnen (das heißt Kernobst) und so weiter.", "Guten Appetit!"},
		"Am 3. Oktober, Montag, 26. Dezember, und im 19. Jahrhundert. Es sind 42. Noch etwas?": {
			"Am 3. Oktober, Montag, 26. Dezember, und im 19. Jahrhundert.", "Es sind 42.", "Noch etwas?"},
		"Dr. Müller hat 2 Mio. Euro. Siehe https://example.org/x. Der Wind hat 30 km/h.": {
			"Doktor Müller hat 2 Millionen Euro.", "Siehe ein Link.", "Der Wind hat 30 Kilometer pro Stunde."},
		"Um 10 h sind es 5 m, in den 90s 1m.": {"Um 10 Stunden sind es 5 Meter, in den 90s 1m."},
	} {
		if diff := cmp.Diff(want, writingOf("de").sentences(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if got := writingOf("fr").sentences("500 g de farine, 20 min."); got[0] != "500 g de farine, 20 min." {
		t.Errorf("in a language without a file: %q", got)
	}
}
