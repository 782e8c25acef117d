package timer

import (
	"context"
	"slices"
	"time"

	"hearthd/tools"
	"hearthd/tools/phrase"
)

// undoWithin is how long a change can be taken back.
const undoWithin = 5 * time.Minute

// undone are the tools whose change timer_undo takes back.
var undone = []string{
	"timer_set", "timer_cancel", "timer_change", "timer_again", "timer_pause", "timer_resume", "timer_undo",
	"timer_choose",
	"alarm_set", "alarm_change", "alarm_cancel", "alarm_snooze",
	"reminder_set", "reminder_change", "reminder_cancel", "home_later", "home_later_cancel", "home_later_change",
}

// did notes what a change of prior does, which are the entries before it.
func (t *Timers) did(prior, changed []entry, gone, added []int64) {
	c := change{added: added, at: time.Now()}
	for _, e := range prior {
		if index(changed, e.ID) >= 0 {
			c.changed = append(c.changed, e)
		} else if slices.Contains(gone, e.ID) {
			c.gone = append(c.gone, e)
		}
	}
	t.mu.Lock()
	t.done = c
	t.mu.Unlock()
}

// callUndo takes the last change back, and that back when it is called once more. What has rung since stays so.
func (t *Timers) callUndo(ctx context.Context, _ struct{}) (tools.Result, error) {
	t.mu.Lock()
	last := t.done
	t.mu.Unlock()
	if time.Since(last.at) > undoWithin {
		last = change{}
	}
	said := t.Book.Say("tools.undo_nothing")
	kind := Countdown
	err := t.edit(ctx, func(all []entry) (changed []entry, gone []int64) {
		var off []entry
		for _, e := range all {
			switch {
			case slices.Contains(last.added, e.ID):
				off = append(off, e)
			case index(last.changed, e.ID) >= 0:
				changed = append(changed, last.changed[index(last.changed, e.ID)])
			}
		}
		switch {
		case len(off) > 0:
			kind, said = off[0].Kind, t.saidOff(all, off)
		case len(changed) > 0:
			kind, said = changed[0].Kind, t.saidBack(of(all, changed[0].Kind), changed)
		}
		return changed, ids(off)
	})
	if err == nil && len(last.gone) > 0 {
		var again []Timer
		for _, e := range last.gone {
			again = append(again, e.Timer)
		}
		if _, err = t.add(ctx, again...); err == nil {
			kind, said = again[0].Kind, t.saidBack(of(t.snapshot(), again[0].Kind), last.gone)
		}
	}
	if err != nil {
		return tools.Result{}, t.failure(err, "timer.not_done", phrase.Args{"deed": "change"})
	}
	return t.result(kind, said), nil
}

// saidOff says that what was set is cancelled, and saidBack that the rest is as it was.
func (t *Timers) saidOff(all, off []entry) string {
	switch kind := off[0].Kind; {
	case kind == Countdown:
		return t.saidCancelled(of(all, kind), off)
	case len(off) == 1:
		return t.Book.Say("timer.dropped", t.about(off[0].Timer))
	default:
		return t.Book.Say("timer.dropped_some", phrase.Args{"n": len(off), "kind": string(kind)})
	}
}

func (t *Timers) saidBack(list, back []entry) string {
	if back[0].Kind == Countdown {
		return t.saidLeft(list, back)
	}
	return t.Book.Say("timer.back", t.many(back[0].Kind, back))
}
