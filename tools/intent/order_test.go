package intent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestOrderAboutATimerSetsNone tries what people order and ask of a timer that they name
// by its length: whatever is understood of it, it must never begin another.
func TestOrderAboutATimerSetsNone(t *testing.T) {
	m := newMatcher(t)
	understood, all := 0, 0
	for _, length := range []string{"five minute", "45 second", "45 seconds", "1 hour", "one and a half hour", "1 hour 20 minute", "90 minutes"} {
		for _, the := range []string{"the ", "my ", ""} {
			for _, order := range []string{
				"decrease %s timer by an hour", "shorten %s timer by two minutes", "reduce %s timer by 30 seconds", "lower %s timer by a minute", "cut %s timer by ten minutes",
				"drop %s timer by a minute", "increase %s timer by ten minutes", "extend %s timer by a minute", "remove two minutes from %s timer", "subtract a minute from %s timer",
				"take ten seconds off %s timer", "add two minutes to %s timer", "push %s timer back two minutes", "make %s timer two minutes longer", "make %s timer two minutes shorter",
				"pause %s timer", "%s timer pause", "resume %s timer", "unpause %s timer", "continue %s timer", "hold %s timer", "%s timer resume", "cancel %s timer", "stop %s timer",
				"%s timer cancel", "%s timer off", "delete %s timer", "%s timer status", "status of %s timer", "what's the status of %s timer", "time left on %s timer",
				"%s timer time left", "%s timer remaining", "how long on %s timer", "how long is left on %s timer", "check %s timer", "is %s timer done", "when does %s timer end",
				"what's left on %s timer", "restart %s timer", "rename %s timer to tea", "double %s timer", "skip %s timer", "silence %s timer", "has %s timer finished",
				"decrease timer for %s by a minute", "increase timer for %s by a minute", "pause timer for %s", "resume timer for %s", "remove a minute from timer for %s",
			} {
				text := fmt.Sprintf(order, the+length)
				got, ok := m.Match(text)
				if all++; ok {
					understood++
				}
				if got.Call.Name == "timer_set" || strings.HasPrefix(got.Call.Name, "reminder") || strings.HasPrefix(got.Call.Name, "alarm_s") {
					t.Errorf("%q: %s %s", text, got.Call.Name, got.Call.Arguments)
				}
			}
		}
	}
	t.Logf("understood: %d of %d", understood, all)
	if understood < all*9/10 {
		t.Errorf("understood: %d of %d", understood, all)
	}
}

func TestTimerIsLabelledAsItIsCalled(t *testing.T) {
	m := newMatcher(t)
	for _, name := range []string{"pizza", "banana bread", "maths homework"} {
		for _, text := range []string{
			"timer for five minutes called %s", "timer for five minutes named %s", "timer for five minutes for %s", "%s timer for five minutes", "set a timer for five minutes called %s",
			"timer called %s for five minutes", "timer named %s five minutes", "five minute timer called %s", "a five minute timer named %s please", "start a timer of five minutes labelled %s",
			"set a timer for five minutes and call it %s", "create a timer called %s for five minutes", "5 minutes timer for %s",
		} {
			got, _ := m.Match(fmt.Sprintf(text, name))
			var args map[string]any
			if err := json.Unmarshal(got.Call.Arguments, &args); got.Call.Name != "timer_set" || err != nil || args["label"] != name || args["duration_s"] != 300.0 {
				t.Errorf("%s: %s %s", fmt.Sprintf(text, name), got.Call.Name, got.Call.Arguments)
			}
		}
	}
}

func TestMutingWhatPlaysClosesNoMicrophone(t *testing.T) {
	m := newMatcher(t)
	for _, text := range []string{
		"mute", "mute it", "mute that", "mute the music", "mute the tv", "mute the radio", "mute the speaker", "mute the kitchen speaker", "mute the living room tv", "mute the stereo in the kitchen",
		"mute the sound", "mute the volume", "mute everything", "mute the media in here", "turn the sound off", "turn off the volume", "put the tv on mute", "silence the radio", "mute the podcast upstairs",
	} {
		if got, ok := m.Match(text); !ok || got.Call.Name == "speaker_mute" {
			t.Errorf("%q: %s", text, got.Call.Name)
		}
	}
	for _, text := range []string{"mute yourself", "mute the microphone", "turn off your microphone", "stop listening"} {
		if got, _ := m.Match(text); got.Call.Name != "speaker_mute" {
			t.Errorf("%q: %s", text, got.Call.Name)
		}
	}
}
