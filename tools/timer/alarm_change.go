package timer

import (
	"context"
	"math"
	"slices"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// moveArguments say when something is to ring instead.
type moveArguments struct {
	NewTime *when.Clock `json:"new_time" about:"as time"`
	Minute  *int        `json:"new_minute" min:"0" max:"59" about:"of the hour that is nearest"`
	Half    string      `json:"new_half" enum:"am,pm" about:"the half of the day that was meant"`
	NewDay  when.Day    `json:"new_day" about:"as day"`
	Add     int         `json:"add_s" min:"-86400" max:"86400" about:"seconds later, or earlier when negative"`
}

// callAlarmChange moves an alarm. One that repeats keeps its days, except for the day that
// new_day replaces.
func (t *Timers) callAlarmChange(ctx context.Context, a struct {
	alarmArgument
	moveArguments
}) (tools.Result, error) {
	return t.move(ctx, Alarm, a.moveArguments, t.meaning(a.Label, a.whenArgument, nextOn))
}

// callRemindChange moves a reminder, as callAlarmChange does.
func (t *Timers) callRemindChange(ctx context.Context, a struct {
	Text string `json:"text" max:"150" about:"words of it"`
	whenArgument
	moveArguments
}) (tools.Result, error) {
	return t.move(ctx, Reminder, a.moveArguments, t.meaning(a.Text, a.whenArgument, nextOn))
}

// move moves the one of a kind that pick chooses.
func (t *Timers) move(
	ctx context.Context, kind Kind, a moveArguments, pick func([]entry) []entry,
) (tools.Result, error) {
	if a.NewTime == nil && a.Minute == nil && a.Half == "" && a.NewDay == "" && a.Add == 0 {
		return tools.Result{}, &tools.ArgumentError{Reason: "a new time, a new day or add_s is needed"}
	}
	move := t.mover(a)
	var text string
	var several []entry
	told := t.result
	err := t.edit(ctx, func(all []entry) ([]entry, []int64) {
		list := of(all, kind)
		chosen := pick(slices.Clone(list))
		switch {
		case len(list) == 0:
			text = t.Book.Say("timer.none", phrase.Args{"kind": string(kind)})
		case len(chosen) == 0:
			text = t.Book.Say("timer.no_such", t.many(kind, list))
		case len(chosen) > 1:
			text, several = t.Book.Say("timer.which_to_change", t.many(kind, chosen)), chosen
		default:
			e := chosen[0]
			if !move(&e) {
				text = t.Book.Say("timer.over")
				return nil, nil
			}
			text, told = t.Book.Say("timer.moved", t.about(e.Timer))+t.unsure(e.Timer), t.kept
			return []entry{e}, nil
		}
		return nil, nil
	})
	if err != nil {
		return tools.Result{}, t.failure(err, "timer.not_done", phrase.Args{"deed": "change"})
	}
	if several == nil {
		return told(kind, text), nil
	}
	return t.ask(kind, several, text, oneByOne(func(ctx context.Context, ids []int64) (tools.Result, error) {
		return t.move(ctx, kind, a, func(list []entry) []entry { return among(list, ids) })
	})), nil
}

// mover returns a function that moves something as a says; it returns false if the new time has passed.
func (t *Timers) mover(a moveArguments) func(*entry) bool {
	now := when.Float(t.wall(), t.Location)
	return func(e *entry) bool {
		f := when.Float(e.Ends, t.Location).Add(time.Duration(a.Add) * time.Second)
		if a.NewDay != "" {
			f = a.NewDay.On(now).Add(f.Sub(when.Date(f)))
		}
		if a.NewTime != nil {
			f = nearest(*a.NewTime, f)
		}
		if a.Minute != nil {
			minutes := *a.Minute - f.Minute()
			f = f.Add(time.Duration(minutes-60*int(math.Round(float64(minutes)/60))) * time.Minute)
		}
		if a.Half != "" {
			clock := when.Clock{Hour: (f.Hour()+11)%12 + 1, Minute: f.Minute()}
			f = clock.In(a.Half == "am").On(f, 0)
		}
		if next, ok := e.Repeat.Next(f, now); ok && !f.After(now) && a.NewDay == "" {
			f = next // on one of its days
		}
		for !f.After(now) && a.NewDay == "" {
			f = f.AddDate(0, 0, 1)
		}
		if !f.After(now) {
			return false
		}
		t.ringAt(e, f)
		return true
	}
}

// beside is when something is to ring beside the one of a kind that was spoken of last: on its day and how it repeats,
// and in its half of the day, unless these are said. With minute it is the next time after it that a clock shows that,
// with later so much later.
func (t *Timers) beside(kind Kind, a atArguments, minute *int, later time.Duration) atArguments {
	list := t.it(of(t.snapshot(), kind), tools.It)
	if len(list) == 0 {
		return a
	}
	last := list[len(list)-1]
	f := when.Float(last.Ends, t.Location)
	if minute != nil {
		f = f.Add(time.Duration((*minute-f.Minute()+59)%60+1) * time.Minute)
		a.Time = &when.Clock{Hour: f.Hour(), Minute: f.Minute()}
	}
	if later > 0 {
		f = f.Add(later)
		a.Time = &when.Clock{Hour: f.Hour(), Minute: f.Minute()}
	}
	if a.Day == "" && a.Repeat == "" {
		a.Day, a.Repeat = when.Day(f.Format(time.DateOnly)), last.Repeat
	} else if a.Time == nil { // "and again on Monday"
		a.Time = &when.Clock{Hour: f.Hour(), Minute: f.Minute()}
	}
	if a.Time != nil {
		at := nearest(*a.Time, f)
		if a.Time.Open && !at.After(when.Float(t.wall(), t.Location)) {
			at = at.Add(12 * time.Hour)
		}
		a.Time = &when.Clock{Hour: at.Hour(), Minute: at.Minute()}
	}
	return a
}

// ringAt makes e ring at f, and from then on as it repeats. What was for the 31st stays so, though f is on the 28th.
func (t *Timers) ringAt(e *entry, f time.Time) {
	day := when.Date(f)
	if was := when.Date(e.Starts); was.Day() > day.Day() && when.Date(when.Float(e.Ends, t.Location)).Equal(day) {
		day = was
	}
	e.Starts, e.Ends, e.Length = day.Add(f.Sub(when.Date(f))), when.Resolve(f, t.Location), 0 // it may have been snoozed
	e.due = time.Now().Add(e.Ends.Sub(t.wall()))
}

// nearest is the time of day on the day of f; if it may be am or pm, the one nearer to f.
func nearest(c when.Clock, f time.Time) time.Time {
	at := when.Date(f).Add(time.Duration(c.Hour)*time.Hour + time.Duration(c.Minute)*time.Minute)
	if other := at.Add(12 * time.Hour); c.Open && c.Hour < 12 && other.Sub(f).Abs() < at.Sub(f).Abs() {
		return other
	}
	return at
}

// skip leaves out the next time of an alarm that repeats, and reports whether it does.
func (t *Timers) skip(e *entry) bool {
	if e.Repeat == "" {
		return false
	}
	next, ok := e.Repeat.Next(e.Starts, when.Float(e.Ends, t.Location))
	if !ok {
		return false
	}
	t.ringAt(e, next)
	return true
}
