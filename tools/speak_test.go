package tools

import (
	"testing"
	"time"
)

func TestNumbersAreWords(t *testing.T) {
	for n, want := range map[int]string{0: "zero", 1: "one", 12: "twelve", 19: "nineteen", 20: "twenty", 45: "forty-five", 99: "ninety-nine", 100: "100", -3: "-3"} {
		if got := Words(n); got != want {
			t.Errorf("Words(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDurationsAreSpokenRoundedToWhatMatters(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                       "no time",
		time.Second:                             "one second",
		59*time.Second + 700*time.Millisecond:   "one minute",
		10 * time.Minute:                        "ten minutes",
		6*time.Minute + 20*time.Second:          "six minutes and twenty seconds",
		time.Hour:                               "one hour",
		59*time.Minute + 59600*time.Millisecond: "one hour",
		90*time.Minute + 20*time.Second:         "one hour and thirty minutes",
		2*time.Hour + 59*time.Minute + 45*time.Second: "three hours",
		24 * time.Hour: "twenty-four hours",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestListsAreSpokenUpToTenEntries(t *testing.T) {
	many := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}
	for want, items := range map[string][]string{
		"":                                   nil,
		"milk":                               {"milk"},
		"milk and eggs":                      {"milk", "eggs"},
		"milk, eggs and bread":               {"milk", "eggs", "bread"},
		"a, b, c, d, e, f, g, h, i, j and k": many[:11],
		"a, b, c, d, e, f, g, h, i, j and two more": many,
	} {
		if got := Join(items); got != want {
			t.Errorf("Join(%v) = %q, want %q", items, got, want)
		}
	}
}

func TestSentenceBeginsWithCapital(t *testing.T) {
	for text, want := range map[string]string{"": "", "milk": "Milk", "éclair": "Éclair", "10 g": "10 g"} {
		if got := Sentence(text); got != want {
			t.Errorf("Sentence(%q) = %q", text, got)
		}
	}
}

func TestThousandsHaveCommas(t *testing.T) {
	for in, want := range map[string]string{"": "", "7": "7", "125": "125", "1250": "1,250", "1000000": "1,000,000"} {
		if got := Thousands(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
