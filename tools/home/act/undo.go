package act

import (
	"context"
	"maps"
	"slices"
	"strings"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// back makes the jobs that give devices back what they were before. Those that the command left as they were stay out.
func (h *Home) back(targets []home.Entity) (jobs []*job) {
	_, all := h.history.undoable()
	for _, e := range targets {
		i := slices.IndexFunc(all, func(p past) bool { return p.id == e.ID })
		if i < 0 {
			continue
		}
		was := e
		was.State = all[i].before
		moved := func(k home.Key) bool { return e.Can[k] && !home.Near(k, was.State[k], e.State[k]) }
		if w := all[i].want; len(w) > 0 && was.Tells(w) && was.Reached(w) &&
			!slices.ContainsFunc(slices.Collect(maps.Keys(e.Can)), moved) {
			continue
		}
		j := &job{Entity: e, before: e.State, back: true}
		j.want, j.problem = all[i].back(&e)
		jobs = append(jobs, j)
	}
	return jobs
}

// redirected is the last command, for other devices. A room alone means those of the same kinds there.
func (h *Home) redirected(a *meaning.Request) (order meaning.Request, ok bool) {
	order, ok = h.history.last(undoWithin)
	order.Name, order.Area, order.Which, order.Except = a.Instead, "", "", ""
	if last, _ := h.history.undoable(); h.see().IsPlace(a.Instead) {
		order.Of = h.kinds(devices(last))
	}
	return order, ok
}

// undoJobs take a command back, and give it to other devices where it was meant for those.
func (h *Home) undoJobs(targets []home.Entity, a *meaning.Request) []*job {
	if a.Instead == "" {
		return h.back(targets)
	}
	order, ok := h.redirected(a)
	if !ok { // what was said last is for later, and nothing to redirect
		return nil
	}
	found, choice := h.targets(&order)
	if choice {
		found = nil
	}
	targets = slices.DeleteFunc(targets, func(e home.Entity) bool { return home.Contains(found, e.ID) })
	return append(h.back(targets), h.jobs(found, &order)...)
}

// undo takes a command back, and gives it to other devices where it was meant for those.
func (h *Home) undo(
	ctx context.Context, t *teller, targets []home.Entity, a *meaning.Request,
) (r tools.Result, err error) {
	jobs := h.undoJobs(targets, a)
	if len(jobs) > 0 {
		if r, err = h.carry(ctx, t, jobs); err != nil {
			return r, err
		}
	}
	order, ok := h.redirected(a)
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
	name := home.Clean(a.Name)
	if name == "" || home.IsPronoun(name) {
		return tools.Result{Text: t.Say("home.undo_nothing")}, nil
	}
	return tools.Result{Text: t.Say("home.undo_none", args{"name": name})}, nil
}
