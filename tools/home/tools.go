package home

import (
	"context"
	"encoding/json"

	"hearthd/llm"
	"hearthd/tools"
)

// Tools are home_control, home_read and home_choose, and home_later where orders are kept.
func (h *Home) Tools() []tools.Tool {
	control := tools.Func(llm.ToolSpec{
		Name: "home_control", Parameters: controlSchema(""),
		Description: "Controls devices of the house: lights, switches, plugs, blinds, garage, locks, thermostats, fans, vacuums, media players, scenes. Reports what was really done.",
	}, h.control)
	read := tools.Func(llm.ToolSpec{
		Name: "home_read", Parameters: json.RawMessage(readSchema), ReadOnly: true,
		Description: "Tells the state of devices and sensors of the house: whether lights are on or doors open, temperatures, batteries.",
	}, h.read)
	choose := tools.Func(llm.ToolSpec{
		Name: "home_choose", Parameters: json.RawMessage(chooseSchema),
		Description: "Answers the question which one of several devices is meant, and then does what was asked before.",
	}, h.choose)
	list := []tools.Tool{
		tools.WithLimits(control, tools.Limits{Timeout: callLimit, ConfirmFunc: h.question, Grave: grave}),
		read,
		tools.WithLimits(choose, tools.Limits{Timeout: callLimit, ConfirmFunc: h.chosenQuestion}),
	}
	if h.opt.Order != nil {
		later := tools.Func(llm.ToolSpec{
			Name: "home_later", Parameters: controlSchema(timeSchema),
			Description: "Controls devices of the house once, at a later time: takes the arguments of home_control, and in_s or time.",
		}, h.later)
		list = append(list, tools.WithLimits(later, tools.Limits{ConfirmFunc: h.laterQuestion, Grave: grave}))
	}
	return list
}

// grave reports whether an order is for the whole house or opens something.
func grave(args json.RawMessage) bool {
	var a struct{ Action string }
	return tools.Sweeping(args) || json.Unmarshal(args, &a) == nil && (a.Action == "open" || a.Action == "unlock")
}

func (h *Home) control(ctx context.Context, a arguments) (tools.Result, error) {
	targets, choice := h.targets(&a)
	t := h.teller(&a)
	switch {
	case len(targets) == 0:
		return t.nothing(h.see(), &a), nil
	case choice:
		return h.which(t, targets, &a, false), nil
	case len(targets) > maxTogether:
		return tools.Result{Text: t.Say("home.too_many", args{"n": len(targets)})}, nil
	}
	return h.do(ctx, t, targets, &a)
}
