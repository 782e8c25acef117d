package act

import (
	"slices"
	"sync"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// maxTogether bounds the devices of one command: there are houses with 186 lights, and hearthd is measured with 300
// devices.
const maxTogether = 300

// undoWithin is how long an order can be taken back.
const undoWithin = 5 * time.Minute

// history is what commands did lately. Any goroutine may use it.
type history struct {
	mu      sync.Mutex
	past    []past          // the last at the end
	number  int             // of the last order
	order   meaning.Request // the last that took nothing back
	ordered time.Time       // when
}

// begin says that an order comes. Those of one turn are one order.
func (h *history) begin(a *meaning.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a.Turn == 0 || a.Turn != h.order.Turn {
		h.number++
	}
	h.order, h.ordered = *a, time.Now()
}

// last is the last order, and whether there was one within that time.
func (h *history) last(within time.Duration) (order meaning.Request, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.order, h.order.Action != "" && time.Since(h.ordered) < within
}

// keep keeps what a command did, and forgets what was done to the same devices before.
func (h *history) keep(fresh []past) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.ContainsFunc(fresh, func(p past) bool { return p.redone }) {
		h.number++
	}
	for i := range fresh {
		fresh[i].order, fresh[i].at = h.number, time.Now()
	}
	told := func(p past) bool {
		return slices.ContainsFunc(fresh, func(f past) bool { return f.id == p.id }) || time.Since(p.at) > undoWithin
	}
	all := append(slices.DeleteFunc(h.past, told), fresh...)
	h.past = slices.Clone(all[max(0, len(all)-maxTogether):])
}

// undoable is what may be taken back now: the last order, and what was done to each device before.
func (h *history) undoable() (last, all []past) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.past {
		if time.Since(p.at) > undoWithin {
			continue
		}
		if all = append(all, p); p.order == h.number {
			last = append(last, p)
		}
	}
	return last, all
}

// devices are the IDs of those that something was done to, each once.
func devices(list []past) (ids []string) {
	for _, p := range list {
		if !slices.Contains(ids, p.id) {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// wasOn is what gives a device that is off back what it was before the last command switched it off, or nil.
func (h *history) wasOn(e *home.Entity) home.State {
	if on, known := home.Answers(e, "on"); on && known {
		return nil
	}
	_, all := h.undoable()
	i := slices.IndexFunc(all, func(p past) bool { return p.id == e.ID })
	if i < 0 || all[i].want[home.Main] != "off" && all[i].want[home.Mode] != "off" {
		return nil
	}
	want, why := all[i].back(e)
	if why != meaning.Fine || want[home.Main] == "off" || want[home.Mode] == "off" {
		return nil
	}
	return want
}
