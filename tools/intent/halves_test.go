package intent

import "testing"

// TestTheTimeThatWasSaidIsTheTimeThatIsMeant: figures with two for the hour leave nothing
// open, but for those from ten to twelve, which say their half of the day.
func TestTheTimeThatWasSaidIsTheTimeThatIsMeant(t *testing.T) {
	m := newMatcher(t)
	for said, want := range map[string]string{
		"ten am":                  "10:00",
		"11:30 in the morning":    "11:30",
		"12 pm":                   "12:00",
		"noon":                    "12:00",
		"twelve thirty am":        "00:30",
		"ten":                     "10:00?",
		"twelve":                  "12:00?",
		"7 pm":                    "19:00",
		"ten past noon":           "12:10",
		"quarter past midnight":   "00:15",
		"half past midnight":      "00:30",
		"five to midnight":        "23:55",
		"ten to noon":             "11:50",
		"twelve tonight":          "00:00",
		"12 at night":             "00:00",
		"3 at night":              "03:00",
		"ten tonight":             "22:00",
		"half past one at night":  "01:30",
		"five in the afternoon":   "17:00",
		"seven and a half":        "07:30?",
		"twelve in the afternoon": "12:00",
		"eight hundred pm":        "20:00",
		"nineteen hundred hours":  "19:00",
	} {
		got, ok := m.Match("set an alarm for " + said)
		if args := string(got.Call.Arguments); !ok || args != `{"time":"`+want+`"}` {
			t.Errorf("%s: %s, want %s", said, args, want)
		}
	}
	for said, want := range map[string]string{
		"remind me tonight at ten to lock up":        "22:00",
		"remind me tonight at twelve to lock up":     "00:00",
		"remind me this evening at six to lock up":   "18:00",
		"remind me this morning at ten to lock up":   "10:00",
		"remind me at lunchtime to lock up":          "12:00",
		"remind me at one in the night to lock up":   "01:00",
		"remind me this morning at seven to lock up": "07:00",
	} {
		got, ok := m.Match(said)
		if args := string(got.Call.Arguments); !ok || args != `{"text":"to lock up","time":"`+want+`"}` {
			t.Errorf("%s: %s, want %s", said, args, want)
		}
	}
}

func TestFiguresBehindAPointAndAnHourCount(t *testing.T) {
	m := newMatcher(t)
	for said, want := range map[string]string{
		"what is five point oh five plus one": `{"expression":"5.05 + 1"}`,
		"set a timer for 2 hours 5":           `{"duration_s":7500}`,
		"set a timer for 5 minutes 2 eggs":    `{"duration_s":300,"label":"2 eggs"}`,
	} {
		if got, ok := m.Match(said); !ok || string(got.Call.Arguments) != want {
			t.Errorf("%s: %s, want %s", said, got.Call.Arguments, want)
		}
	}
	for _, said := range []string{
		"set two timers for 5 minutes", "set three timers of ten minutes", // two minutes, and five
		"remind me on weekdays at 7", "remind me every day at 8", // "to every day"
	} {
		if got, ok := m.Match(said); ok {
			t.Errorf("%s: %s", said, got.Call.Arguments)
		}
	}
}

func TestOfTwoTimesTheHalfOfTheLaterOneIsThatOfBoth(t *testing.T) {
	m := newMatcher(t)
	for said, want := range map[string]string{
		"set alarms for one and two in the morning": "01:00", "alarms for seven and eight pm": "19:00", "set alarms for ten and two pm": "10:00?",
	} {
		if one, _, ok := m.MatchTwo(said, ""); !ok || string(one.Call.Arguments) != `{"time":"`+want+`"}` {
			t.Errorf("%s: %s, want %s", said, one.Call.Arguments, want)
		}
	}
}
