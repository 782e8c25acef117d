package answer

import (
	"context"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/event"
)

// ring plays one round of ringing after the other.
func (a *answer) ring(ctx context.Context, r *Ring) {
	o := &a.opt.Ringing
	defer a.opt.Voice.Raise(nil)
	pause := time.NewTimer(o.Pause)
	defer pause.Stop()
	for again := false; ; again = true {
		select {
		case <-r.more: // something joined, which is said now
		default:
		}
		if ctx.Err() != nil {
			return
		}
		ids, round, ok := r.next()
		if !ok {
			a.RingEnded(a.t.Header, ids, "limit")
			return
		}
		if again {
			a.speech = a.opt.Voice.Begin()
		}
		a.opt.Voice.Raise(func(volume int) int { return o.level(round, volume) })
		a.round(ctx, o.Timers.Spoken(ids))
		if ctx.Err() != nil {
			return
		}
		told, empty := r.said(ids)
		a.RingEnded(a.t.Header, told, "told")
		if empty {
			continue
		}
		pause.Reset(o.Pause)
		select {
		case <-ctx.Done():
			return
		case <-r.more:
		case <-pause.C:
		}
	}
}

// round sounds once.
func (a *answer) round(ctx context.Context, text string) {
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	a.cue(ctx, cue.Timer)
	a.say(ctx, line{text: text})
	if err := a.speech.Drain(ctx); err != nil && ctx.Err() == nil {
		a.opt.Log.WarnContext(ctx, "play ringing", "component", "voice", "error", err)
	}
}

// RingEnded reports that ids no longer ring.
func (d *Answerer) RingEnded(h event.Header, ids []int64, reason string) {
	if len(ids) > 0 {
		d.opt.Bus.Publish(&event.RingEnded{Header: h, Timers: ids, Reason: reason})
		d.opt.Ringing.Timers.Ended(ids)
	}
}
