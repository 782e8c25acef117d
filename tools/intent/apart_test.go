package intent

import (
	"testing"

	"hearthd/tools/intent/lang"
)

func TestAClauseThatSaysNothingToTheRequestIsARemark(t *testing.T) {
	m := newMatcher(t)
	m.SetNames("device", []Name{{Value: "bedroom lamp"}, {Value: "garage door"}, {Value: "kitchen lights"}})
	m.SetNames("area", []Name{{Value: "Kitchen"}, {Value: "Office"}})
	for text, want := range map[string]string{
		"office lights off, running late":                                     `{"action":"off","name":"office lights"}`,
		"smoke and fire, kitchen lights on":                                   "",
		"holding flour here, kitchen lights on":                               `{"action":"on","name":"kitchen lights"}`,
		"garage door, close it":                                               `{"action":"close","name":"garage door"}`,
		"first floor, all lights off, running late":                           `{"action":"off","area":"first floor","name":"lights","which":"all"}`,
		"the bedroom lamp is far too bright, could you bring it down to 20 %": `{"action":"set","name":"bedroom lamp","unit":"percent","value":20}`,
		"please block the garage door, I mean close it":                       `{"action":"close","name":"garage door"}`,
		"it is dark in the office, put the lights on over there":              `{"action":"on","area":"Office","name":"lights"}`,
		"nobody is in the kitchen so turn the lights off there":               `{"action":"off","area":"Kitchen","name":"lights"}`,
		"the bedroom lamp's too bright, turn it off":                          `{"action":"off","name":"bedroom lamp"}`,
		"the garage door, no sorry, the bedroom lamp, turn that off":          `{"action":"off","name":"bedroom lamp"}`,
		"turn off the bedroom lamp, will you, I'm off to bed":                 `{"action":"off","name":"bedroom lamp"}`,
		// What says something is no remark.
		"kitchen lights off, not the bedroom lamp":  "",
		"kitchen lights off, unless it rains":       "",
		"kitchen lights off, Lukas":                 "",
		"kitchen lights off, Lukas, the sun is out": "",
		"if the sun is out, kitchen lights off":     "",
		"he said, kitchen lights off":               "",
	} {
		match, _ := m.Match(text)
		if got := string(match.Call.Arguments); got != want {
			t.Errorf("%q: %s %s, want %s", text, match.Intent, got, want)
		}
	}
}

func TestNamesAreReadOnceInASentenceOfCommas(t *testing.T) {
	m, reads := newMatcher(t), 0
	toks, _ := m.lang.Tokenize("so what, so what, so what, so what, turn it off")
	x := m.topicsOf(toks)
	read := x.read
	x.read = func(typ string, i int) []lang.Reading { reads++; return read(typ, i) }
	m.restarted(toks, x)
	if want := len(toks) * len(m.words.Topics); reads != want {
		t.Errorf("%d readings, want %d", reads, want)
	}
}

func TestRemarksNeedNoComma(t *testing.T) {
	m := newMatcher(t)
	m.SetSamples()
	for text, want := range map[string]string{
		"oh my god it's boiling turn the thermostat down":                                `{"action":"lower","name":"thermostat"}`,
		"my hands are full turn on the kitchen light":                                    `{"action":"on","name":"kitchen light"}`,
		"turn off the kitchen light the baby is asleep":                                  `{"action":"off","name":"kitchen light"}`,
		"turn off the bedroom fan my sister wants to sleep":                              `{"action":"off","name":"bedroom fan"}`,
		"i have a meatloaf in the oven so set a timer for fifty minutes":                 `{"duration_s":3000}`,
		"i have a meatloaf in the oven set a timer for fifty no make that sixty minutes": `{"duration_s":3600}`,
		"turn the uh turn the kitchen light off":                                         `{"action":"off","name":"kitchen light"}`,
		"the um kitchen radio off please":                                                `{"action":"off","name":"kitchen radio"}`,
		"it's dark in the bedroom turn the light on":                                     `{"action":"on","area":"bedroom","name":"light"}`,
		"the bedroom lamp is too bright turn it off":                                     `{"action":"off","name":"bedroom lamp"}`,
	} {
		if got, ok := m.Match(text); !ok || string(got.Call.Arguments) != want {
			t.Errorf("%q: %v %s, not %s", text, ok, got.Call.Arguments, want)
		}
	}
	for _, text := range []string{
		"the bedroom lamp is on turn the volume up", // which may be that of the lamp's room
		"she told me the baby is asleep turn off the kitchen light",
		"turn it off turn it off the milk is boiling over",
		"dad is here dad turn off the kitchen light",
	} {
		if got, ok := m.Match(text); ok {
			t.Errorf("%q: %s %s", text, got.Intent, got.Call.Arguments)
		}
	}
}

// An indirect question is the direct one, and behind "so" stands a request whatever was said.
func TestIndirectQuestionsAndWhatFollows(t *testing.T) {
	m := newMatcher(t)
	for text, want := range map[string]string{
		"can you tell me how warm it is in the kitchen":    `home_read {"area":"kitchen","what":"temperature"}`,
		"please tell me what 20 percent of 85 is":          `calc {"expression":"20 % of 85"}`,
		"can you check if there is a leak in the attic":    `home_read {"area":"attic","is":"on","name":"leak"}`,
		"do you know what date it is tomorrow":             `date_tell {"day":"tomorrow"}`,
		"tell me what the kitchen light is set to":         `home_read {"name":"kitchen light"}`,
		"tell me what you are doing on friday":             " ",
		"i want a shower so turn on the coffee machine":    `home_control {"action":"on","name":"coffee machine"}`,
		"i need some daylight so open the front door":      `home_control {"action":"open","name":"front door"}`,
		"it was cold because nobody turned the heating on": " ",
		"he said it is late so turn off the kitchen light": " ",
	} {
		got, _ := m.Match(text)
		if s := got.Call.Name + " " + string(got.Call.Arguments); s != want {
			t.Errorf("%q: %s, want %s", text, s, want)
		}
	}
}
