package timer

import (
	"context"
	"slices"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// For "tomorrow at seven", which does not say am or pm, these are the earliest hours that may
// be meant. Alarms are for the morning, and nobody wants to be reminded at six in the morning.
const (
	alarmsFrom    = 4
	remindersFrom = 7
	// usual is when somebody who names only a day is reminded.
	usual = 9
	// An order of the evening is for the night too, and one of the day is not.
	evening = 20
	// Who asks for "two o'clock" means the one in the night only when that comes soon.
	nightEnds = 5
	soon      = 2 * time.Hour
)

// atArguments say when something is to ring.
type atArguments struct {
	Time   *when.Clock `json:"time" about:"24 hours, such as 19:30, or words, with am or pm where that is known"`
	Day    when.Day    `json:"day" about:"2027-05-03, or words: friday, next friday, tomorrow, in two weeks"`
	Repeat when.Repeat `json:"repeat" about:"an RRULE such as FREQ=DAILY or FREQ=WEEKLY;BYDAY=MO,FR, or words: weekdays; leave out for once"`
}

// whenArgument says when what is set rings.
type whenArgument struct {
	Time  *when.Clock `json:"time" about:"24 hours, such as 19:30, or words, with am or pm where that is known"`
	Until *when.Clock `json:"until" about:"between time and this, as time"`
	Day   when.Span   `json:"day" about:"2027-05-03, or words: friday, next friday, tomorrow, this weekend"`
	Part  string      `json:"part" enum:"morning,noon,lunchtime,afternoon,evening,night"`
}

// alarmArgument names alarms that are set.
type alarmArgument struct {
	whenArgument
	labelArgument
}

func (t *Timers) alarmTools() []tools.Tool {
	return []tools.Tool{
		tools.Action("alarm_set", "Sets an alarm for a time of day, once or again and again.", t.callAlarm),
		tools.Query("alarm_list", "Tells which alarms are set.", t.callAlarms),
		sweeping("alarm_cancel", "Cancels an alarm, or all.", t.callAlarmCancel),
		tools.Action("alarm_change", "Moves an alarm to another time or day, or by some time.", t.callAlarmChange),
		tools.Action("alarm_snooze", "Lets what rings now, or rang just now, ring again later.", t.callSnooze),
	}
}

// at finds when something is to ring first, and how it repeats. Not ok: that time has passed.
// The error is for the model.
func (t *Timers) at(kind Kind, a atArguments, early bool) (timer Timer, ok bool, err error) {
	now := when.Float(t.wall(), t.Location)
	clock := when.Clock{Hour: usual}
	if a.Time != nil {
		clock = *a.Time
	}
	from := remindersFrom
	if kind == Alarm {
		from = alarmsFrom
	}
	f := clock.First(a.Day, now, from)
	if a.Day == "" && a.Repeat == "" && !early && a.Time != nil {
		f = clock.After(now)
		nightly := kind == Order && (now.Hour() >= evening || now.Hour() < nightEnds)
		if !nightly && clock.Open && f.Hour() < min(from, nightEnds) && f.Sub(now) > soon {
			f = f.Add(12 * time.Hour)
		}
	}
	if a.Repeat != "" {
		if f, ok = a.Repeat.First(f, later(f.Add(-time.Second), now)); !ok {
			return Timer{}, false, &tools.ArgumentError{Reason: "repeat: it never comes"}
		}
	}
	ends, wall := when.Resolve(f, t.Location), t.wall()
	if again := ends.Add(time.Hour); !ends.After(wall) && when.Float(again, t.Location).Equal(f) {
		ends = again // the hour occurs twice, and the first one has passed
	}
	return Timer{Ends: ends, Repeat: a.Repeat, Starts: f}, ends.After(wall), nil
}

// in is like at, but with d the time is d from now.
func (t *Timers) in(kind Kind, d time.Duration, a atArguments) (timer Timer, ok bool, err error) {
	if d > 0 {
		return Timer{Length: d}, true, nil
	}
	return t.at(kind, a, false)
}

func (t *Timers) callAlarm(ctx context.Context, a struct {
	atArguments
	labelArgument
	Wake    bool   `json:"wake" about:"it is to wake somebody"`
	Again   bool   `json:"again" about:"it is beside the one spoken of last, on its day"`
	Minute  *int   `json:"minute" min:"0" max:"59" about:"again in place of time: behind the one spoken of last"`
	Later   int    `json:"later_s" min:"60" max:"86400" about:"again in place of time: seconds behind the one spoken of last"`
	Station string `json:"station" max:"80" about:"the radio station with which it rings; radio for any"`
}) (tools.Result, error) {
	if a.Again {
		a.atArguments = t.beside(Alarm, a.atArguments, a.Minute, time.Duration(a.Later)*time.Second)
	}
	if a.Time == nil {
		return tools.Result{}, &tools.ArgumentError{Reason: "time is needed"}
	}
	alarm, ok, err := t.at(Alarm, a.atArguments, a.Wake)
	if err != nil {
		return tools.Result{}, err
	}
	if !ok {
		return t.result(Alarm, t.Book.Say("timer.over")), nil
	}
	alarm.Kind, alarm.Label = Alarm, t.cleanLabel(a.Label)
	if name, known := t.Station(a.Station); known && a.Station != "" {
		alarm.Do = name
	}
	if there, ok := t.twin(alarm); ok {
		return t.result(Alarm, there), nil
	}
	set, err := t.add(ctx, alarm)
	if err != nil {
		return t.notSet(Alarm, err)
	}
	text := t.Book.Say("timer.alarm_set", t.about(set[0])) + t.unsure(set[0])
	if a.Station != "" && alarm.Do == "" {
		text += " " + t.Book.Say("timer.no_station", phrase.Args{"text": t.cleanLabel(a.Station)})
	}
	return t.kept(Alarm, text), nil
}

// twin says that what is to be set is there already: the same again would ring with it.
func (t *Timers) twin(fresh Timer) (said string, ok bool) {
	for _, e := range t.snapshot() {
		if e.Kind == fresh.Kind && e.Label == fresh.Label && e.Person == fresh.Person && e.Do == fresh.Do &&
			e.Repeat == fresh.Repeat && e.Ends.Equal(fresh.Ends) && e.Length == 0 {
			t.recent.Set([]int64{e.ID})
			return t.Book.Say("timer.there", t.about(e.Timer)) + t.unsure(e.Timer), true
		}
	}
	return "", false
}

// unsure is a further sentence if e depends on a clock that cannot be trusted, and one if nobody would hear it ring.
func (t *Timers) unsure(e Timer) (said string) {
	if e.Length == 0 && !t.Trusted() {
		said = " " + t.Book.Say("timer.unsure")
	}
	if e.Kind != Order && t.Mute() {
		said += " " + t.Book.Say("timer.mute")
	}
	return said
}

func (t *Timers) callAlarms(ctx context.Context, a alarmArgument) (tools.Result, error) {
	return t.tell(ctx, Alarm, "timer.alarms", "timer.none", t.meaning(a.Label, a.whenArgument, ringsOn))
}

// tell tells those of a kind that pick chooses in the sentence key, or in none that there are none; nil chooses all.
func (t *Timers) tell(
	ctx context.Context, kind Kind, key, none string, pick func([]entry) []entry,
) (tools.Result, error) {
	all, err := t.timers(ctx, kind)
	if err != nil {
		return tools.Result{}, err
	}
	list := all
	if pick != nil {
		list = pick(slices.Clone(all))
	}
	if len(list) == 0 && len(all) > 0 {
		return t.result(kind, t.Book.Say("timer.no_such", t.many(kind, all))), nil
	}
	if len(list) == 0 {
		r := t.result(kind, t.Book.Say(none, phrase.Args{"kind": string(kind)}))
		r.Foreign = false
		return r, nil
	}
	return t.result(kind, t.Book.Say(key, t.many(kind, list))), nil
}

// callAlarmCancel cancels an alarm. If one rings, that one is meant.
func (t *Timers) callAlarmCancel(ctx context.Context, a struct {
	alarmArgument
	All bool `json:"all"`
}) (tools.Result, error) {
	rang, err := t.silence(ctx, a.Label, Alarm, t.filter(a.whenArgument, nextOn))
	if err != nil || rang && !a.All {
		return t.result(Alarm, t.Book.Say("core.okay")), err
	}
	return t.dropAlarms(ctx, a.All, a.Day != "", t.meaning(a.Label, a.whenArgument, nextOn))
}

// dropAlarms cancels the alarms that pick chooses, or for a day leaves out the next time of one that repeats.
func (t *Timers) dropAlarms(ctx context.Context, all, day bool, pick func([]entry) []entry) (tools.Result, error) {
	if !day {
		return t.drop(ctx, Alarm, all, pick)
	}
	each := oneByOne(func(ctx context.Context, ids []int64) (tools.Result, error) {
		return t.dropAlarms(ctx, true, true, func(list []entry) []entry { return among(list, ids) })
	})
	if some := ids(pick(of(t.snapshot(), Alarm))); all && len(some) > 1 {
		return each(ctx, some)
	}
	if text, err := t.skipOnce(ctx, pick); err != nil || text != "" {
		return t.kept(Alarm, text), err
	}
	r, err := t.drop(ctx, Alarm, all, pick)
	if q := t.asked.Get(); r.Choose != "" && q != nil {
		q.do = each
	}
	return r, err
}

// skipOnce leaves out the next time of the alarm that pick chooses. The text is empty if it
// does not repeat.
func (t *Timers) skipOnce(ctx context.Context, pick func([]entry) []entry) (text string, err error) {
	err = t.edit(ctx, func(all []entry) ([]entry, []int64) {
		chosen := pick(of(all, Alarm))
		if len(chosen) != 1 {
			return nil, nil
		}
		e := chosen[0]
		gone := t.about(e.Timer)["time"]
		if !t.skip(&e) {
			return nil, nil
		}
		left := t.about(e.Timer)
		left["gone"] = gone
		text = t.Book.Say("timer.alarm_left_out", left)
		return []entry{e}, nil
	})
	if err != nil {
		return "", t.failure(err, "timer.alarm_not_changed")
	}
	return text, nil
}

// drop cancels those of a kind that pick chooses, if it is clear which are meant.
func (t *Timers) drop(ctx context.Context, kind Kind, all bool, pick func([]entry) []entry) (tools.Result, error) {
	var text string
	var several []entry
	told := t.result
	err := t.edit(ctx, func(entries []entry) ([]entry, []int64) {
		list := of(entries, kind)
		chosen := pick(slices.Clone(list))
		switch n := len(chosen); {
		case len(list) == 0:
			text = t.Book.Say("timer.none", phrase.Args{"kind": string(kind)})
		case n == 0:
			text = t.Book.Say("timer.no_such", t.many(kind, list))
		case n > 1 && !all:
			text, several = t.Book.Say("timer.which_one", t.many(kind, chosen)), chosen
		case n == 1:
			text, told = t.Book.Say("timer.dropped", t.about(chosen[0].Timer)), t.kept
			return nil, ids(chosen)
		default:
			text, told = t.Book.Say("timer.dropped_some", phrase.Args{"n": n, "kind": string(kind)}), t.kept
			return nil, ids(chosen)
		}
		return nil, nil
	})
	if err != nil {
		return tools.Result{}, t.failure(err, "timer.not_done", phrase.Args{"deed": "cancel"})
	}
	if several == nil {
		return told(kind, text), nil
	}
	r := t.ask(kind, several, text, func(ctx context.Context, ids []int64) (tools.Result, error) {
		return t.drop(ctx, kind, true, func(list []entry) []entry { return among(list, ids) })
	})
	if kind != Alarm { // which are called by any words
		r.Then = t.Book.Lines("timer.which_one_then", phrase.Args{"kind": string(kind)})
	}
	return r, nil
}

// meaning chooses those that a label and a time name.
func (t *Timers) meaning(label string, a whenArgument, on onDays) func([]entry) []entry {
	fits := t.filter(a, on)
	return func(list []entry) []entry {
		return slices.DeleteFunc(t.match(list, label), func(e entry) bool { return !fits(e) })
	}
}

// onDays reports whether e, which rings next at the floating time f, does so on the days from one to before another.
type onDays func(e entry, f, from, to time.Time) bool

// filter tells which are at the time and on the days that are named.
func (t *Timers) filter(a whenArgument, on onDays) func(entry) bool {
	from, to, _ := a.Day.Days(when.Float(t.wall(), t.Location))
	if a.Day == when.Tonight {
		a.Part = "evening"
	}
	begins, ends, parted := when.Part(a.Part)
	return func(e entry) bool {
		f := when.Float(e.Ends, t.Location)
		return (a.Time == nil || a.Time.Fits(f) || a.Until != nil && between(*a.Time, *a.Until, f)) &&
			(!parted || f.Hour() >= begins && f.Hour() < ends) && (a.Day == "" || on(e, f, from, to))
	}
}

// between reports whether a clock shows f between a and b, in either half of the day if that is open.
func between(a, b when.Clock, f time.Time) bool {
	turn := 24 * time.Hour
	if a.Open || b.Open {
		turn /= 2
	}
	since := func(c when.Clock) time.Duration {
		return (time.Duration(c.Hour)*time.Hour + time.Duration(c.Minute)*time.Minute) % turn
	}
	return when.Within(f.Sub(when.Date(f))%turn, since(a), since(b)+time.Minute)
}

// nextOn is onDays of the next time alone.
func nextOn(_ entry, f, from, to time.Time) bool { return !f.Before(from) && f.Before(to) }

// ringsOn is onDays of any time.
func ringsOn(e entry, f, from, to time.Time) bool {
	if next, ok := e.Repeat.Next(e.Starts, from.Add(-time.Second)); ok && f.Before(from) {
		f = next
	}
	return nextOn(e, f, from, to)
}

func (t *Timers) callSnooze(ctx context.Context, a struct {
	Seconds int `json:"duration_s" min:"60" max:"14400" about:"seconds"`
}) (tools.Result, error) {
	d := t.Snooze
	if a.Seconds > 0 {
		d = time.Duration(a.Seconds) * time.Second
	}
	again, err := t.snooze(ctx, d)
	if err != nil {
		return t.notSet(Alarm, err)
	}
	if len(again) == 0 {
		return tools.Result{Text: t.Book.Say("timer.nothing_rings")}, nil
	}
	return t.kept(again[0].Kind, t.Book.Say("timer.snoozed", t.about(again[0]))+t.unsure(again[0])), nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
