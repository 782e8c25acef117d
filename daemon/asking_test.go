package daemon

import (
	"encoding/json"
	"strings"
	"testing"

	"hearthd/config"
)

// What a tool asks "which one" of, and what an intent asks for, is understood with the
// answer in its place.
func TestAnswersCompleteWhatWasAsked(t *testing.T) {
	h := fullHouse(t, func(*config.Config) {})
	for _, c := range []struct {
		then         []string
		answer, want string
	}{
		{[]string{"cancel {answer} timer", "cancel {answer}", "cancel {answer} timers"}, "the pasta one",
			`timer_cancel {"label":"pasta"}`},
		{[]string{"cancel {answer} timer", "cancel {answer}", "cancel {answer} timers"}, "the pasta timer",
			`timer_cancel {"label":"pasta"}`},
		{[]string{"cancel {answer} timer", "cancel {answer}", "cancel {answer} timers"}, "both",
			`timer_cancel {"all":true}`},
		{[]string{"pause {answer} timer", "pause {answer}", "pause {answer} timers"}, "pasta",
			`timer_pause {"label":"pasta"}`},
		{[]string{"cancel {answer} alarm", "cancel the alarm {answer}"}, "the one at seven",
			`alarm_cancel {"time":"07:00?"}`},
		{[]string{"cancel {answer} alarm", "cancel the alarm {answer}"}, "the seven o'clock one",
			`alarm_cancel {"time":"07:00?"}`},
		{[]string{"cancel {answer} alarm", "cancel the alarm {answer}"}, "all of them", `alarm_cancel {"all":true}`},
		{h.asks(t, "set a timer"), "ten minutes", `timer_set {"duration_s":600}`},
		{h.asks(t, "set a timer"), "for an hour and a half", `timer_set {"duration_s":5400}`},
		{h.asks(t, "set a timer for the eggs"), "six", `timer_set {"duration_s":360,"label":"eggs"}`},
		{h.asks(t, "set two timers"), "five and ten minutes",
			`timer_set {"duration_s":300,"more":[{"duration_s":600}]}`},
		{h.asks(t, "set a timer for zero minutes"), "two minutes", `timer_set {"duration_s":120}`},
		{h.asks(t, "set an alarm"), "seven", `alarm_set {"time":"07:00?"}`},
		{h.asks(t, "set an alarm"), "half past six tomorrow", `alarm_set {"day":"tomorrow","time":"06:30?"}`},
		{h.asks(t, "set an alarm for 25:00"), "at nine", `alarm_set {"time":"09:00?"}`},
		{h.asks(t, "remind me to call mum"), "at five", `reminder_set {"text":"to call mum","time":"05:00?"}`},
		{h.asks(t, "remind me to call mum"), "in ten minutes", `reminder_set {"in_s":600,"text":"to call mum"}`},
		{h.asks(t, "remind me to call mum"), "tomorrow", `reminder_set {"day":"tomorrow","text":"to call mum"}`},
		{h.asks(t, "remind me to call mum"), "half past six", `reminder_set {"text":"to call mum","time":"06:30?"}`},
		{h.asks(t, "remind me tomorrow at noon"), "to call mum",
			`reminder_set {"day":"tomorrow","text":"to call mum","time":"12:00"}`},
		{h.asks(t, "add something to the shopping list"), "milk and eggs",
			`list_add {"items":["milk","eggs"],"list":"shopping"}`},
	} {
		got := "nothing"
		for _, then := range c.then {
			if call, _, ok := h.matcher.Match(strings.ReplaceAll(then, "{answer}", c.answer), ""); ok &&
				call.Name != "ask" {
				got = call.Name + " " + string(call.Arguments)
				break
			}
		}
		if got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.answer, c.then, got, c.want)
		}
	}
}

// asks is the requests that an answer to what is asked after sentence may make.
func (h *assistant) asks(t *testing.T, sentence string) []string {
	t.Helper()
	call, _, ok := h.matcher.Match(sentence, "")
	if !ok || call.Name != "ask" {
		t.Fatalf("%q: %s %s", sentence, call.Name, call.Arguments)
	}
	return fields(t, call.Arguments).Then
}

type askArguments struct {
	Question string   `json:"question"`
	Then     []string `json:"then"`
}

func fields(t *testing.T, arguments []byte) (a askArguments) {
	t.Helper()
	if err := json.Unmarshal(arguments, &a); err != nil {
		t.Fatal(err)
	}
	return a
}
