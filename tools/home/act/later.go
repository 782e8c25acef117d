package act

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// Call is what a kept order does.
type Call struct {
	Arguments json.RawMessage `json:"arguments"` // of home_control
	// Question is what a person said yes to when it was ordered; empty: nothing was asked.
	Question string `json:"question,omitempty"`
}

// later keeps an order. The devices must be known and unambiguous now, because nobody can be asked
// later.
func (h *Home) later(ctx context.Context, a meaning.Request) (tools.Result, error) {
	a = h.continued(a)
	said, before := a, h.said.Get()
	h.said.Set(&said)
	order := Order{In: time.Duration(a.In) * time.Second, Time: a.Time, Day: a.Day}
	if before != nil && before.Turn == a.Turn && before.Name == a.Name && before.Area == a.Area {
		order.From = before.Time
	}
	a.In, a.Time, a.Day = 0, nil, ""
	targets, choice := h.targets(&a)
	t := h.teller(&a)
	switch {
	case order.In == 0 && order.Time == nil:
		return tools.Result{Text: t.Say("home.when")}, nil
	case len(targets) == 0:
		return t.nothing(h.see(), &a), h.lost(t)
	case choice:
		text, _ := t.which(targets, "home.which_again")
		return t.result(text, nil), nil
	case !waits(&a):
		return tools.Result{Text: t.Say("home.what_then")}, nil
	}
	if len(targets) == 1 {
		a.Name, a.Area, a.Which = targets[0].Spoken(), targets[0].Area, ""
		if again, choice := h.targets(&a); choice || len(again) != 1 || again[0].ID != targets[0].ID {
			return t.result(t.Say("home.indistinct", args{"device": t.device(&targets[0])}), nil), nil
		}
	} else if a.Name == "" && a.Area == "" || home.IsPronoun(a.Name) {
		return tools.Result{Text: t.Say("home.say_which_devices")}, nil
	}
	args, err := json.Marshal(a)
	if err != nil {
		return tools.Result{}, fmt.Errorf("encode order: %w", err)
	}
	call, err := json.Marshal(Call{args, h.entry("home.shall", h.jobs(targets, &a), &a)})
	if err != nil {
		return tools.Result{}, fmt.Errorf("encode order: %w", err)
	}
	order.Label, order.Call = t.order(h.see(), targets, &a), string(call)
	r, err := h.opt.Order(ctx, order)
	h.history.begin(&meaning.Request{Turn: a.Turn}) // "not the kitchen, the bedroom" is not of what was done before
	r.Foreign = t.result(r.Text, nil).Foreign
	return r, err
}

// waits reports whether a command says what is to be then, whatever is now.
func waits(a *meaning.Request) bool {
	return a.Action != "" && a.Action != again && a.Action != "toggle" && !a.Steps()
}

// order is a command as it follows "I will".
func (t *teller) order(h *meaning.House, targets []home.Entity, a *meaning.Request) string {
	name := strings.TrimPrefix(home.Clean(a.Name), "the ")
	with := args{"devices": []args(nil), "name": name, "all": home.Quantity(a.Name) == "all",
		"where": t.where(h.Area(a.Area)), "except": nil, "value": "", "unit": ""}
	if len(targets) == 1 {
		with["devices"] = t.devices(targets)
	}
	if a.Except != "" {
		with["except"] = t.named(home.Clean(a.Except), false)
	}
	switch v := a.Value.(type) {
	case float64:
		unit := a.Unit
		for _, k := range home.KeysOf(a.Property) {
			unit = cmp.Or(unit, k.Unit())
		}
		with["value"], with["unit"] = t.number(v), unit
	case string:
		with["value"] = home.Clean(v)
	}
	with["what"] = t.Part("home.targets", with)
	return t.Part("home.do_"+a.Action, with)
}

// Knows reports whether the devices of a kept order are known by now.
func (h *Home) Knows(c Call) bool {
	var a meaning.Request
	if json.Unmarshal(c.Arguments, &a) != nil {
		return true // it never will be; carrying it out reports why
	}
	targets, _ := h.targets(&a)
	return len(targets) > 0
}

// Did reports whether a result of home_control says that every device did what it was told, as far
// as it reports that.
func Did(r tools.Result) bool {
	if _, asks := r.Data.(map[string]any); asks { // the question which one is meant, or that there is none
		return false
	}
	lines, _ := r.Data.([]line)
	return !slices.ContainsFunc(lines, func(l line) bool { return l.Outcome == silent || l.Outcome == refused })
}
