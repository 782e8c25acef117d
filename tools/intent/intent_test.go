package intent

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func newMatcher(t testing.TB) *Matcher {
	t.Helper()
	m, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.SetSamples()
	return m
}

// oneFile makes a matcher of one file.
func oneFile(text string) (*Matcher, error) {
	return New(Options{Language: "xx", Extra: fstest.MapFS{"core.yaml": {Data: []byte(text)}}})
}

func TestMatchUnderstandsWhatPeopleSayAndType(t *testing.T) {
	m := newMatcher(t)
	for _, c := range []struct{ text, call string }{
		{"set a timer for six minutes sorry i mean eight minutes", `timer_set {"duration_s":480}`},
		{"turn on the lamp no wait the ceiling light", `home_control {"action":"on","name":"ceiling light"}`},
		{"set a pasta timer for ten minutes no wait make that twelve minutes", `timer_set {"duration_s":720,"label":"pasta"}`},
		{"set a rice timer for ten minutes wait make it twelve minutes", `timer_set {"duration_s":720,"label":"rice"}`},
		{"add apples no pears to the shopping list", `list_add {"items":["pears"],"list":"shopping"}`},
		{"turn off the, the fan in here, the baby's cold", `home_control {"action":"off","area":"here","name":"fan"}`},
		{"add bin bags, no, toilet paper", `list_add {"items":["toilet paper"]}`},
		{"make the timer five minutes", `timer_change {"duration_s":300}`},
		{"stop the washing machine", `home_control {"action":"off","name":"washing machine"}`},
		{"give me thirty seconds and then turn off the lights", `home_later {"action":"off","in_s":30,"name":"lights"}`},
		{"set two timers one for ten minutes and one for twenty", `timer_set {"duration_s":600,"more":[{"duration_s":1200}]}`},
		{"set an alarm on monday wednesday and friday at six fifteen", `alarm_set {"repeat":"FREQ=WEEKLY;BYDAY=MO,WE,FR","time":"06:15?"}`},
		{"is the iron still on", `home_read {"is":"on","name":"iron"}`},
		{"set a ten minute timer for the pasta", `timer_set {"duration_s":600,"label":"pasta"}`},
		{"Set a pasta timer for ten minutes.", `timer_set {"duration_s":600,"label":"pasta"}`},
		{"could you please set a 10-minute timer?", `timer_set {"duration_s":600}`},
		{"set timer for 10min", `timer_set {"duration_s":600}`},
		{"set a new timer for 1h 30m", `timer_set {"duration_s":5400}`},
		{"set a timer for an hour and a half", `timer_set {"duration_s":5400}`},
		{"set a timer for two and a half minutes", `timer_set {"duration_s":150}`},
		{"set a timer for 2½ minutes", `timer_set {"duration_s":150}`},
		{"start a timer for half an hour", `timer_set {"duration_s":1800}`},
		{"set a timer for three quarters of an hour", `timer_set {"duration_s":2700}`},
		{"set a timer for an hour and ten minutes", `timer_set {"duration_s":4200}`},
		{"set a ten minute thirty second timer", `timer_set {"duration_s":630}`},
		{"set a timer for two hundred and fifty seconds", `timer_set {"duration_s":250}`},
		{"set a timer for the sourdough starter for 20 minutes", `timer_set {"duration_s":1200,"label":"sourdough starter"}`},
		{"set a timer for 24 hours", `timer_set {"duration_s":86400}`},
		{"timer for twenty five minutes", `timer_set {"duration_s":1500}`},
		{"how much time is left on the pasta timer", `timer_left {"label":"pasta"}`},
		{"how long on the timer", `timer_left {}`},
		{"how much time do I have left?", `timer_left {}`},
		{"how much longer for the eggs", `timer_left {"label":"eggs"}`},
		{"when is the pasta timer done", `timer_left {"label":"pasta"}`},
		{"cancel the pasta timer", `timer_cancel {"label":"pasta"}`},
		{"stop the timer", `timer_cancel {}`},
		{"cancel all timers", `timer_cancel {"all":true}`},
		{"cancel all of the timers", `timer_cancel {"all":true}`},
		{"What time is it?", `time_now {}`},
		{"what's the time", `time_now {}`},
		{"what’s today's date", `date_today {}`},
		{"what day is it today", `date_today {}`},
		{"add milk and eggs to the shopping list", `list_add {"items":["milk","eggs"],"list":"shopping"}`},
		{"put bread on my list", `list_add {"items":["bread"],"list":"my"}`},
		{"add flour sugar and butter to the shopping list", `list_add {"items":["flour","sugar","butter"],"list":"shopping"}`},
		{"add some olive oil, half and half and a kohlrabi to our grocery list", `list_add {"items":["olive oil","half and half","kohlrabi"],"list":"shopping"}`},
		{"put call the plumber on my to-do list", `list_add {"items":["call the plumber"],"list":"to do"}`},
		{"what's on my shopping list", `list_show {"list":"shopping"}`},
		{"read me the list", `list_show {}`},
		{"take eggs off the list", `list_remove {"items":["eggs"]}`},
		{"remove milk from the shopping list", `list_remove {"items":["milk"],"list":"shopping"}`},
		{"clear the shopping list", `list_clear {"list":"shopping"}`},
		{"how many grams are two cups of flour", `convert_unit {"from":"cup","ingredient":"flour","to":"gram","value":2}`},
		{"how many grams is 1 1/2 cups of plain flour", `convert_unit {"from":"cup","ingredient":"plain flour","to":"gram","value":1.5}`},
		{"convert two cups to milliliters", `convert_unit {"from":"cup","to":"milliliter","value":2}`},
		{"2.5 lb in kg", `convert_unit {"from":"pound","to":"kilogram","value":2.5}`},
		{"how many fl oz in a pint", `convert_unit {"from":"pint","to":"fluid_ounce","value":1}`},
		{"what is half a cup of sugar in grams", `convert_unit {"from":"cup","ingredient":"sugar","to":"gram","value":0.5}`},
		{"what's 350 fahrenheit in celsius", `convert_unit {"from":"fahrenheit","to":"celsius","value":350}`},
		{"what's three fifty fahrenheit in celsius", `convert_unit {"from":"fahrenheit","to":"celsius","value":350}`},
		{"convert 350°F to °C", `convert_unit {"from":"fahrenheit","to":"celsius","value":350}`},
		{"what is one hundred and eighty degrees celsius in fahrenheit", `convert_unit {"from":"celsius","to":"fahrenheit","value":180}`},
		{"turn it up", `volume_set {"step":10}`},
		{"a little quieter please", `volume_set {"step":-10}`},
		{"set the volume to 50%", `volume_set {"percent":50}`},
		{"volume thirty", `volume_set {"percent":30}`},
		{"stop", `speaker_stop {}`},
		{"be quiet", `speaker_stop {}`},
		{"never mind", `speaker_stop {}`},
		{"cancel that", `speaker_stop {}`},
		{"", "none"},
		{"what is the capital of france", "none"},
		{"set a timer for 8 days", `reply {"text":"A timer runs a week at most. For longer, set a reminder."}`},
		{"set a timer for zero minutes", `ask {"question":"A timer needs at least a second. For how long?","then":["set a timer for {answer}"]}`},
		{"set the volume to 150 percent", `reply {"text":"The volume goes from 0 to 100 percent."}`},
		{"add and to the shopping list", "none"},
		{"set the table for four people", "none"},
		{"stop doing that to your sister", "none"},
		{strings.Repeat("stop ", 100), "none"},
	} {
		got, ok := m.Match(c.text)
		call := "none"
		if ok {
			call = fmt.Sprintf("%s %s", got.Call.Name, got.Call.Arguments)
		}
		if d := cmp.Diff(c.call, call); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
	}
}

func TestNewNamesThePositionOfEveryMistake(t *testing.T) {
	data := `wake: hey hearth
intents:
  - name: one
    say:
      - set (a
      - stop
      - set {x:nonsense}
`
	_, err := oneFile(data)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"line 5", "missing ')'", "line 7", `unknown slot type "nonsense"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	if _, err := oneFile("wake: x\nsilly: 1\n"); err == nil || !strings.Contains(err.Error(), "line 2 column 1") {
		t.Errorf("unknown key: %v", err)
	}
}

func TestWakeForgivesSpelling(t *testing.T) {
	m := newMatcher(t)
	for _, c := range []struct {
		text, rest string
		ok         bool
	}{
		{"hey hearth set a timer", "set a timer", true},
		{"Hey, Hearth! What time is it?", "What time is it?", true},
		{"hay heart stop", "stop", true},
		{"hey harth", "", true},
		{"They hearth, what's new?", "what's new?", true},
		{"hey hearth,", "", true},
		{"hey honey", "hey honey", false},
		{"hey", "hey", false},
		{"heyhearth stop", "heyhearth stop", false},
		{"", "", false},
	} {
		rest, ok := m.Wake(c.text)
		if rest != c.rest || ok != c.ok {
			t.Errorf("Wake(%q) = %q, %v", c.text, rest, ok)
		}
	}
	other, err := New(Options{Wake: "ok kitchen"})
	if err != nil {
		t.Fatal(err)
	}
	if rest, ok := other.Wake("OK Kitchen, stop"); rest != "stop" || !ok {
		t.Errorf("other phrase: %q, %v", rest, ok)
	}
}

func TestWakePhraseThatSomebodyElseHeardIsSpelt(t *testing.T) {
	m := newMatcher(t)
	for text, want := range map[string]string{
		"Hey, Hart, why is the sky blue?":        "hey hearth, why is the sky blue?",
		"Hey Arth who was the first in space":    "hey hearth, who was the first in space",
		"Hangarth, give me a riddle.":            "hey hearth, give me a riddle.",
		"A-har, explain how a fridge works.":     "hey hearth, explain how a fridge works.",
		"Hey, Hart.":                             "hey hearth, ",
		"They hearth, what's new?":               "They hearth, what's new?",
		"What should we do on a rainy day?":      "",
		"Earlier we walked all the way.":         "",
		"Okay, so what happened?":                "",
		"":                                       "",
		strings.Repeat("hangar", 200) + " arth.": "",
	} {
		if got, ok := m.Called(text); ok != (want != "") || ok && got != want {
			t.Errorf("Called(%.60q) = %q, %v", text, got, ok)
		} else if _, woken := m.Wake(got); woken != ok {
			t.Errorf("Wake(%q) is %v", got, woken)
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, s := range []string{"set a ten minute timer for the pasta", "add a, b and c to the list", "1/0 cups in ml", "½½½ \xff", "add " + strings.Repeat("and ", 90) + "to the list"} {
		f.Add(s)
	}
	f.Add("mach das Kuechenlicht auszumachenlicht ein zehnminutentimertimer")
	all := []*Matcher{newMatcher(f), newGerman(f)}
	f.Fuzz(func(t *testing.T, s string) {
		for _, m := range all {
			if got, ok := m.Match(s); ok && (got.Call.Name == "" || got.Call.Arguments[0] != '{') {
				t.Errorf("%q: %+v", s, got)
			}
			m.Wake(s)
			m.Called(s)
		}
	})
}

func FuzzParsePattern(f *testing.F) {
	f.Add("(set|start) [a|an] {label:label} timer")
	f.Add("((((((((((a")
	f.Add("<>")
	f.Add("<b> <a>")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := oneFile("wake: x\nintents: [{name: a, type: [a]}]\n")
		if err != nil {
			t.Fatal(err)
		}
		m.trees = newForest(func(string) ([]string, bool, bool) { return nil, false, false })
		m.data, m.parts = &data{file: file{Parts: map[string]string{"b": "x [<b>]"}}}, map[string]*ref{}
		before := len(m.patterns)
		if err := m.addPattern(s, 0, false); err == nil && m.patterns[before].least == 0 {
			t.Errorf("%q matches nothing", s)
		}
	})
}

func TestTwoRequestsInOneSentenceAreBothUnderstood(t *testing.T) {
	m := newMatcher(t)
	for _, c := range []struct{ text, calls string }{
		{"set a timer for ten minutes and add milk to the list", `timer_set {"duration_s":600}, list_add {"items":["milk"]}`},
		{"turn off the lights and lock the front door please", `home_control {"action":"off","name":"lights"}, home_control {"action":"lock","and":true,"name":"front door"}`},
		{"could you turn the volume up and then tell me the news", `volume_set {"step":10}, news_headlines {}`},
		{"add salt and pepper to the list and set a timer for an hour and a half", `list_add {"items":["salt","pepper"]}, timer_set {"duration_s":5400}`},
		{"turn off the lights and the bedroom lamp", `home_control {"action":"off","name":"lights"}, home_control {"action":"off","and":true,"name":"bedroom lamp"}`},
		{"set alarms for 7 and 7:30", `alarm_set {"time":"07:00?"}, alarm_set {"time":"07:30?"}`},
		{"turn off the light turn on the fan", `home_control {"action":"off","name":"light"}, home_control {"action":"on","name":"fan"}`},
		{"cancel the alarm and the timer", `alarm_cancel {}, timer_cancel {}`},
		{"cancel the timer, what time is it", `timer_cancel {}, time_now {}`},
		{"play jazz and set a timer for ten minutes", `media_play {"name":"jazz"}, timer_set {"duration_s":600}`},
		{"shut off the bedroom fan and the coffee machine too", `home_control {"action":"off","name":"bedroom fan"}, home_control {"action":"off","and":true,"name":"coffee machine"}`},
		{"run the bedroom fan for ten minutes and then turn it off", `home_control {"action":"on","name":"bedroom fan"}, home_later {"action":"off","in_s":600,"name":"bedroom fan"}`},
		{"set the thermostat to twenty and turn it off at midnight", `home_control {"action":"set","name":"thermostat","value":20}, home_later {"action":"off","and":true,"name":"it","time":"00:00"}`},
		{"remind me at two to call mum and at four to pick up the parcel", `reminder_set {"text":"to call mum","time":"02:00?"}, reminder_set {"text":"to pick up the parcel","time":"04:00?"}`},
		{"set a ten minute timer and a twenty minute one", `timer_set {"duration_s":600}, timer_set {"duration_s":1200}`},
		{"put marmalade on the list and a tin of pilchards", `list_add {"items":["marmalade"]}, list_add {"items":["tin of pilchards"]}`},
		{"put marmalade on the list and dad's calling", ""},
		{"say that again what did you say", ""},
		{"set a timer for ten minutes and the capital of france", ""},
		{"yes and turn off the lights", ""},
		{"set a timer for ten minutes and", ""},
		{"what time is it", ""},
		{strings.Repeat("and ", 60), ""},
	} {
		one, two, ok := m.MatchTwo(c.text, "")
		got := ""
		if ok {
			got = fmt.Sprintf("%s %s, %s %s", one.Call.Name, one.Call.Arguments, two.Call.Name, two.Call.Arguments)
		}
		if got != c.calls {
			t.Errorf("%q: %s, want %s", c.text, got, c.calls)
		}
	}
}

func TestYesBesideARemarkIsNoConsent(t *testing.T) {
	m := newMatcher(t)
	for text, want := range map[string]bool{
		"oh yes please": true, "yes please do that, thank you": true,
		"okay, so your light's green, you go, and this fellow comes out of nowhere": false,
	} {
		got, ok := m.Match(text)
		if yes := ok && got.Intent == "answer_yes"; yes != want {
			t.Errorf("%q is understood as %q %s", text, got.Intent, got.Call.Arguments)
		}
	}
	if got, ok := m.Match("no, thanks, it's fine as it is"); !ok || got.Intent != "answer_no" {
		t.Errorf("a no beside a remark is understood as %q", got.Intent)
	}
}
