package timer

import (
	"context"
	"strings"
	"time"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

type remindArguments struct {
	Text string `json:"text" need:"yes" min:"1" max:"150" about:"what of, as it follows remind me: to call mum, about the oven; it: of the last one again"`
	atArguments
	In int `json:"in_s" min:"1" max:"31536000" about:"seconds from now, instead of a time"`
}

func (t *Timers) reminderTools() []tools.Tool {
	return []tools.Tool{
		tools.CallFunc(llm.ToolSpec{Name: "reminder_set",
			Description: "Reminds somebody of something at a time, on a day, or in a while."}, t.callRemind),
		tools.Query("reminder_list", "Tells which reminders are set.", t.callReminders),
		tools.Action("reminder_change", "Moves a reminder to another time or day, or by some time.", t.callRemindChange),
		sweeping("reminder_cancel", "Cancels a reminder, or all.", t.callRemindCancel),
	}
}

// cleanText is what follows "remind you", with "of" before it if it lacks such a word.
func (t *Timers) cleanText(text string) string {
	text = strings.Join(strings.Fields(strings.TrimRight(text, ".!? ")), " ")
	if text == "" || t.led(text) {
		return text
	}
	return t.Book.Part("timer.unled", phrase.Args{"text": text})
}

func (t *Timers) callRemind(ctx context.Context, c tools.Call, a remindArguments) (tools.Result, error) {
	if a.Text == tools.It {
		a.Text = t.lastReminder()
		a.atArguments = t.beside(Reminder, a.atArguments, nil, 0)
	}
	text := t.cleanText(a.Text)
	switch {
	case text == "" || strings.EqualFold(text, t.Book.Part("timer.unled", phrase.Args{"text": ""})):
		return tools.Result{}, &tools.ArgumentError{Reason: "the text is empty"}
	case a.In == 0 && a.Time == nil && a.Day == "" && a.Repeat == "":
		return tools.Result{Text: t.Book.Say("timer.remind_when", phrase.Args{"text": text})}, nil
	}
	reminder, ok, err := t.in(Reminder, time.Duration(a.In)*time.Second, a.atArguments)
	if err != nil {
		return tools.Result{}, err
	}
	if !ok {
		return t.result(Reminder, t.Book.Say("timer.over")), nil
	}
	reminder.Kind, reminder.Label, reminder.Person = Reminder, text, c.For.Person
	if there, ok := t.twin(reminder); ok {
		return t.result(Reminder, there), nil
	}
	if _, err := t.add(ctx, reminder); err != nil {
		return t.notSet(Reminder, err)
	}
	return t.kept(Reminder, t.Book.Say("timer.remind_set", t.about(reminder))+t.unsure(reminder)), nil
}

// lastReminder is the text of the one that was spoken of last, or empty.
func (t *Timers) lastReminder() string {
	list := t.it(of(t.snapshot(), Reminder), tools.It)
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].Label
}

func (t *Timers) callReminders(ctx context.Context, a struct {
	Text string `json:"text" max:"150" about:"words of it"`
	whenArgument
}) (tools.Result, error) {
	return t.tell(ctx, Reminder, "timer.reminders", "timer.none", t.meaning(a.Text, a.whenArgument, ringsOn))
}

// callRemindCancel cancels a reminder. If one rings, that one is meant.
func (t *Timers) callRemindCancel(ctx context.Context, a struct {
	Text string `json:"text" max:"150" about:"words of it"`
	whenArgument
	All bool `json:"all"`
}) (tools.Result, error) {
	rang, err := t.silence(ctx, a.Text, Reminder, t.filter(a.whenArgument, nextOn))
	if err != nil || rang && !a.All {
		return t.result(Reminder, t.Book.Say("core.okay")), err
	}
	return t.drop(ctx, Reminder, a.All, t.meaning(a.Text, a.whenArgument, nextOn))
}
