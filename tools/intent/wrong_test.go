package intent

import (
	"reflect"
	"testing"
)

// What people say that would do something else than they mean, where it was taken for a
// request. A miss is an answer; this is not.
func TestWhatIsMeantOtherwiseStartsNothing(t *testing.T) {
	m := newMatcher(t)
	for _, text := range []string{
		// What somebody says that he did, or will do.
		"i am going to open the garage door", "i didn't say turn on the light", "we are fixing to close the blinds",
		"the timer is set for ten minutes", "the alarm is set for seven", "dinner is in twenty minutes", "the temperature of the oven is 180", "the temperature in the bedroom is twenty degrees", "light of my life",
		"the thermostat is twenty", "the kitchen light is red", "it is dark outside", "it's freezing outside",
		"i put milk on the list", "i have added milk to the shopping list", "i'll add milk to the list",
		"i've set a timer for ten minutes", "i already set the timer for ten minutes", "you can have five more minutes", "give me a second",
		// What somebody else wants, or what is to stay.
		"she says turn off the light", "mum says turn off the lights", "put that off until tomorrow", "set the light to 50 for ten minutes then 20",
		"he says turn down the heating", "leave everything on", "leave the door open", "leave the window open",
		// What one asks another.
		"would you like the lamp on", "would you like the kitchen light off", "say turn off the light",
		// Why something is gone; and what might be any of two.
		"there's no milk left because somebody drank it", "play it again",
		// A recipe.
		"order all items on my shopping list",
		"turn the heat down to low", "reduce the heat to medium", "turn up the heat and add the onions", "drop the temperature to 160",
		"heat the oven to 180", "turn down the heat and simmer for ten minutes",
		// What is taken back.
		"set a timer for ten minutes never mind", "open the garage door i'm joking", "turn on the light never mind",
		// How many are meant is not understood.
		"turn off none of the lights", "turn off half the lights", "turn off most of the lights",
		"turn off every light that isn't needed", "turn lights one and two off", "dim at ten", "dim in ten", "lights off after eight",
		"turn everything off apart from the fridge the freezer and the router", "turn off the lights we don't need", "turn one of them off", "set a timer for ten to fifteen minutes", "set three five minute timers",
		"kill the lights, somebody's coming, he whispered", "the alarm woke me at six",
		// Which are meant, and whose it is.
		"turn off the lights that are too bright", "turn off the lights nobody is using", "turn up the volume on mum's phone",
		"take the bedroom lamp down", "i have five more minutes before i have to go", "we're having a party on friday night",
		// What it hangs on, and what would be done by halves.
		"only if someone is home turn on the heating", "turn on the heating but only if it's cold", "as long as the tv is on dim the lamp",
		"provided it's dry turn on the sprinkler", "every time the door opens turn on the hall light", "lock the front door and leave it open",
		"in two hours and every day at nine remind me to water the plants", "remind me to call the vet tomorrow at nine and in two hours",
	} {
		if got, ok := m.Match(text); ok && got.Call.Name != "reply" && got.Call.Name != Ask {
			t.Errorf("%q: %s %s", text, got.Call.Name, got.Call.Arguments)
		}
		if a, b, ok := m.MatchTwo(text, ""); ok {
			t.Errorf("%q: %s %s and %s %s", text, a.Call.Name, a.Call.Arguments, b.Call.Name, b.Call.Arguments)
		}
	}
}

func TestWhatWouldDoTooMuchDoesWhatIsMeant(t *testing.T) {
	m := newMatcher(t)
	for _, c := range []struct{ text, call string }{
		{"lock up", `home_control {"action":"lock","name":"everything"}`},
		{"turn them all off", `home_control {"action":"off","name":"them"}`},
		{"open the living room blinds at seven", `home_later {"action":"open","name":"living room blinds","time":"07:00?"}`},
		{"close the garage at ten", `home_later {"action":"close","name":"garage","time":"10:00?"}`},
		{"open the living room blinds by ten percent", `home_control {"action":"raise","name":"living room blinds","step":10,"unit":"percent"}`},
		{"turn on the hall light at nine", `home_later {"action":"on","name":"hall light","time":"09:00?"}`},
		{"the bedroom lamp at nine", `ask {"question":"9 percent, or at 9 o'clock?","then":["set the bedroom lamp to {answer}","turn on the bedroom lamp at {answer}"]}`},
		{"bedroom lamp at forty", `home_control {"action":"set","name":"bedroom lamp","value":40}`},
		{"keep the thermostat at 10 degrees", `home_control {"action":"set","name":"thermostat","unit":"degrees","value":10}`},
		{"turn off the kitchen lights and not the kitchen light", `home_control {"action":"off","except":"kitchen light","name":"kitchen lights"}`},
		{"speak up", `volume_set {"own":true,"step":10}`}, {"turn up the volume", `volume_set {"step":10}`},
		{"set the bedroom lamp to low", `home_control {"action":"set","name":"bedroom lamp","value":"low"}`},
		{"turn off the lights in all rooms except the kitchen and the bedroom", `home_control {"action":"off","area":"everywhere","except":"kitchen and the bedroom","name":"lights"}`},
		{"while i'm gone turn on the lights", `reply {"text":"That I cannot wait for. Tell me a time, or in how many minutes, and I do it once."}`},
		{"turn off the heating while we are away", `reply {"text":"That I cannot wait for. Tell me a time, or in how many minutes, and I do it once."}`},
		{"turn on the kitchen light as soon as the timer rings", `reply {"text":"That I cannot wait for. Tell me a time, or in how many minutes, and I do it once."}`},
		{"we should turn off the kitchen light before we leave", `reply {"text":"That I cannot wait for. Tell me a time, or in how many minutes, and I do it once."}`},
		{"turn off the kitchen light as soon as possible", `home_control {"action":"off","name":"kitchen light"}`},
		{"set a timer for two eggs for six minutes", `timer_set {"duration_s":360,"label":"two eggs"}`},
		{"set a six minute timer for two eggs", `timer_set {"duration_s":360,"label":"two eggs"}`},
		{"turn off all of them", `home_control {"action":"off","name":"them"}`},
		{"add a timer for five minutes", `timer_set {"duration_s":300}`},
		{"put please milk, eggs and butter on the list", `list_add {"items":["milk","eggs","butter"]}`},
		{"any lights on in kitchen", `home_read {"area":"kitchen","is":"on","name":"lights","which":"any"}`},
		{"any windows open in the study", `home_read {"area":"study","is":"open","name":"windows","which":"any"}`},
		{"turn everything off, I mean all the lights on the first floor", `home_control {"action":"off","area":"first floor","name":"lights","which":"all"}`},
	} {
		got, ok := m.Match(c.text)
		if call := got.Call.Name + " " + string(got.Call.Arguments); !ok || call != c.call {
			t.Errorf("%q: %s, want %s", c.text, call, c.call)
		}
	}
	for _, c := range []struct{ text, one, two string }{
		{"turn the kitchen light on and off", `{"action":"on","name":"kitchen light"}`, `{"action":"off","and":true,"name":"kitchen light"}`},
		{"turn the kitchen light off and on again", `{"action":"off","name":"kitchen light"}`, `{"action":"on","and":true,"name":"kitchen light"}`},
		{"turn off the lights upstairs and downstairs", `{"action":"off","area":"upstairs","name":"lights"}`, `{"action":"off","area":"downstairs","name":"lights"}`},
		{"cancel the pasta timer and the egg timer", `{"label":"pasta"}`, `{"label":"egg"}`},
	} {
		a, b, ok := m.MatchTwo(c.text, "")
		if one, two := string(a.Call.Arguments), string(b.Call.Arguments); !ok || one != c.one || two != c.two || a.Call.Name != b.Call.Name {
			t.Errorf("%q: %s %s and %s %s", c.text, a.Call.Name, one, b.Call.Name, two)
		}
	}
}

func TestWhatGoesOnIsNotComplete(t *testing.T) {
	m := newMatcher(t)
	for _, text := range []string{"do not", "don't", "if the kitchen light is on", "turn off the kitchen light because", "turn off the kitchen light as soon as",
		"turn off the kitchen light actually", "set the alarm for seven er", "i want the"} {
		if m.Completeness(text) == Complete {
			t.Errorf("%q is called complete", text)
		}
	}
}

func TestWhatIsMeantForAWhileOrLaterIsNotMeantForever(t *testing.T) {
	m := newMatcher(t)
	for _, c := range []struct{ text, one, two string }{
		{"turn on the kitchen light for ten minutes", `home_control {"action":"on","name":"kitchen light"}`, `home_later {"action":"off","in_s":600,"name":"kitchen light"}`},
		{"open the garage door for five minutes", `home_control {"action":"open","name":"garage door"}`, `home_later {"action":"close","in_s":300,"name":"garage door"}`},
		{"turn the lights off and lock the front door in ten minutes", `home_later {"action":"off","in_s":600,"name":"lights"}`, `home_later {"action":"lock","and":true,"in_s":600,"name":"front door"}`},
	} {
		a, b, ok := m.MatchTwo(c.text, "")
		if one, two := a.Call.Name+" "+string(a.Call.Arguments), b.Call.Name+" "+string(b.Call.Arguments); !ok || one != c.one || two != c.two {
			t.Errorf("%q: %s and %s", c.text, one, two)
		}
	}
}

func TestWhatCannotBeReadToItsEndIsNotUnderstood(t *testing.T) {
	m := newMatcher(t)
	for _, text := range []string{
		"in ten minutes turn off the heater", "set the timer for six, I mean eight minutes",
		"turn everything off, I mean the lights in the kitchen", "okay so set a timer for an hour please thank you",
	} {
		toks, _ := m.lang.Tokenize(text)
		work := maxWork
		whole, _, ok := m.find(toks, situation{}, &work)
		if !ok {
			t.Fatalf("%q is not understood", text)
		}
		want, _ := whole.match()
		needs := maxWork - work
		for k := range 40 {
			work = needs * k / 40
			if part, _, ok := m.find(toks, situation{}, &work); ok {
				if got, _ := part.match(); !reflect.DeepEqual(got, want) {
					t.Errorf("%q with %d of %d nodes: %+v, not %+v", text, needs*k/40, needs, got, want)
				}
			}
		}
	}
}
