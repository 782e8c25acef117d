package timer

import (
	"fmt"
	"slices"
	"strings"

	"hearthd/tools"
	"hearthd/tools/when"
)

// maxDetailed is how many timers are told one by one; the others are only counted.
const maxDetailed = 4

// name is what a timer is called: "pasta timer", or "ten minute timer" if it has no label. An
// alarm or a reminder is called by its label.
func name(t Timer) string {
	switch {
	case t.Kind != Countdown:
		return t.Label
	case t.Label != "":
		return t.Label + " timer"
	}
	singular := strings.NewReplacer(" and ", " ", "hours", "hour", "minutes", "minute", "seconds", "second")
	return singular.Replace(tools.Duration(t.Length)) + " timer"
}

// shortName is what a timer is called if there are only those of list.
func shortName(list []entry, e entry) string {
	if len(list) == 1 && e.Label == "" {
		return "timer"
	}
	return name(e.Timer)
}

func saidLeft(list, chosen []entry) string {
	var said []string
	if len(chosen) > 1 {
		said = append(said, "You have "+tools.Count(len(chosen), "timer", "timers")+".")
	}
	for i, e := range chosen {
		if i == maxDetailed {
			said = append(said, tools.Sentence(tools.Count(len(chosen)-i, "more ends later.", "more end later.")))
			break
		}
		paused := ""
		if e.Left > 0 {
			paused = ", which is paused"
		}
		left := tools.Sentence(tools.Duration(e.left()))
		said = append(said, fmt.Sprintf("%s left on the %s%s.", left, shortName(list, e), paused))
	}
	return strings.Join(said, " ")
}

func saidNone(list []entry, label string) string {
	if len(list) == 0 {
		return "You have no timers."
	}
	label = cleanLabel(label)
	for _, unit := range []string{"hour", "minute", "second"} { // the five minute timer
		if one := strings.TrimSuffix(label, "s"); strings.HasSuffix(one, " "+unit) {
			label = one
		}
	}
	return fmt.Sprintf("You have no %s timer. You have %s.", label, counted(list))
}

func saidCancelled(list, chosen []entry) string {
	switch n := len(chosen); {
	case n == 1:
		return fmt.Sprintf("The %s is cancelled.", shortName(list, chosen[0]))
	case n == 2 && len(list) == 2:
		return "Both timers are cancelled."
	case n == len(list):
		return fmt.Sprintf("All %s timers are cancelled.", tools.Words(n))
	case alike(chosen):
		return fmt.Sprintf("%s %ss are cancelled.", tools.Sentence(tools.Words(n)), name(chosen[0].Timer))
	}
	return fmt.Sprintf("%s are cancelled.", tools.Sentence(names(chosen)))
}

// which asks which of several is meant, and returns the requests that the answer makes of it.
// For a change there are none, because the new time is not remembered.
func which(chosen []entry, todo string) (text string, then []string) {
	text = "You have " + counted(chosen) + ". Which one should I " + todo + "?"
	if todo == "change" {
		return text, nil
	}
	return text, []string{todo + " {answer} timer", todo + " {answer}", todo + " {answer} timers"}
}

// counted is "one timer: the pasta timer" or "two timers: the pasta timer and the
// ten minute timer".
func counted(list []entry) string {
	return tools.Count(len(list), "timer", "timers") + ": " + names(list)
}

func names(list []entry) string {
	all := make([]string, len(list))
	for i, e := range list {
		all[i] = "the " + name(e.Timer)
	}
	return some(all)
}

// some joins what is said of several timers, and only counts those that are too many to listen to.
func some(all []string) string { return tools.JoinUpTo(all, maxDetailed) }

// saidRinging is what is said while these events ring together.
func (t *Timers) saidRinging(events []Event) string {
	var done, before, off, alarms, again, missed, reminders, late []string
	for _, e := range events {
		switch at := t.clockOf(e.Timer); {
		case e.Timer.Kind == Countdown && e.Again:
			before = append(before, "the "+name(e.Timer))
		case e.Timer.Kind == Countdown && e.Missed:
			off = append(off, "the "+name(e.Timer))
		case e.Timer.Kind == Countdown:
			done = append(done, "the "+name(e.Timer))
		case e.Timer.Kind == Alarm && e.Again:
			again = append(again, "for "+at+labelled(e.Timer))
		case e.Timer.Kind == Alarm && e.Missed:
			missed = append(missed, "for "+at+labelled(e.Timer))
		case e.Timer.Kind == Alarm:
			alarms = append(alarms, at+labelled(e.Timer))
		case e.Missed, e.Once:
			late = append(late, at+" "+toYou(e.Timer.Label))
		default:
			reminders = append(reminders, toYou(e.Timer.Label))
		}
	}
	var said []string
	say := func(list []string, one, many string) {
		if len(list) == 0 {
			return
		}
		form := one
		if len(list) > 1 {
			form = many
		}
		said = append(said, tools.Sentence(fmt.Sprintf(form, some(list))))
	}
	say(slices.Compact(alarms), "it's %s.", "it's %s.")
	say(again, "I restarted during the alarm %s.", "I restarted during the alarms %s.")
	say(missed, "I missed the alarm %s.", "I missed the alarms %s.")
	say(done, "%s is done.", "%s are done.")
	say(before, "%s ended before I restarted.", "%s ended before I restarted.")
	say(off, "%s ended while I was off.", "%s ended while I was off.")
	say(reminders, "I am to remind you %s.", "I am to remind you %s.")
	say(late, "I could not remind you at %s.", "I could not remind you at %s.")
	return strings.Join(said, " ")
}

// clockOf is the time of day at which e ends, as it is said.
func (t *Timers) clockOf(e Timer) string {
	return when.SayTime(when.Float(e.Ends, t.Location), t.Hour24)
}

// labelled is the label of an alarm as it follows its time.
func labelled(t Timer) string {
	if t.Label == "" {
		return ""
	}
	return ", " + t.Label
}

// turned are words with which people speak of themselves, and how they are said to them.
var turned = map[string]string{
	"my": "your", "me": "you", "i": "you", "mine": "yours", "myself": "yourself", "our": "your", "us": "you",
	"i'm": "you are", "am": "are",
}

// toYou says what a person wants to be reminded of: "to call your mother".
func toYou(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if you, ok := turned[strings.ToLower(w)]; ok {
			words[i] = you
		}
	}
	return strings.Join(words, " ")
}
