package intent

import "testing"

func TestWhatSomebodyWantsDoneIsAnOrder(t *testing.T) {
	m := newMatcher(t)
	for _, c := range []struct{ text, order string }{
		{"i want the volume turned down", "turn the volume down"},
		{"i need your volume to be increased", "increase your volume"},
		{"we would like the garage door closed", "close the garage door"},
		{"can i have the bedroom fan switched on", "switch on the bedroom fan"},
		{"the front door must be locked", "lock the front door"},
		{"the kitchen light should be switched off at ten", "switch the kitchen light off at ten"},
		{"i want milk added to the shopping list", "add milk to the shopping list"},
		{"we need an alarm set for seven", "set an alarm for seven"},
	} {
		got, ok := m.Match(c.text)
		want, _ := m.Match(c.order)
		if !ok || got.Call.Name != want.Call.Name || string(got.Call.Arguments) != string(want.Call.Arguments) {
			t.Errorf("%q: %s %s, want %s %s", c.text, got.Call.Name, got.Call.Arguments, want.Call.Name, want.Call.Arguments)
		}
	}
	for _, text := range []string{
		"i have the light turned on already", "has the door been locked by somebody", "the door could not be opened yesterday",
		"should the milk be added before the eggs", "he wants the heating turned down",
	} {
		if got, ok := m.Match(text); ok && got.Call.Name != "home_read" {
			t.Errorf("%q: %s %s", text, got.Call.Name, got.Call.Arguments)
		}
	}
}
