package act

import (
	"context"
	"slices"
	"strings"
	"time"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// sounds reports whether any of some players is in the state in which the command has an effect.
func sounds(a *meaning.Request, list []home.Entity) bool {
	for _, e := range list {
		now := e.State[home.Main]
		if e.Kind == home.MediaPlayer && (now == "playing" || now == "paused" && a.Word() == "resume") {
			return true
		}
	}
	return false
}

// own does with what the box itself plays what a person asks for its room, unless another player sounds there; and it
// makes the box louder or softer where nothing else was spoken of that could be.
func (h *Home) own(ctx context.Context, a *meaning.Request, found []home.Entity) (tools.Result, bool, error) {
	room := home.PlaceOf(a.Area) == home.Here || h.opt.Area != "" && strings.EqualFold(a.Area, h.opt.Area)
	unnamed := a.Name == "" || home.IsPronoun(a.Name)
	if h.opt.Louder != nil && unnamed && (room || a.Area == "") && a.Property == "volume" && a.Value == nil &&
		len(found) == 0 {
		r, err := h.opt.Louder(ctx, int(a.By(home.Volume)))
		return r, true, err
	}
	plays := a.Property == home.Playback || a.What == home.Playback
	if plays && unnamed && len(found) == 0 { // "pause", of a robot
		if r, ok, err := h.moving(ctx, a.Word()); ok || err != nil {
			return r, ok, err
		}
	}
	if h.opt.Own != nil && a.Action == "off" && unnamed && a.Area == "" && len(found) == 0 { // what plays is heard
		if r, ok, err := h.opt.Own(ctx, "stop"); ok || err != nil {
			return r, ok, err
		}
	}
	if h.opt.Own == nil || !room || a.Name != "" || !plays || sounds(a, found) {
		return tools.Result{}, false, nil
	}
	do := a.Word()
	if a.What != "" {
		do = "what"
	}
	return h.opt.Own(ctx, do)
}

// haltWithin is how long after an order a bare "stop" means what it set moving; no cover moves longer.
const haltWithin = time.Minute

// Halt stops what the last order set moving, and reports whether it was anything that can stand still halfway.
func (h *Home) Halt(ctx context.Context) (tools.Result, bool, error) { return h.moving(ctx, "stop") }

// moving has what the last order set moving stop, pause or go on.
func (h *Home) moving(ctx context.Context, do string) (tools.Result, bool, error) {
	action := map[string]string{"stop": "stop", "pause": "pause", "resume": "start"}[do]
	_, lately := h.history.last(haltWithin)
	if action == "" || !lately {
		return tools.Result{}, false, nil
	}
	a := meaning.Request{Action: action, Name: tools.It}
	moving := slices.DeleteFunc(h.spoken(), func(e home.Entity) bool {
		_, why := a.Wanted(&e, false)
		return why != meaning.Fine || !slices.Contains([]home.Kind{home.Cover, home.Valve, home.Vacuum, home.LawnMower}, e.Kind)
	})
	if len(moving) == 0 {
		return tools.Result{}, false, nil
	}
	r, err := h.carry(ctx, h.teller(&a), h.jobs(moving, &a))
	return r, true, err
}

// spoken are the devices that were spoken of last.
func (h *Home) spoken() (list []home.Entity) {
	for _, id := range h.recent.Get() {
		if e, ok := h.opt.Devices.Entity(id); ok {
			list = append(list, e)
		}
	}
	return list
}
