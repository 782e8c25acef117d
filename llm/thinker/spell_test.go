package thinker

import "testing"

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
		if got := spelled(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
