package timer

import (
	"context"
	"slices"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
	"hearthd/tools/when"
)

// chosen says which of several is meant.
type chosen struct {
	All    bool        `json:"all"`
	Count  int         `json:"count" min:"0" max:"2000" about:"of all, how many those are"`
	Drop   bool        `json:"cancel" about:"cancel it, whatever was to be done"`
	Place  int         `json:"place" min:"-1" max:"2000" about:"which of them, -1 for the last"`
	Time   *when.Clock `json:"time"`
	Day    when.Day    `json:"day"`
	Repeat when.Repeat `json:"repeat"`
	Length int         `json:"length_s" min:"1" max:"604800"`
	Label  string      `json:"label" max:"150"`
}

func (t *Timers) chooseTool() tools.Tool {
	return tools.WithLimits(tools.Action(chooser, "Takes the answer to which timer, alarm or reminder is meant.",
		t.callChoose),
		tools.Limits{Unlisted: true, Grave: tools.Sweeping})
}

func (t *Timers) callChoose(ctx context.Context, a chosen) (tools.Result, error) {
	q := t.asked.Get()
	if q == nil {
		return tools.Result{Text: t.Book.Say("timer.no_choice")}, nil
	}
	list, err := t.timers(ctx, q.kind)
	if err != nil {
		return tools.Result{}, err
	}
	list = among(list, q.ids)
	fits := t.chosen(list, a)
	do := q.do
	if a.Drop {
		do = func(ctx context.Context, ids []int64) (tools.Result, error) { return t.cancel(ctx, q.kind, ids) }
	}
	switch {
	case len(list) == 0:
		return t.result(q.kind, t.Book.Say("timer.none", phrase.Args{"kind": string(q.kind)})), nil
	case len(fits) == 0:
		return t.ask(q.kind, list, t.Book.Say("timer.none_of_them", t.many(q.kind, list)), do), nil
	case len(fits) > 1 && (!a.All || a.Count > 0 && a.Count != len(fits)):
		return t.ask(q.kind, fits, t.Book.Say("timer.which_of_them", t.many(q.kind, fits)), do), nil
	}
	t.asked.Set(nil)
	return do(ctx, ids(fits))
}

// cancel cancels those of a kind with these ids.
func (t *Timers) cancel(ctx context.Context, kind Kind, ids []int64) (tools.Result, error) {
	if kind == Countdown {
		return t.act(ctx, t.cancelling(), true, t.those(ids))
	}
	return t.drop(ctx, kind, true, func(list []entry) []entry { return among(list, ids) })
}

// chosen are those of list that a means.
func (t *Timers) chosen(list []entry, a chosen) []entry {
	switch place := a.Place; {
	case a.All:
		return list
	case place < 0 && len(list) > 0:
		return list[len(list)-1:]
	case place > len(list):
		return nil
	case place > 0:
		return list[place-1 : place]
	}
	at := t.filter(whenArgument{Time: a.Time, Day: when.Span(a.Day)}, nextOn)
	length := time.Duration(a.Length) * time.Second
	return slices.DeleteFunc(t.match(slices.Clone(list), a.Label), func(e entry) bool {
		return !at(e) || a.Repeat != "" && e.Repeat != a.Repeat || length > 0 && e.Length != length
	})
}
