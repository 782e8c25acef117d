package home

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hearthd/tools"
)

// do carries a command out and tells what came of it.
func (h *Home) do(ctx context.Context, targets []Entity, a *arguments) (tools.Result, error) {
	jobs := make([]*job, len(targets))
	var failed error
	for i, e := range targets {
		j := &job{Entity: e, before: e.State, asked: a.word()}
		jobs[i] = j
		j.want, j.problem = a.wanted(&e, true)
		if j.problem == "" && e.Offline {
			j.problem = "cannot be reached right now"
		}
		if j.problem != "" {
			j.outcome = refused
			continue
		}
		if err := h.opt.Devices.Send(ctx, e.ID, j.want); err != nil {
			j.outcome, j.problem = refused, "could not be told"
			failed = errors.Join(failed, fmt.Errorf("command %s: %w", e.ID, err))
		}
	}
	h.remember(jobs)
	h.await(ctx, jobs)
	if failed != nil && len(jobs) == 1 {
		return tools.Result{}, &tools.Failure{Say: fmt.Sprintf("Sorry, I could not reach %s.", targets[0].the()), Cause: failed, Foreign: true}
	}
	return tools.Result{Text: said(jobs), Data: report(jobs), Foreign: true}, nil
}

// await waits until every device has said what became of its command, or has had
// its time.
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
	j.Entity = now
	switch {
	case momentary[j.want[Main]] != "" || !now.tells(j.want):
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

// remember keeps what "it" may mean next.
func (h *Home) remember(jobs []*job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.recent, h.done = nil, time.Now()
	for _, j := range jobs {
		if j.outcome != refused {
			h.recent = append(h.recent, j.ID)
		}
	}
}
