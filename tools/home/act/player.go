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
	if len(found) == 0 && (a.Name == "" || home.IsPronoun(a.Name)) {
		if r, ok, err := h.ownUnnamed(ctx, a); ok || err != nil {
			return r, ok, err
		}
	}
	if h.opt.Own == nil || !h.isHere(a.Area) || a.Name != "" || !plays(a) || sounds(a, found) {
		return tools.Result{}, false, nil
	}
	do := a.Word()
	if a.What != "" {
		do = "what"
	}
	return h.opt.Own(ctx, do)
}

// ownUnnamed does what a request that names nothing may ask of the box itself, or of what the last order set moving.
func (h *Home) ownUnnamed(ctx context.Context, a *meaning.Request) (tools.Result, bool, error) {
	if h.opt.Louder != nil && a.Property == "volume" && a.Value == nil && (a.Area == "" || h.isHere(a.Area)) {
		r, err := h.opt.Louder(ctx, int(a.By(home.Volume)))
		return r, true, err
	}
	if plays(a) { // "pause", of a robot
		if r, ok, err := h.moving(ctx, a.Word()); ok || err != nil {
			return r, ok, err
		}
	}
	if h.opt.Own != nil && a.Action == "off" && a.Area == "" { // what plays is heard
		return h.opt.Own(ctx, "stop")
	}
	return tools.Result{}, false, nil
}

// plays reports whether a request is about what plays.
func plays(a *meaning.Request) bool { return a.Property == home.Playback || a.What == home.Playback }

// isHere reports whether an area is the room of the box.
func (h *Home) isHere(area string) bool {
	return home.PlaceOf(area) == home.Here || h.opt.Area != "" && strings.EqualFold(area, h.opt.Area)
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
		return why != meaning.Fine || !slices.Contains([]home.Kind{home.Cover, home.Valve, home.Vacuum, home.LawnMower},
			e.Kind)
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
