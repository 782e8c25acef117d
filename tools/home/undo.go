package home

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"hearthd/tools"
)

// undoWithin is how long an order can be taken back.
const undoWithin = 5 * time.Minute

// undoing is the action of home_undo.
const undoing = "undo"

// past is what a command did to one device, and how that was before.
type past struct {
	id     string
	order  int // the command, by its number
	at     time.Time
	before State
	want   State // nil: a scene did it, and nobody knows what it wanted
	redone bool  // it took an earlier one back
}

// begin says that an order comes. Those of one turn are one order.
func (h *Home) begin(a *arguments) {
	if a.Action == undoing || a.Action == again {
		return
	}
	h.said.Set(a)
	h.mu.Lock()
	defer h.mu.Unlock()
	if a.turn == 0 || a.turn != h.last.turn {
		h.number++
	}
	h.last, h.ordered = *a, time.Now()
}

// before notes how devices are that will be told something. Of a group or a scene that is how its members are, where all
// of them are known.
func (h *Home) before(j *job) (list []past) {
	members, ok := h.members(&j.Entity)
	for i := range members {
		m := &members[i]
		p := past{id: m.ID, before: m.State, redone: j.back}
		if j.Kind != Scene {
			p.want = State{}
			for k, v := range j.want {
				if m.Can[k] {
					p.want[k] = v
				}
			}
		}
		list = append(list, p)
	}
	if !ok {
		return []past{{id: j.ID, before: j.before, want: j.want, redone: j.back}}
	}
	return list
}

// members are the devices that a group or a scene switches, down to those that are no groups; ok is false where it is
// none, or where any of them is not known.
func (h *Home) members(e *Entity) (list []Entity, ok bool) {
	seen := map[string]bool{e.ID: true}
	for ids := slices.Clone(e.Members); len(ids) > 0; ids = ids[1:] {
		m, known := h.opt.Devices.Entity(ids[0])
		switch {
		case seen[ids[0]]:
			continue
		case !known || !m.controllable() || len(seen) > maxMembers:
			return nil, false
		case len(m.Members) == 0:
			list = append(list, m)
		}
		seen[m.ID] = true
		ids = append(ids, m.Members...)
	}
	return list, len(list) > 0
}

// keep keeps what a command did, and forgets what was done to the same devices before.
func (h *Home) keep(fresh []past) {
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
func (h *Home) undoable() (last, all []past) {
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

// undone are the devices whose last command is to be taken back: those of the last order, or of all lately those that are
// named.
func (h *Home) undone(ho *house, a *arguments) (targets []Entity, choice bool) {
	last, all := h.undoable()
	named := a.Area != "" || a.Name != "" && !isPronoun(a.Name)
	if a.Instead != "" { // what was taken back stays so
		all = slices.DeleteFunc(last, func(p past) bool { return p.redone })
		last = all
	}
	for _, list := range [][]past{last, all} {
		of := &house{words: ho.words}
		for i := range ho.things {
			if t := &ho.things[i]; slices.ContainsFunc(list, func(p past) bool { return p.id == t.ID }) {
				of.things, targets = append(of.things, *t), append(targets, *t.Entity)
			}
		}
		if !named {
			return targets, false
		}
		q := of.ask(a.Name, a.Area, "")
		q.many = q.many || q.onlyPlace
		targets, all := of.find(q, false, (*Entity).isAny)
		if len(targets) > 0 {
			return targets, len(targets) > 1 && !all && !q.onlyPlace
		}
	}
	return nil, false
}

// back makes the jobs that give devices back what they were before. Those that the command left as they were stay out.
func (h *Home) back(targets []Entity) (jobs []*job) {
	_, all := h.undoable()
	for _, e := range targets {
		i := slices.IndexFunc(all, func(p past) bool { return p.id == e.ID })
		if i < 0 {
			continue
		}
		was := e
		was.State = all[i].before
		moved := func(k Key) bool { return e.Can[k] && !near(k, was.State[k], e.State[k]) }
		if w := all[i].want; len(w) > 0 && was.tells(w) && was.reached(w) &&
			!slices.ContainsFunc(slices.Collect(maps.Keys(e.Can)), moved) {
			continue
		}
		j := &job{Entity: e, before: e.State, back: true}
		j.want, j.problem = all[i].back(&e)
		jobs = append(jobs, j)
	}
	return jobs
}

// wasOn is what gives a device that is off back what it was before the last command switched it off, or nil.
func (h *Home) wasOn(e *Entity) State {
	if on, known := answers(e, "on"); on && known {
		return nil
	}
	_, all := h.undoable()
	i := slices.IndexFunc(all, func(p past) bool { return p.id == e.ID })
	if i < 0 || all[i].want[Main] != "off" && all[i].want[Mode] != "off" {
		return nil
	}
	want, why := all[i].back(e)
	if why != fine || want[Main] == "off" || want[Mode] == "off" {
		return nil
	}
	return want
}

// redirected is the last command, for other devices. A room alone means those of the same kinds there.
func (h *Home) redirected(ho *house, a *arguments) (order arguments, ok bool) {
	last, _ := h.undoable()
	h.mu.Lock()
	order, ok = h.last, h.last.Action != "" && time.Since(h.ordered) < undoWithin
	h.mu.Unlock()
	order.Name, order.Area, order.Which, order.Except = a.Instead, "", "", ""
	if q := ho.ask(a.Instead, "", ""); q.onlyPlace {
		for _, t := range ho.things {
			if slices.ContainsFunc(last, func(p past) bool { return p.id == t.ID }) {
				order.of = append(order.of, t.Kind)
			}
		}
	}
	return order, ok
}

// undoJobs take a command back, and give it to other devices where it was meant for those.
func (h *Home) undoJobs(targets []Entity, a *arguments) []*job {
	order, ok := h.redirected(h.see(), a)
	if a.Instead == "" || !ok {
		return h.back(targets)
	}
	found, choice := h.targets(&order)
	if choice {
		found = nil
	}
	targets = slices.DeleteFunc(targets, func(e Entity) bool { return contains(found, e.ID) })
	return append(h.back(targets), h.jobs(found, &order)...)
}

// undo takes a command back, and gives it to other devices where it was meant for those.
func (h *Home) undo(ctx context.Context, t *teller, targets []Entity, a *arguments) (r tools.Result, err error) {
	jobs := h.jobs(targets, a)
	if len(jobs) > 0 {
		if r, err = h.carry(ctx, t, jobs); err != nil {
			return r, err
		}
	}
	order, ok := h.redirected(h.see(), a)
	switch {
	case a.Instead == "" || !ok:
	case slices.ContainsFunc(jobs, func(j *job) bool { return !j.back }):
		return r, nil
	default:
		found, choice := h.targets(&order)
		more := h.teller(&order).nothing(h.see(), &order)
		if choice {
			more = h.which(h.teller(&order), found, &order, false)
		}
		return tools.Result{Text: strings.TrimSpace(r.Text + " " + more.Text), Data: more.Data, Foreign: true}, nil
	}
	if len(jobs) > 0 {
		return r, nil
	}
	name := Clean(a.Name)
	if name == "" || isPronoun(name) {
		return tools.Result{Text: t.Say("home.undo_nothing")}, nil
	}
	return tools.Result{Text: t.Say("home.undo_none", args{"name": name})}, nil
}
