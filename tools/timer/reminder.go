package timer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/tools"
)

type remindArguments struct {
	Text string `json:"text" need:"yes" min:"1" max:"150" about:"what of, as it follows remind me: to call mum, about the oven"`
	atArguments
	In int `json:"in_s" min:"1" max:"31536000" about:"seconds from now, instead of a time"`
}

func (t *Timers) reminderTools() []tools.Tool {
	return []tools.Tool{
		tools.Action("reminder_set", "Reminds somebody of something at a time, on a day, or in a while.", t.callRemind),
		tools.Query("reminder_list", "Tells which reminders are set.", t.callReminders),
		tools.Action("reminder_cancel", "Cancels a reminder, or all.", t.callRemindCancel),
	}
}

// leads are the first words of what follows "remind you".
var leads = []string{"to", "about", "of", "that", "when", "not"}

// cleanText is what follows "remind you", with "of" before it if it lacks such a word.
func cleanText(text string) string {
	words := strings.Fields(strings.TrimRight(text, ".!? "))
	if len(words) > 0 && !slices.Contains(leads, strings.ToLower(words[0])) {
		return "of " + strings.Join(words, " ")
	}
	return strings.Join(words, " ")
}

func (t *Timers) callRemind(ctx context.Context, a remindArguments) (tools.Result, error) {
	text := cleanText(a.Text)
	switch {
	case text == "" || text == "of":
		return tools.Result{}, &tools.ArgumentError{Reason: "the text is empty"}
	case a.In == 0 && a.Time == "" && a.Day == "" && a.Repeat == "":
		return tools.Result{Text: fmt.Sprintf("When should I remind you %s?", toYou(text))}, nil
	}
	reminder, ok, err := t.in(time.Duration(a.In)*time.Second, a.atArguments)
	if err != nil {
		return tools.Result{}, err
	}
	if !ok {
		return t.result(Reminder, over), nil
	}
	reminder.Kind, reminder.Label = Reminder, text
	if _, err := t.add(ctx, reminder); err != nil {
		return t.notSet("reminder", err)
	}
	said := fmt.Sprintf("I'll remind you %s %s.%s", t.moment(reminder), toYou(text), t.unsure(reminder))
	return t.result(Reminder, said), nil
}

func (t *Timers) callReminders(ctx context.Context, _ struct{}) (tools.Result, error) {
	list, err := t.timers(ctx, Reminder)
	if err != nil {
		return tools.Result{}, err
	}
	if len(list) == 0 {
		return t.result(Reminder, "You have no reminders."), nil
	}
	count := tools.Count(len(list), "reminder", "reminders")
	return t.result(Reminder, fmt.Sprintf("You have %s: %s.", count, t.dues(list))), nil
}

// dues lists reminders in words: "at 6 PM today to call your mother".
func (t *Timers) dues(list []entry) string {
	var said []string
	for _, e := range list {
		said = append(said, "at "+t.point(e.Timer)+" "+toYou(e.Label))
	}
	return some(said)
}

// callRemindCancel cancels a reminder. If one rings, that one is meant.
func (t *Timers) callRemindCancel(ctx context.Context, a struct {
	Text string `json:"text" max:"150" about:"words of it"`
	All  bool   `json:"all"`
}) (tools.Result, error) {
	rang, err := t.silence(ctx, a.Text, Reminder)
	if err != nil || rang && !a.All {
		return t.result(Reminder, "Okay."), err
	}
	return t.drop(ctx, Reminder, a.All, func(list []entry) []entry { return match(list, a.Text) }, t.dues,
		func(chosen []entry) string { return toYou(chosen[0].Label) })
}
