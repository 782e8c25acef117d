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
			a.gaveUp(ids, "limit", !r.heard)
			return
		}
		if again {
			a.speech = a.opt.Voice.Begin()
		}
		a.opt.Voice.Raise(func(volume int) int { return o.level(round, volume) })
		plays := a.round(ctx, o.Timers.Spoken(ids))
		r.heard = r.heard || plays
		if ctx.Err() != nil {
			return
		}
		told, empty := r.said(ids)
		if plays {
			a.RingEnded(a.t.Header, told, "told")
		} else {
			a.gaveUp(told, "told", true)
		}
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

// round sounds once, and reports whether the speaker has played it.
func (a *answer) round(ctx context.Context, text string) bool {
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	a.cue(ctx, cue.Timer)
	a.say(ctx, line{text: text})
	err := a.speech.Drain(ctx)
	if err != nil && ctx.Err() == nil {
		a.opt.Log.WarnContext(ctx, "play ringing", "component", "voice", "error", err)
	}
	return err == nil && !a.speech.Written()
}

// gaveUp reports that ids no longer ring, although nobody has stopped them; mute: the speaker was not there.
func (a *answer) gaveUp(ids []int64, reason string, mute bool) {
	if len(ids) > 0 {
		a.opt.Bus.Publish(&event.RingEnded{Header: a.t.Header, Timers: ids, Reason: reason})
		a.opt.Ringing.Timers.GaveUp(ids, mute)
	}
}

// remind says behind an answer what rang while nobody was there.
func (a *answer) remind(ctx context.Context) {
	rings := &a.opt.Ringing
	if a.opt.Guest != "" || a.doc.Asks || a.query.Ringing || a.replied != nil || a.elsewhere || a.speech.Text() == "" {
		return
	}
	if text := rings.Timers.Unheard(); text != "" && ctx.Err() == nil {
		a.say(ctx, line{text: text})
		a.reminds = true
	}
}

// RingEnded reports that ids no longer ring.
func (d *Answerer) RingEnded(h event.Header, ids []int64, reason string) {
	if len(ids) > 0 {
		d.opt.Bus.Publish(&event.RingEnded{Header: h, Timers: ids, Reason: reason})
		d.opt.Ringing.Timers.Ended(ids)
	}
}
