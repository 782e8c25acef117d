package stt

import (
	"testing"

	"hearthd/llm"
)

func TestSentenceOfTheIntentsIsBelievedWhenItIsCertainOrConfirmed(t *testing.T) {
	here := func(text string, margin float64) llm.Transcript { return llm.Transcript{Text: text, Margin: margin} }
	asks := func(text string) string {
		switch text {
		case "Set a timer for 15 minutes.", "What's left on the timer?":
			return text
		}
		return ""
	}
	there := func(text string) llm.Transcript { return llm.Transcript{Text: text} }
	for _, tc := range []struct {
		here  llm.Transcript
		there string
		want  string
	}{
		{here("set the kitchen light to blue", -4.9), "Certification like to blue", "set the kitchen light to blue"},
		{here("set the kitchen light to blue", -6.7), "Certification like to blue", "Certification like to blue"},
		{here("cancel all timers", -14), "Cancel all, time us.", "cancel all timers"},
		{here("snooze", -8.2), "Sneeze,", "snooze"},
		{here("snooze", -14), "Sneeze,", "Sneeze,"},
		{here("okay", -11), "Oh dear", "Oh dear"},
		{here("could you cancel that", -14), "Did you add salt to that?", "Did you add salt to that?"},
		{here("what's nine hundred times eight", -17.3), "What's left on the timer?", "What's left on the timer?"},
		{here("what's nine hundred times eight", -17.3), "", "what's nine hundred times eight"},
		{llm.Transcript{Text: "set a timer for fifty minutes", Rival: true}, "Set a timer for 15 minutes.", "Set a timer for 15 minutes."},
		{llm.Transcript{Rejected: true}, "Why is the sky blue?", "Why is the sky blue?"},
	} {
		if got := Choose(tc.here, there(tc.there), asks); got.Text != tc.want {
			t.Errorf("%q at %g and %q: %q", tc.here.Text, tc.here.Margin, tc.there, got.Text)
		}
	}
	if rejected := (llm.Transcript{Rejected: true}); Choose(rejected, llm.Transcript{}, asks) != rejected {
		t.Error("that nothing was said of the grammar is lost")
	}
}

func TestGuessIsWhatWasSaidWhereTheOtherHeardWhatSoundsLikeIt(t *testing.T) {
	asks := func(text string) string {
		if text == "Set a timer for fifteen minutes." {
			return "timer_start"
		}
		return ""
	}
	for _, tc := range []struct {
		here, there, want string
		near, asked       bool // a rival is near; it is asked about
	}{
		{"what's the time", "What's the dame?", "what's the time", false, false},
		{"what's the time", "What's the dame?", "what's the time", true, true},
		{"delete the shopping list", "The lithe shopping-laster,", "The lithe shopping-laster,", false, false},
		{"press one to call this number", "Press one to enter a number.", "press one to call this number", false, true},
		{"what's the time", "What's the capital of France?", "What's the capital of France?", false, false},
		{"will it rain", "Well, then.", "Well, then.", false, false},
		{"set a timer for fifty minutes", "Set a timer for fifteen minutes.", "Set a timer for fifteen minutes.", true, false},
	} {
		here := llm.Transcript{Text: tc.here, Margin: -18, Rival: tc.near}
		if got := Choose(here, llm.Transcript{Text: tc.there}, asks); got.Text != tc.want || got.Rival != tc.asked || !Sure(got) {
			t.Errorf("%q and %q: %+v", tc.here, tc.there, got)
		}
	}
}

func TestWhatOnlyOneHeardIsNotClearAndOppositesAreAskedAbout(t *testing.T) {
	asks := func(text string) string {
		return map[string]string{"lock the door": "lock", "Lock the door.": "lock", "unlock the door": "unlock",
			"Unlock the door.": "unlock", "Delete everything.": "delete"}[text]
	}
	for _, tc := range []struct {
		here         string
		margin       float64
		near         bool
		there, want  string
		asked, clear bool
	}{
		{"lock the door", -9, false, "Lock the door.", "lock the door", false, false}, // its own margin says so
		{"lock the door", -18, false, "Lock the door.", "Lock the door.", false, true},
		{"lock the door", -9, false, "Unlock the door.", "lock the door", true, false},
		{"lock the door", -18, false, "Unlock the door.", "Unlock the door.", true, false},
		{"lock the door", -9, true, "Unlock the door.", "Unlock the door.", false, false}, // which may be what was near
		{"lock the door", 3, false, "Unlock the door.", "lock the door", false, false},
		{"lock the door", 3, false, "Lock the store.", "lock the door", false, true},
		{"lock the door", -18, false, "Lock the store.", "lock the door", false, false},
		{"lock the door", -18, false, "Delete everything.", "Delete everything.", false, false},
		{"", 0, false, "Delete everything.", "Delete everything.", false, false},
		{"", 0, false, "Why is the sky blue?", "Why is the sky blue?", false, true},
	} {
		got := Choose(llm.Transcript{Text: tc.here, Margin: tc.margin, Rival: tc.near}, llm.Transcript{Text: tc.there}, asks)
		if got.Text != tc.want || got.Rival != tc.asked || !Sure(got) || Clear(got) != tc.clear {
			t.Errorf("%q at %g and %q: %+v", tc.here, tc.margin, tc.there, got)
		}
	}
}
