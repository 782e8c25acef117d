package home

import (
	"context"
	"encoding/json"
	"slices"

	"hearthd/llm"
	"hearthd/tools"
)

// Tools are home_control, home_read, home_choose and home_undo, and home_later where orders are kept.
func (h *Home) Tools() []tools.Tool {
	control := tools.CallFunc(llm.ToolSpec{
		Name: "home_control", Parameters: controlSchema(""),
		Description: "Controls devices of the house: lights, switches, plugs, blinds, garage, locks, thermostats, " +
			"fans, vacuums, media players, scenes. Reports what was really done.",
	}, func(ctx context.Context, c tools.Call, a arguments) (tools.Result, error) {
		a.turn = c.For.Turn
		return h.control(ctx, a)
	})
	read := tools.Func(llm.ToolSpec{
		Name: "home_read", Parameters: json.RawMessage(readSchema), ReadOnly: true,
		Description: "Tells the state of devices and sensors of the house: whether lights are on or doors open, " +
			"temperatures, batteries.",
	}, h.read)
	choose := tools.Func(llm.ToolSpec{
		Name: "home_choose", Parameters: json.RawMessage(chooseSchema),
		Description: "Answers the question which one of several devices is meant, and then does what was asked before.",
	}, h.choose)
	undo := tools.Func(llm.ToolSpec{
		Name: "home_undo", Parameters: json.RawMessage(undoSchema),
		Description: "Gives devices back the state that they had before the last order, or only those that are named, " +
			"and gives that order to others instead.",
	}, func(ctx context.Context, a arguments) (tools.Result, error) {
		a.Action = undoing
		return h.control(ctx, a)
	})
	list := []tools.Tool{
		tools.WithLimits(control, tools.Limits{Timeout: callLimit, ConfirmFunc: h.question, Grave: h.grave}),
		read,
		tools.WithLimits(choose, tools.Limits{Timeout: callLimit, ConfirmFunc: h.chosenQuestion, Grave: h.graveChoice}),
		tools.WithLimits(undo, tools.Limits{Timeout: callLimit, ConfirmFunc: h.undoQuestion,
			Undoes: []string{"home_control", "home_choose", "home_undo"}}),
	}
	if h.opt.Order != nil {
		later := tools.Func(llm.ToolSpec{
			Name: "home_later", Parameters: controlSchema(timeSchema),
			Description: "Controls devices of the house once, at a later time: takes the arguments of " +
				"home_control, and in_s or time.",
		}, h.later)
		list = append(list, tools.WithLimits(later, tools.Limits{ConfirmFunc: h.laterQuestion, Grave: h.grave}))
	}
	return list
}

// grave reports whether an order opens something, or is for more than one room.
func (h *Home) grave(raw json.RawMessage) bool {
	var a arguments
	if json.Unmarshal(raw, &a) != nil {
		return false // the call will say so
	}
	a = h.continued(a)
	targets, choice := h.targets(&a)
	return opens(&a) || tools.Sweeping(raw) || !choice && scattered(targets)
}

// graveChoice is grave for the answer to which one is meant.
func (h *Home) graveChoice(raw json.RawMessage) bool {
	var a arguments
	if json.Unmarshal(raw, &a) != nil {
		return false
	}
	fits, all, open := h.pending(a.Name)
	return all && !open.reading && (opens(&open.ask) || scattered(fits))
}

func opens(a *arguments) bool { return a.Action == "open" || a.Action == "unlock" }

// scattered reports whether devices may be in more than one room.
func scattered(list []Entity) bool {
	return len(list) > 1 &&
		slices.ContainsFunc(list, func(e Entity) bool { return e.Area == "" || e.Area != list[0].Area })
}

func (h *Home) control(ctx context.Context, a arguments) (tools.Result, error) {
	if a = h.continued(a); a.Action == "" {
		return h.read(ctx, a)
	}
	targets, choice := h.targets(&a)
	h.begin(&a)
	if r, ok, err := h.own(ctx, &a, targets); ok || err != nil {
		return r, err
	}
	t := h.teller(&a)
	if err := h.lost(t); err != nil {
		return tools.Result{}, err
	}
	switch {
	case a.Action == undoing && !choice:
		return h.undo(ctx, t, targets, &a)
	case len(targets) == 0:
		return t.nothing(h.see(), &a), nil
	case choice:
		return h.which(t, targets, &a, false), nil
	case len(targets) > maxTogether:
		return tools.Result{Text: t.Say("home.too_many", args{"n": len(targets)})}, nil
	}
	return h.do(ctx, t, targets, &a)
}
