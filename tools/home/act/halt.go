package act

import (
	"context"
	"time"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// haltWithin is how long after an order a bare "stop" means what it set moving; no cover moves longer.
const haltWithin = time.Minute

// Halt stops what the last order set moving, and reports whether it was anything that can stand still halfway.
func (h *Home) Halt(ctx context.Context) (tools.Result, bool, error) {
	_, lately := h.history.last(haltWithin)
	a := meaning.Request{Action: "stop", Name: tools.It}
	var moving []home.Entity
	for _, id := range h.recent.Get() {
		e, ok := h.opt.Devices.Entity(id)
		if want, why := a.Wanted(&e, false); ok && lately && why == meaning.Fine && want[home.Main] == "stopped" {
			moving = append(moving, e)
		}
	}
	if len(moving) == 0 {
		return tools.Result{}, false, nil
	}
	r, err := h.carry(ctx, h.teller(&a), h.jobs(moving, &a))
	return r, true, err
}
