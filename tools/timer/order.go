package timer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hearthd/tools"
)

// maxOrder bounds the call of an order, in bytes; real ones are shorter.
const maxOrder = 600

// Plan is something that is to be done later.
type Plan struct {
	Label string        // what is done, as it follows "I will": turn off the oven
	Do    string        // the call that does it
	In    time.Duration // after how long; 0: at a time of day
	Time  string        // time of day
	Day   string        // may be empty
}

func (t *Timers) orderTools() []tools.Tool {
	return []tools.Tool{
		tools.Query("home_later_list", "Tells what the house is ordered to do later.", t.callOrders),
		tools.Action("home_later_cancel", "Cancels what the house is ordered to do later, or all of it.", t.callOrderCancel),
	}
}

// Order keeps p until its time, even over restarts, and says when that is.
func (t *Timers) Order(ctx context.Context, p Plan) (tools.Result, error) {
	if len(p.Do) > maxOrder || len(p.Label) > maxOrder {
		return tools.Result{}, &tools.ArgumentError{Reason: fmt.Sprintf("an order has at most %d bytes", maxOrder)}
	}
	order, ok, err := t.in(p.In, atArguments{Time: p.Time, Day: p.Day})
	if err != nil {
		return tools.Result{}, err
	}
	if !ok {
		return t.result(Order, "That time is over already, so I will do nothing."), nil
	}
	order.Kind, order.Label, order.Do = Order, p.Label, p.Do
	if _, err := t.add(ctx, order); err != nil {
		return t.notSet("order", err)
	}
	return t.result(Order, fmt.Sprintf("I'll %s %s.%s", p.Label, t.moment(order), t.unsure(order))), nil
}

// Due describes an order that could not be carried out at its time.
func (t *Timers) Due(e Event) string {
	return fmt.Sprintf("I was to %s at %s", e.Timer.Label, t.clockOf(e.Timer))
}

func (t *Timers) callOrders(ctx context.Context, _ struct{}) (tools.Result, error) {
	list, err := t.timers(ctx, Order)
	if err != nil {
		return tools.Result{}, err
	}
	if len(list) == 0 {
		r := t.result(Order, "Nothing is ordered for later.")
		r.Foreign = false
		return r, nil
	}
	return t.result(Order, fmt.Sprintf("I am to %s.", t.orders(list))), nil
}

// orders are told as "turn off the oven at 6 PM today and close the blinds in ten
// minutes".
func (t *Timers) orders(list []entry) string {
	var said []string
	for _, e := range list {
		at := "at " + t.point(e.Timer)
		if !e.daily() {
			at = "in " + tools.Duration(e.left())
		}
		said = append(said, e.Label+" "+at)
	}
	return some(said)
}

func (t *Timers) callOrderCancel(ctx context.Context, a struct {
	Name string `json:"name" max:"80" about:"words of it, such as the device"`
	All  bool   `json:"all"`
}) (tools.Result, error) {
	meant := func(list []entry) []entry { return match(list, strings.TrimSuffix(a.Name, " thing")) }
	return t.drop(ctx, Order, a.All, meant, t.orders,
		func(chosen []entry) string { return "to " + chosen[0].Label })
}
