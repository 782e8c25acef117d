package act

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// Tools are home_control, home_read, home_choose and home_undo, and home_later where orders are kept.
func (h *Home) Tools() []tools.Tool {
	control := tools.CallFunc(llm.ToolSpec{
		Name: "home_control", Parameters: controlSchema(""),
		Description: "Controls devices of the house: lights, switches, plugs, blinds, garage, locks, thermostats, " +
			"fans, vacuums, media players, scenes. Reports what was really done.",
	}, func(ctx context.Context, c tools.Call, a meaning.Request) (tools.Result, error) {
		a.Turn = c.For.Turn
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
	}, func(ctx context.Context, a meaning.Request) (tools.Result, error) {
		a.Action = meaning.Undoing
		return h.control(ctx, a)
	})
	list := []tools.Tool{
		tools.WithLimits(control, tools.Limits{Timeout: callLimit, ConfirmFunc: h.confirms("home.shall", ""),
			Grave: h.grave}),
		read,
		tools.WithLimits(choose, tools.Limits{Timeout: callLimit, ConfirmFunc: h.chosenQuestion, Grave: h.graveChoice}),
		tools.WithLimits(undo, tools.Limits{Timeout: callLimit, ConfirmFunc: h.confirms("home.shall", meaning.Undoing),
			Undoes: []string{"home_control", "home_choose", "home_undo"}}),
	}
	if h.opt.Order != nil {
		later := tools.Func(llm.ToolSpec{
			Name: "home_later", Parameters: controlSchema(timeSchema),
			Description: "Controls devices of the house once, at a later time: takes the arguments of " +
				"home_control, and in_s or time.",
		}, h.later)
		list = append(list, tools.WithLimits(later, tools.Limits{ConfirmFunc: h.confirms("home.shall_later", ""),
			Grave: h.grave}))
	}
	return list
}

func (h *Home) control(ctx context.Context, a meaning.Request) (tools.Result, error) {
	more := a.Action == again
	switch a = h.continued(a); {
	case a.Action == "":
		return h.read(ctx, a)
	case a.Action == again:
		return tools.Result{Text: h.opt.Book.Say("home.again_what")}, nil
	case a.In > 0 || a.Time != nil: // the last order was for later
		return h.later(ctx, a)
	}
	before := h.recent.Get()
	targets, choice := h.targets(&a)
	h.settle()
	h.begin(&a)
	if r, ok, err := h.own(ctx, &a, targets); ok || err != nil {
		return r, err
	}
	t := h.teller(&a)
	if err := h.lost(t); err != nil {
		return tools.Result{}, err
	}
	switch {
	case a.Action == meaning.Undoing && !choice:
		return h.undo(ctx, t, targets, &a)
	case len(targets) == 0:
		return t.nothing(h.see(), &a), nil
	case choice:
		return h.which(t, targets, &a, false), nil
	case len(targets) > maxTogether:
		return tools.Result{Text: t.Say("home.too_many", args{"n": len(targets)})}, nil
	}
	r, err := h.carry(ctx, t, h.jobs(targets, &a))
	if more { // "both" are those before too
		h.heed(slices.Concat(before, h.recent.Get()))
	}
	return r, err
}

// Playing has the players of the box's room do what a person asks of what plays: pause, stop, resume, next, previous,
// what, volume, or louder by so many percent points. It reports whether any of them plays, or is paused and can go on.
// What was spoken of last goes before, and what the last order set moving is paused, and goes on, before
// anything plays.
func (h *Home) Playing(ctx context.Context, do string, percent int) (tools.Result, bool, error) {
	if r, ok, err := h.moving(ctx, do); ok {
		return r, true, err
	}
	if r, ok, err := h.PlayerSpokenOf(ctx, do, percent); ok {
		return r, true, err
	}
	a := playing(do, percent)
	if a.Area = h.opt.Area; a.Area == "" {
		a.Area = "everywhere"
	}
	if !h.soundsThere(&a) {
		return tools.Result{}, false, nil
	}
	r, err := h.play(ctx, a)
	return r, true, err
}

// PlayerSpokenOf is Playing for the player that was spoken of last, wherever it stands, and reports whether
// there is one.
func (h *Home) PlayerSpokenOf(ctx context.Context, do string, percent int) (tools.Result, bool, error) {
	if !slices.ContainsFunc(h.spoken(), func(e home.Entity) bool {
		return e.Kind == home.MediaPlayer && e.State[home.Main] != "off" && e.State[home.Main] != "standby"
	}) {
		return tools.Result{}, false, nil
	}
	a := playing(do, percent)
	a.Name = tools.It
	r, err := h.play(ctx, a)
	return r, true, err
}

// playing is what Playing asks of a player.
func playing(do string, percent int) meaning.Request {
	switch step := float64(percent); do {
	case "what":
		return meaning.Request{What: home.Playback}
	case "volume":
		return meaning.Request{Action: "set", Property: string(home.Volume), Value: step, Unit: "percent"}
	case "louder":
		return meaning.Request{Action: "raise", Property: string(home.Volume), Step: &step}
	}
	return meaning.Request{Action: "set", Property: home.Playback, Value: do}
}

func (h *Home) play(ctx context.Context, a meaning.Request) (tools.Result, error) {
	if a.What != "" {
		return h.read(ctx, a)
	}
	return h.control(ctx, a)
}

// soundsThere reports whether a player sounds where the command is to act. One to go on to what is next is made to act
// everywhere, where one player sounds and only one.
func (h *Home) soundsThere(a *meaning.Request) bool {
	if sounds(a, h.see().Mean(a).Devices) {
		return true
	}
	if a.Word() != "next" && a.Word() != "previous" {
		return false
	}
	a.Area = "everywhere"
	silent := func(e home.Entity) bool { return e.State[home.Main] != "playing" }
	return len(slices.DeleteFunc(h.see().Mean(a).Devices, silent)) == 1
}

const (
	targetSchema = `"name":{"type":"string","maxLength":80,"description":"the device as the person ` +
		`called it: kitchen light, front door, freezer temperature; a kind for all of them: lights, all blinds"},` +
		`"area":{"type":"string","maxLength":60,"description":"room or floor, if it is not part of the name; here, house"},` +
		`"which":{"enum":["all","both","any","none","list","number","most","least"]},"except":{"type":"string",` +
		`"maxLength":80,"description":"device or room that stays as it is"}`
	readSchema = `{"type":"object","properties":{` + targetSchema + `,` +
		`"what":{"type":"string","maxLength":40,"description":"what is measured: temperature, humidity, battery, ` +
		`power …"},` +
		`"is":{"type":"string","maxLength":30,"description":"what the person asks whether it is so: on, off, open, ` +
		`closed, locked, unlocked, wet, occupied, home …"}}}`
	chooseSchema = `{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":80}},` +
		`"required":["name"],"additionalProperties":false}`
	undoSchema = `{"type":"object","properties":{` + targetSchema + `,"value":{"enum":["on","off"],` +
		`"description":"how the device was, if the person says it"},"instead":{"type":"string","maxLength":80,` +
		`"description":"the device or room that the order was meant for"}}}`
	timeSchema = `"in_s":{"type":"integer","minimum":1,"maximum":604800,"description":"seconds from now"},` +
		`"time":{"type":"string","format":"clock","description":"or a time of day: 24 hours, such as 19:30, or ` +
		`words, with am or pm where that is known"},` +
		`"day":{"type":"string","format":"day","description":"2027-05-03, or words: tomorrow, friday"},`
)

// controlSchema is that of home_control, and with a time that of home_later.
func controlSchema(time string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + time +
		`"action":{"enum":["on","off","toggle","open","close","stop","lock","unlock","start","pause","dock","press",` +
		`"set","raise","lower","again"],"description":"set only with a value or a step; again: the last order, for ` +
		`others or once more"},` +
		targetSchema + `,"property":{"enum":["` + strings.Join(home.PropertyNames(), `","`) + `"]},` +
		`"value":{"type":["number","string"],"maxLength":120,"description":"a number (percent, degrees, kelvin), ` +
		`or a word: blue, warm white, max, half, low, eco, next"},` +
		`"step":{"type":"number","minimum":-10000,"maximum":10000,"description":"how much more than now, ` +
		`in percent or degrees; less: negative"},` +
		`"unit":{"enum":["percent","degrees","fahrenheit","kelvin","times"],"description":"times: of what it is ` +
		`now, 0.5 for half as bright"},"percent":{"type":"number","minimum":0,"maximum":100,"description":"how ` +
		`bright, beside a color"},"degrees":{"type":"number","description":"how warm, beside a mode"}},"required":["action"]}`)
}
