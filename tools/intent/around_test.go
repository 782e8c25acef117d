package intent

import (
	"testing"

	"hearthd/tools/intent/lang"
)

// What people say around a request may be a clause without a comma, and name things of the house too.
func TestRemarksAroundARequest(t *testing.T) {
	m := newMatcher(t)
	m.SetNames("device", []lang.Name{{Value: "recessed lights"}, {Value: "bedroom blinds"}, {Value: "washing machine"}})
	for text, want := range map[string]string{
		"it's gone dark early hasn't it turn the recessed lights on":               `{"action":"on","name":"recessed lights"}`,
		"switch off the washing machine i must work on the socket":                 `{"action":"off","name":"washing machine"}`,
		"turn the recessed lights off ann is going to bed":                         `{"action":"off","name":"recessed lights"}`,
		"the recessed lights in the living room are a bit bright bring them to 30": `{"action":"set","area":"living room","name":"recessed lights","value":30}`,
		"bedroom blinds close them":                                                `{"action":"close","name":"bedroom blinds"}`,
		"we've a job on in the morning so don't wait up":                           ``,
	} {
		if got, _ := m.Match(text); string(got.Call.Arguments) != want {
			t.Errorf("%q: %s, want %s", text, got.Call.Arguments, want)
		}
	}
}

func TestWhatIsStutteredOrSaidInsteadIsNoItem(t *testing.T) {
	m := newMatcher(t)
	for text, want := range map[string]string{
		"put um eggs and and oat milk on the shopping list":            `{"items":["eggs","oat milk"],"list":"shopping"}`,
		"add avos bread rolls and a slab of beer to the shopping list": `{"items":["avos","bread rolls","slab of beer"],"list":"shopping"}`,
		"add nappies wipes and that pink soap to the shopping list":    `{"items":["nappies","wipes","pink soap"],"list":"shopping"}`,
		"set two timers one for 8 minutes called rice and one for 20 minutes called fish": `{"duration_s":480,"label":"rice",` +
			`"more":[{"duration_s":1200,"label":"fish"}]}`,
		"turn the heating to twenty two not twenty": `{"action":"set","name":"heating","value":22}`,
	} {
		if got, _ := m.Match(text); string(got.Call.Arguments) != want {
			t.Errorf("%q: %s, want %s", text, got.Call.Arguments, want)
		}
	}
}
