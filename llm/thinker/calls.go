package thinker

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"hearthd/llm"
	"hearthd/tools"
)

const maxRepeats = 3 // of one call with the same arguments; the last of them is not run

// runTools announces the calls, runs those that are independent at the same time, and remembers all
// with their results. It says whether there is a reason to stop calling.
func (r *run) runTools(ctx context.Context, calls []llm.ToolCall) (Stop, error) {
	shown := r.shown()
	results, stop, err := r.announce(ctx, calls)
	if err != nil {
		return stop, err
	}
	var running sync.WaitGroup
	for _, chain := range r.chains(calls, results) {
		r.usage.Calls += len(chain)
		r.acted = r.acted || slices.ContainsFunc(chain, func(i int) bool { return !r.reads(calls[i].Name) })
		running.Go(func() {
			for _, i := range chain {
				results[i] = r.do(ctx, calls[i], shown)
			}
		})
	}
	running.Wait()
	r.cite(results)
	r.said = false
	err = r.change(func() {
		r.ex.called(calls, results)
		if slices.ContainsFunc(results, func(res tools.Outcome) bool { return res.Foreign }) {
			r.conv.shown(r.ex)
		}
	})
	if errors.Is(err, errForgotten) {
		r.forgot = true
		return Satisfied, r.confirm(ctx, results)
	}
	if err != nil {
		return stop, err
	}
	if r.learn(calls, results) {
		r.stale = 0
	} else if r.stale++; r.stale >= maxStale && stop == Satisfied {
		stop = NoNews
	}
	return stop, ctx.Err()
}

// announce yields the calls that are to be run, and makes an outcome for each of the others: a
// model gets only the tools that it was offered, and among those only what its domain may use.
func (r *run) announce(ctx context.Context, calls []llm.ToolCall) (results []tools.Outcome, stop Stop, err error) {
	results, stop = make([]tools.Outcome, len(calls)), Satisfied
	for i, c := range calls {
		key := c.Name + " " + canonical(c.Arguments)
		r.seen[key]++
		switch n := r.seen[key]; {
		case n <= 0:
			results[i] = refusal(alreadyFailed)
		case n >= maxRepeats:
			results[i], stop = refusal(alreadyCalled), Repeated
		case len(find(r.specs, []string{c.Name})) == 0:
			results[i] = refusal(notOffered)
		case !r.offering.may(c.Name):
			results[i] = refusal(notMeant)
		default:
			if err := r.give(ctx, llm.Delta{Call: &c}); err != nil {
				return nil, stop, err
			}
		}
	}
	return results, stop, nil
}

// chains are the indexes of the calls that have no result yet. The calls of a chain run in their
// order, which the model chose: cancelling a timer and setting one must not be swapped.
func (r *run) chains(calls []llm.ToolCall, results []tools.Outcome) [][]int {
	acts := map[string]bool{} // kinds of which a call changes something
	for i, c := range calls {
		acts[c.Kind()] = acts[c.Kind()] || results[i].Text == "" && !r.reads(c.Name)
	}
	var chains [][]int
	at := map[string]int{} // the chain of a kind
	for i, c := range calls {
		n, ok := at[c.Kind()]
		switch {
		case results[i].Text != "":
		case ok && acts[c.Kind()]:
			chains[n] = append(chains[n], i)
		default:
			at[c.Kind()] = len(chains)
			chains = append(chains, []int{i})
		}
	}
	return chains
}

// reads reports whether a tool changes nothing.
func (r *run) reads(tool string) bool {
	return slices.ContainsFunc(r.specs, func(s llm.ToolSpec) bool { return s.Name == tool && s.ReadOnly })
}

// refusal is the outcome of a call that is not run.
func refusal(text string) tools.Outcome {
	return tools.Outcome{Class: tools.Failed, Result: tools.Result{Text: text}}
}

// confirm speaks results that no model will see any more.
func (r *run) confirm(ctx context.Context, results []tools.Outcome) error {
	for _, res := range results {
		for _, s := range r.t.writing.sentences(res.Text) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !r.yield(llm.Delta{Text: s}, nil) {
				return errStopped
			}
		}
	}
	return nil
}

// cite notes the sources of the answer.
func (r *run) cite(results []tools.Outcome) {
	for _, res := range results {
		for _, s := range res.Sources {
			if !slices.Contains(r.usage.Sources, s) && len(r.usage.Sources) < maxSources {
				r.usage.Sources = append(r.usage.Sources, s)
			}
		}
	}
}

// learn notes the results of a step, and reports whether any of them is new.
func (r *run) learn(calls []llm.ToolCall, results []tools.Outcome) bool {
	fresh := false
	for i, res := range results {
		key := calls[i].Name + " " + res.Text
		if !r.news[key] {
			r.news[key], fresh = true, true
		}
		if res.Class != tools.OK {
			r.failed = true
			if key := calls[i].Name + " " + canonical(calls[i].Arguments); r.seen[key] == 1 {
				r.seen[key] = -maxRepeats
			}
		}
	}
	return fresh
}

// canonical is args with its keys in order: models shuffle them.
func canonical(args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return string(args)
	}
	b, _ := json.Marshal(v) // v was decoded from JSON
	return string(b)
}

// maxSpoken bounds how many sentences of results are read out: a minute.
const maxSpoken = 8

// results speaks what tools found last, in place of a model that said nothing: their results are
// sentences too.
func (r *run) results(ctx context.Context, stop Stop) (Stop, error) {
	var steps []step
	if err := r.change(func() { steps = slices.Clone(r.ex.steps) }); err != nil {
		return Failed, err
	}
	for _, s := range slices.Backward(steps) {
		if out := s.spoken(r.t.writing); len(out) > 0 {
			if err := r.say(ctx, out[:min(len(out), maxSpoken)]); err != nil {
				return Failed, err
			}
			return stop, nil
		}
	}
	return Empty, nil
}

// spoken is the part of a step's results that can be spoken.
func (s *step) spoken(w *writing) []string {
	var out []string
	for _, r := range s.results {
		if !slices.Contains([]string{alreadyCalled, alreadyFailed, notOffered, notMeant}, r.Text) {
			out = append(out, w.sentences(r.Text)...)
		}
	}
	return out
}
