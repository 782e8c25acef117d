package intent

import (
	"testing"

	"hearthd/tools/intent/lang"
)

// Devices may be said one after the other, and behind "but" stands another order.
func TestDevicesOneAfterTheOther(t *testing.T) {
	m := newMatcher(t)
	m.SetNames("device", []lang.Name{{Value: "chandelier"}, {Value: "floor lamp"}, {Value: "sink light"}, {Value: "drapes"}})
	for text, want := range map[string]string{
		"turn off the chandelier the floor lamp and the sink light": `{"action":"off","name":"chandelier, the floor lamp and the sink light"}`,
		"turn on the floor lamp sink light":                         `{"action":"on","name":"floor lamp, sink light"}`,
		"turn the floor lamp off":                                   `{"action":"off","name":"floor lamp"}`,
		"set the thermostat to cool at twenty three":                `{"action":"set","degrees":23,"name":"thermostat","value":"cool"}`,
		"i want the floor lamp a warm white at about 33":            `{"action":"set","name":"floor lamp","percent":33,"value":"warm white"}`,
	} {
		if got, _ := m.Match(text); string(got.Call.Arguments) != want {
			t.Errorf("%q: %s, want %s", text, got.Call.Arguments, want)
		}
	}
	one, two, ok := m.MatchTwo("open the drapes but close the sink light", "")
	if first, second := string(one.Call.Arguments), string(two.Call.Arguments); !ok ||
		first != `{"action":"open","name":"drapes"}` || second != `{"action":"close","and":true,"name":"sink light"}` {
		t.Errorf("%s and %s", first, second)
	}
	if a, b, ok := m.MatchTwo("turn on everything but the drapes", ""); ok {
		t.Errorf("%s and %s", a.Call.Arguments, b.Call.Arguments)
	}
}
