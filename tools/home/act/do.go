package act

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/meaning"
)

// jobs are what a command tells its devices.
func (h *Home) jobs(targets []home.Entity, a *meaning.Request) []*job {
	jobs := make([]*job, len(targets))
	for i, e := range targets {
		jobs[i] = &job{Entity: e, before: e.State, asked: a.Word()}
		jobs[i].want, jobs[i].problem = a.Wanted(&e, true)
		if was := h.history.wasOn(&e); was != nil && a.Action == "on" && !a.Sets() { // it is on again, as it was
			jobs[i].want = was
		}
	}
	return jobs
}

// carry carries jobs out, and reports the outcomes: first of what is taken back, then of what is ordered.
func (h *Home) carry(ctx context.Context, t *teller, jobs []*job) (tools.Result, error) {
	var was [][]past
	for _, j := range jobs {
		was = append(was, h.before(j))
	}
	failed := h.send(ctx, jobs)
	h.remember(jobs, was)
	h.await(ctx, jobs)
	sent := slices.ContainsFunc(jobs, func(j *job) bool { return j.outcome != refused })
	if err := h.lost(t); failed != nil && !sent && err != nil {
		return tools.Result{}, err
	}
	if failed != nil && len(jobs) == 1 {
		say := t.Say("home.unreached", args{"device": t.device(&jobs[0].Entity)})
		return tools.Result{}, &tools.Failure{Say: say, Cause: failed, Foreign: true}
	}
	var said []string
	for _, back := range []bool{true, false} {
		if some := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.back != back }); len(some) > 0 {
			said = append(said, t.outcomes(some))
		}
	}
	return t.result(strings.Join(said, " "), report(jobs)), nil
}

// lost is the failure of a call while nothing can be asked of the devices, or nil.
func (h *Home) lost(t *teller) error {
	if err := h.opt.Devices.Lost(); err != nil {
		return &tools.Failure{Say: t.Say(home.Apology(err)), Cause: err}
	}
	return nil
}

// send sends what is wanted, to maxSending devices at a time.
func (h *Home) send(ctx context.Context, jobs []*job) error {
	failed := make([]error, len(jobs))
	places := make(chan struct{}, maxSending)
	var sending sync.WaitGroup
	for i, j := range jobs {
		if j.problem == meaning.Fine && j.Offline {
			j.problem = meaning.Problem{Why: "reach"}
		}
		if j.problem != meaning.Fine {
			j.outcome = refused
			continue
		}
		places <- struct{}{}
		sending.Go(func() {
			err := h.order(ctx, j)
			j.unsure = errors.Is(err, home.ErrUnanswered)
			if err != nil && !j.unsure {
				j.outcome, j.problem = refused, meaning.Problem{Why: "tell"}
				failed[i] = fmt.Errorf("command %s: %w", j.ID, err)
			}
			<-places
		})
	}
	sending.Wait()
	return errors.Join(failed...)
}

// order sends one command. A panic in that does not end the daemon.
func (h *Home) order(ctx context.Context, j *job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return h.opt.Devices.Send(ctx, j.ID, j.want)
}

// await waits until every device has reported the outcome of its command, or its time is over.
func (h *Home) await(ctx context.Context, jobs []*job) {
	late := time.NewTimer(answerWithin)
	defer late.Stop()
	for first := true; ; first = false {
		changed := h.opt.Devices.Changed()
		open := false
		for _, j := range jobs {
			if j.outcome == waiting {
				h.look(j, first)
				open = open || j.outcome == waiting
			}
		}
		if !open {
			return
		}
		select {
		case <-changed:
			continue
		case <-late.C:
		case <-ctx.Done():
		}
		for _, j := range jobs {
			if j.outcome == waiting {
				j.outcome = silent
			}
		}
		return
	}
}

func (h *Home) look(j *job, first bool) {
	now, ok := h.opt.Devices.Entity(j.ID)
	if !ok {
		j.outcome = silent
		return
	}
	if j.unsure && h.opt.Devices.Lost() != nil { // what is known of it is from before
		return
	}
	j.Entity = now
	untold := home.Momentarily(j.want) || !now.Tells(j.want)
	switch {
	case untold && j.unsure:
		j.outcome = silent
	case untold:
		j.outcome = sent
	case now.Reached(j.want):
		j.outcome = done
		if first && (&home.Entity{Reports: now.Reports, State: j.before}).Was(j.want) {
			j.outcome = already
		}
	case now.Moving(j.want, j.before):
		j.outcome = underway
	}
}

// before notes how devices are that will be told something. Of a group or a scene that is how the devices in it are,
// where all of them are known.
func (h *Home) before(j *job) (list []past) {
	alone := []past{{id: j.ID, before: j.before, want: j.want, redone: j.back}}
	for m, known := range home.Inside(h.opt.Devices, &j.Entity) {
		switch {
		case !known || !m.Controllable():
			return alone
		case len(m.Members) > 0:
			continue
		}
		p := past{id: m.ID, before: m.State, redone: j.back}
		if j.Kind != home.Scene {
			p.want = maps.Clone(j.want)
			maps.DeleteFunc(p.want, func(k home.Key, _ any) bool { return !m.Can[k] })
		}
		list = append(list, p)
	}
	if list == nil {
		return alone
	}
	return list
}

// remember keeps the devices of a command that took it, those that it is for before those that it puts back, and how
// they were.
func (h *Home) remember(jobs []*job, was [][]past) {
	var done, back, named []string
	var fresh []past
	for i, j := range jobs {
		switch named = append(named, j.ID); {
		case j.outcome == refused:
			continue
		case j.back:
			back = append(back, j.ID)
		default:
			done = append(done, j.ID)
		}
		fresh = append(fresh, was[i]...)
	}
	if done == nil {
		done = back
	}
	if done == nil { // "send it home", which could not clean a single room
		done = named
	}
	h.heed(done)
	h.place.Set(home.AreaOf(h.spoken()))
	h.history.keep(fresh)
}
