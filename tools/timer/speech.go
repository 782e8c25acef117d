package timer

import (
	"slices"
	"strings"

	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// about is the data of t for the answers.
func (t *Timers) about(e Timer) phrase.Args {
	a := phrase.Args{
		"kind": string(e.Kind), "label": e.Label, "person": e.Person, "length": e.Length, "left": e.Left,
		"paused": e.Left > 0, "only": false,
		"time": when.Float(e.Ends, t.Location), "today": when.Float(t.wall(), t.Location),
		"repeat": t.Book.Often(e.Repeat.Parts()), "led": t.led(e.Label),
		"station": "",
	}
	if e.Kind == Alarm {
		a["station"] = e.Do
	}
	return a
}

// one is the data of an entry of list for the answers.
func (t *Timers) one(list []entry, e entry) phrase.Args {
	a := t.about(e.Timer)
	a["left"], a["only"] = e.left(), len(list) == 1 && e.Label == ""
	return a
}

func (t *Timers) many(kind Kind, list []entry) phrase.Args {
	all := make([]phrase.Args, len(list))
	for i, e := range list {
		all[i] = t.about(e.Timer)
		all[i]["left"] = e.left()
	}
	return phrase.Args{"kind": string(kind), "timers": all}
}

// name is what a timer is called: "pasta timer", or "ten minute timer" if it has no label. An
// alarm or a reminder is called by its label.
func (t *Timers) name(e Timer) string {
	if e.Kind != Countdown {
		return e.Label
	}
	return t.Book.Part("timer.name", t.about(e))
}

func (t *Timers) saidLeft(list, chosen []entry) string {
	var all []phrase.Args
	for _, e := range chosen {
		all = append(all, t.one(list, e))
	}
	return t.Book.Say("timer.left", phrase.Args{"timers": all})
}

func (t *Timers) saidNone(list []entry, label string) string {
	if len(list) == 0 {
		return t.Book.Say("timer.none", phrase.Args{"kind": string(Countdown)})
	}
	a := t.many(Countdown, list)
	a["label"] = t.cleanLabel(label)
	return t.Book.Say("timer.no_such_timer", a)
}

func (t *Timers) saidCancelled(list, chosen []entry) string {
	switch n := len(chosen); {
	case n == 1:
		return t.Book.Say("timer.cancelled", t.one(list, chosen[0]))
	case n == 2 && len(list) == 2:
		return t.Book.Say("timer.cancelled_both")
	case n == len(list):
		return t.Book.Say("timer.cancelled_all", phrase.Args{"n": n})
	case t.alike(chosen):
		a := t.about(chosen[0].Timer)
		a["n"] = n
		return t.Book.Say("timer.cancelled_alike", a)
	}
	return t.Book.Say("timer.cancelled_some", t.many(Countdown, chosen))
}

// which asks which of several timers is meant.
func (t *Timers) which(chosen []entry, todo string) string {
	a := t.many(Countdown, chosen)
	a["deed"] = todo
	return t.Book.Say("timer.which", a)
}

// rings are the sentences said while events ring together, in this order.
var rings = []string{
	"timer.ring_alarm", "timer.ring_alarm_again", "timer.ring_alarm_missed", "timer.ring_timer", "timer.ring_timer_again",
	"timer.ring_timer_missed", "timer.ring_reminder", "timer.ring_reminder_late",
}

// ring is the one of rings for an event.
func (e *Event) ring() string {
	switch {
	case e.Timer.Kind == Reminder && (e.Missed || e.Once):
		return "timer.ring_reminder_late"
	case e.Timer.Kind == Reminder:
		return "timer.ring_reminder"
	case e.Again:
		return "timer.ring_" + string(e.Timer.Kind) + "_again"
	case e.Missed:
		return "timer.ring_" + string(e.Timer.Kind) + "_missed"
	}
	return "timer.ring_" + string(e.Timer.Kind)
}

// saidRinging is what is said while these events ring together.
func (t *Timers) saidRinging(events []Event) string {
	var said []string
	for _, ring := range rings {
		var all []phrase.Args
		for _, e := range events {
			if e.ring() == ring {
				all = append(all, t.about(e.Timer))
			}
		}
		if ring == "timer.ring_alarm" {
			all = slices.CompactFunc(all, func(a, b phrase.Args) bool {
				return t.Book.Part("timer.ring_at", a) == t.Book.Part("timer.ring_at", b)
			})
		}
		if len(all) > 0 {
			said = append(said, t.Book.Say(ring, phrase.Args{"timers": all}))
		}
	}
	return strings.Join(said, " ")
}

// led reports whether what somebody is to be reminded of begins with a word that joins it to
// "remind you": "to call mum".
func (t *Timers) led(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return slices.Contains(t.words("timer.leads"), strings.Trim(first, ","))
}

// words are language-dependent words, which the language's data has.
func (t *Timers) words(key string) []string { return strings.Fields(t.Book.Part(key)) }
