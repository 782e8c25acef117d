package home

import (
	"context"
	"strings"

	"hearthd/tools"
)

// Playing has the players of the box's room do what a person asks of what plays: pause, stop, resume, next, previous,
// what, volume, or louder by so many percent points. It reports whether any of them plays, or is paused and can go on.
func (h *Home) Playing(ctx context.Context, do string, percent int) (tools.Result, bool, error) {
	a := arguments{Action: "set", Property: playback, Value: do, Area: h.opt.Area}
	switch step := float64(percent); do {
	case "what":
		a = arguments{What: playback, Area: h.opt.Area}
	case "volume":
		a.Property, a.Value, a.Unit = string(Volume), step, "percent"
	case "louder":
		a.Action, a.Property, a.Value, a.Step = "raise", string(Volume), nil, &step
	}
	if a.Area == "" {
		a.Area = "everywhere"
	}
	if !a.sounds(h.mean(h.see(), &a).found) {
		return tools.Result{}, false, nil
	}
	if do == "what" {
		r, err := h.read(ctx, a)
		return r, true, err
	}
	r, err := h.control(ctx, a)
	return r, true, err
}

// sounds reports whether any of some players is in the state in which the command has an effect.
func (a *arguments) sounds(list []Entity) bool {
	for _, e := range list {
		if e.Kind == MediaPlayer && (e.State[Main] == "playing" || e.State[Main] == "paused" && a.word() == "resume") {
			return true
		}
	}
	return false
}

// own does with what the box itself plays what a person asks for its room, unless another player sounds there; and it
// makes the box louder or softer where nothing else was spoken of that could be.
func (h *Home) own(ctx context.Context, a *arguments, found []Entity) (tools.Result, bool, error) {
	room := placeOf(a.Area) == here || h.opt.Area != "" && strings.EqualFold(a.Area, h.opt.Area)
	unnamed := a.Name == "" || isPronoun(a.Name)
	if h.opt.Louder != nil && unnamed && (room || a.Area == "") && a.Property == "volume" && a.Value == nil &&
		len(found) == 0 {
		r, err := h.opt.Louder(ctx, int(a.step(Volume)))
		return r, true, err
	}
	if h.opt.Own == nil || !room || a.Name != "" || a.Property != playback && a.What != playback || a.sounds(found) {
		return tools.Result{}, false, nil
	}
	do := a.word()
	if a.What != "" {
		do = "what"
	}
	return h.opt.Own(ctx, do)
}
