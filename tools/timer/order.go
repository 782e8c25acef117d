package timer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hearthd/tools"
	"hearthd/tools/when"
)

// maxOrder bounds the call of an order, in bytes; real ones are shorter.
const maxOrder = 600

// Plan is something that is to be done later.
type Plan struct {
	Label string        // what is done, as it follows "I will": turn off the oven
	Do    string        // the call that does it
	In    time.Duration // after how long; 0: at a time of day
	Time  *when.Clock   // or nil
	Day   when.Day      // may be empty
	From  *when.Clock   // the time of the order that this one ends, or nil
}

func (t *Timers) orderTools() []tools.Tool {
	return []tools.Tool{
		tools.Query("home_later_list", "Tells what the house is ordered to do later.", t.callOrders),
		tools.Action("home_later_change", "Moves what the house is ordered to do later to another time.", t.callOrderChange),
		sweeping("home_later_cancel", "Cancels what the house is ordered to do later, or all of it.", t.callOrderCancel),
	}
}

// Order keeps p until its time, even over restarts, and says when that is.
func (t *Timers) Order(ctx context.Context, p Plan) (tools.Result, error) {
	if len(p.Do) > maxOrder || len(p.Label) > maxOrder {
		return tools.Result{}, &tools.ArgumentError{Reason: fmt.Sprintf("an order has at most %d bytes", maxOrder)}
	}
	order, ok, err := t.in(Order, p.In, atArguments{Time: p.Time, Day: p.Day})
	if err != nil {
		return tools.Result{}, err
	}
	if !ok {
		return t.result(Order, t.Book.Say("timer.order_over")), nil
	}
	if p.From != nil && p.Time != nil && p.Time.Open {
		begins, known, err := t.at(Order, atArguments{Time: p.From, Day: p.Day}, false)
		if err == nil && known && order.Ends.Before(begins.Ends) { // on at seven in the evening, and off at ten
			order.Starts = order.Starts.Add(12 * time.Hour)
			order.Ends = when.Resolve(order.Starts, t.Location)
		}
	}
	order.Kind, order.Label, order.Do = Order, p.Label, p.Do
	if _, err := t.add(ctx, order); err != nil {
		return t.notSet(Order, err)
	}
	return t.kept(Order, t.Book.Say("timer.order_set", t.about(order))+t.unsure(order)), nil
}

// Due describes an order that could not be carried out at its time.
func (t *Timers) Due(e Event) string {
	return t.Book.Say("timer.order_due", t.about(e.Timer))
}

func (t *Timers) callOrders(ctx context.Context, _ struct{}) (tools.Result, error) {
	return t.tell(ctx, Order, "timer.orders", "timer.no_orders", nil)
}

func (t *Timers) callOrderChange(ctx context.Context, a struct {
	Name string `json:"name" max:"80" about:"words of it, such as the device"`
	moveArguments
	In     int `json:"in_s" min:"1" max:"31536000" about:"seconds from now, instead of a time"`
	Number int `json:"number" min:"1" max:"59" about:"an hour, or minutes from now for what was ordered in so many"`
}) (tools.Result, error) {
	pick := func(list []entry) []entry { return t.match(list, a.Name) }
	if chosen := pick(of(t.snapshot(), Order)); len(chosen) == 1 {
		e := chosen[0]
		switch {
		case a.Number > 0 && e.Length > 0:
			a.In = a.Number * 60
		case a.Number > 0 && a.Number < 24:
			a.NewTime = &when.Clock{Hour: a.Number, Open: a.Number <= 12}
		}
		if a.In > 0 {
			a.Add = int((time.Duration(a.In)*time.Second - e.left()).Round(time.Second).Seconds())
		}
	}
	return t.move(ctx, Order, a.moveArguments, pick)
}

func (t *Timers) callOrderCancel(ctx context.Context, a struct {
	Name string `json:"name" max:"80" about:"words of it, such as the device"`
	All  bool   `json:"all"`
}) (tools.Result, error) {
	name := strings.TrimSuffix(a.Name, " "+t.Book.Part("timer.vague"))
	return t.drop(ctx, Order, a.All, func(list []entry) []entry { return t.match(list, name) })
}
