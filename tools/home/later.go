package home

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/tools"
)

// Order is a command that is to be carried out later.
type Order struct {
	Label string        // what, as it follows "I will": turn off the oven
	Call  string        // a Call, as JSON
	In    time.Duration // or else
	Time  string        // a time of day
	Day   string        // may be empty
}

// Call is what a kept order does.
type Call struct {
	Arguments json.RawMessage `json:"arguments"` // of home_control
	// Question is what a person said yes to when it was ordered; empty: nothing was asked.
	Question string `json:"question,omitempty"`
}

// later keeps an order. The devices must be known and clear now, as nobody can be asked
// then.
func (h *Home) later(ctx context.Context, a arguments) (tools.Result, error) {
	order := Order{In: time.Duration(a.In) * time.Second, Time: a.Time, Day: a.Day}
	a.In, a.Time, a.Day = 0, "", ""
	targets, choice := h.targets(&a)
	switch {
	case order.In == 0 && order.Time == "":
		return tools.Result{Text: "When should I do that? Tell me a time, or in how many minutes."}, nil
	case len(targets) == 0:
		return h.see().nothing(&a), nil
	case choice:
		return tools.Result{Text: "Which one: " + or(choices(targets)) + "? Please say it all again with the name.", Foreign: true}, nil
	case a.Action == "toggle" || a.steps():
		return tools.Result{Text: "For later, please tell me what it should be then."}, nil
	}
	if len(targets) == 1 {
		a.Name, a.Area, a.Which = targets[0].Spoken(), targets[0].Area, ""
		if again, choice := h.targets(&a); choice || len(again) != 1 || again[0].ID != targets[0].ID {
			return tools.Result{Text: fmt.Sprintf("I cannot tell %s from other devices, so I will do nothing.", targets[0].the()), Foreign: true}, nil
		}
	} else if a.Name == "" && a.Area == "" || isPronoun(a.Name) {
		return tools.Result{Text: "Please say which devices you mean."}, nil
	}
	args, err := json.Marshal(a)
	if err != nil {
		return tools.Result{}, fmt.Errorf("encode order: %w", err)
	}
	call, err := json.Marshal(Call{args, h.entry(targets, &a)})
	if err != nil {
		return tools.Result{}, fmt.Errorf("encode order: %w", err)
	}
	order.Label, order.Call = a.phrase(targets), string(call)
	r, err := h.opt.Order(ctx, order)
	r.Foreign = true // it holds names of devices
	return r, err
}

// laterQuestion asks at once for the yes that the command would need at its time.
func (h *Home) laterQuestion(raw json.RawMessage) string {
	q := h.question(raw)
	if q == "" {
		return ""
	}
	return "Shall I " + strings.ToLower(q[:1]) + strings.TrimSuffix(q[1:], "?") + " then, without asking again?"
}

// phrase is a command as it follows "I will".
func (a *arguments) phrase(targets []Entity) string {
	what := "the " + strings.TrimPrefix(Clean(a.Name), "the ")
	switch {
	case len(targets) == 1:
		what = targets[0].the()
	case a.Name == "":
		what = "all" + inArea(a.Area)
	case quantity(a.Name) == "all":
		what = strings.TrimPrefix(what, "the ")
	}
	if len(targets) > 1 && a.Name != "" && a.Area != "" {
		what += inArea(a.Area)
	}
	if a.Except != "" {
		what += " except " + article(strings.TrimPrefix(Clean(a.Except), "the "))
	}
	switch a.Action {
	case "on", "off":
		return "turn " + a.Action + " " + what + a.value()
	case "dock":
		return "send " + what + " home"
	}
	return a.Action + " " + what + a.value()
}

// value is what a device is set to, as it follows its name.
func (a *arguments) value() string {
	f, isNumber := a.Value.(float64)
	unit := map[string]string{"temperature": " degrees", "degrees": " degrees", "color_temperature": " kelvin", "kelvin": " kelvin", "option": "", "": ""}
	word, other := unit[cmp.Or(a.Unit, a.Property)]
	switch {
	case a.Value == nil:
		return ""
	case !isNumber:
		return " to " + Clean(a.word())
	case !other:
		word = " percent"
	}
	return " to " + number(f) + word
}

// Knows reports whether the devices of a kept order are known by now.
func (h *Home) Knows(c Call) bool {
	var a arguments
	if json.Unmarshal(c.Arguments, &a) != nil {
		return true // it never will be; carrying it out says why
	}
	targets, _ := h.targets(&a)
	return len(targets) > 0
}

// Did reports whether a result of home_control says that every device did what it was
// told, as far as it tells.
func Did(r tools.Result) bool {
	if _, asks := r.Data.(map[string]any); asks { // which one, or that there is none
		return false
	}
	lines, _ := r.Data.([]line)
	return !slices.ContainsFunc(lines, func(l line) bool { return l.Outcome == silent || l.Outcome == refused })
}
