package home

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/tools"
)

// do carries a command out and reports the outcome.
func (h *Home) do(ctx context.Context, t *teller, targets []Entity, a *arguments) (tools.Result, error) {
	return h.carry(ctx, t, h.jobs(targets, a))
}

// jobs are what a command tells its devices.
func (h *Home) jobs(targets []Entity, a *arguments) []*job {
	if a.Action == undoing {
		return h.undoJobs(targets, a)
	}
	jobs := make([]*job, len(targets))
	for i, e := range targets {
		jobs[i] = &job{Entity: e, before: e.State, asked: a.word()}
		jobs[i].want, jobs[i].problem = a.wanted(&e, true)
		if was := h.wasOn(&e); was != nil && a.Action == "on" && !a.sets() { // it is on again, as it was
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
		return Gone(t, err)
	}
	return nil
}

// Gone is the failure of a call that could not be made, for an error of Devices.Lost.
func Gone(book tools.Book, err error) *tools.Failure {
	key := "home.away"
	switch {
	case errors.Is(err, ErrRefused):
		key = "home.no_entry"
	case errors.Is(err, ErrBroker):
		key = "home.no_broker"
	}
	return &tools.Failure{Say: book.Say(key), Cause: err}
}

// send sends what is wanted, to maxSending devices at a time.
func (h *Home) send(ctx context.Context, jobs []*job) error {
	failed := make([]error, len(jobs))
	places := make(chan struct{}, maxSending)
	var sending sync.WaitGroup
	for i, j := range jobs {
		if j.problem == fine && j.Offline {
			j.problem = problem{why: "reach"}
		}
		if j.problem != fine {
			j.outcome = refused
			continue
		}
		places <- struct{}{}
		sending.Go(func() {
			err := h.order(ctx, j)
			j.unsure = errors.Is(err, ErrUnanswered)
			if err != nil && !j.unsure {
				j.outcome, j.problem = refused, problem{why: "tell"}
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
	untold := slices.Contains(momentary, j.want[Main]) || !now.tells(j.want)
	switch {
	case untold && j.unsure:
		j.outcome = silent
	case untold:
		j.outcome = sent
	case now.reached(j.want):
		j.outcome = done
		if first && (&Entity{Reports: now.Reports, State: j.before}).reached(j.want) {
			j.outcome = already
		}
	case now.moving(j.want, j.before):
		j.outcome = underway
	}
}

// remember keeps the devices of a command that took it, those that it is for before those that it puts back, and how
// they were.
func (h *Home) remember(jobs []*job, was [][]past) {
	var done, back []string
	var fresh []past
	for i, j := range jobs {
		switch {
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
	h.recent.Set(done)
	h.keep(fresh)
}
