package home

import (
	"context"
	"time"

	"hearthd/tools"
)

// haltWithin is how long after an order a bare "stop" means what it set moving; no cover moves longer.
const haltWithin = time.Minute

// Halt stops what the last order set moving, and reports whether it was anything that can stand still halfway.
func (h *Home) Halt(ctx context.Context) (tools.Result, bool, error) {
	h.mu.Lock()
	late := time.Since(h.ordered) > haltWithin
	h.mu.Unlock()
	a := arguments{Action: "stop", Name: tools.It}
	suits := a.suits(false)
	var moving []Entity
	for _, id := range h.recent.Get() {
		if e, ok := h.opt.Devices.Entity(id); ok && !late && e.Kind.verb("stop") == "stopped" && suits(&e) {
			moving = append(moving, e)
		}
	}
	if len(moving) == 0 {
		return tools.Result{}, false, nil
	}
	r, err := h.do(ctx, h.teller(&a), moving, &a)
	return r, true, err
}
