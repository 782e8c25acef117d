package timers

import (
	"context"
	"slices"
	"time"

	"hearthd/daemon/event"
	"hearthd/tools/timer"
)

// radio plays a station for somebody who sleeps.
type radio interface {
	// WakeWith begins to play a station softly, and returns when it sounds. An error: it does not.
	WakeWith(ctx context.Context, station string) error
	// Swell sets the volume of what plays to a share of what people chose, in percent.
	Swell(share int)
	// Waking reports whether what began sounds, and whether a person has ended it.
	Waking() (sounds, ended bool)
	// Stop ends what plays.
	Stop() bool
}

const (
	// patience is how long a station may take to begin, before the alarm rings as others do.
	patience = 5 * time.Second
	// A station that wakes somebody begins at softest percent of its volume, and gets swell more at each look.
	look, softest, swell = 3 * time.Second, 20, 10
	// deaf is how many looks a station may be silent.
	deaf = 2
	// wakes is how long an alarm with a station counts as ringing, and is looked after. The station plays on.
	wakes = 10 * time.Minute
)

// wakeup is an alarm that rings with a station.
type wakeup struct {
	ended  []timer.Event
	cancel context.CancelFunc
	done   chan struct{} // closed when its station is left alone
}

// woken is what became of a wakeup.
type woken struct {
	*wakeup
	why string // it rings no more: stopped, silenced, limit; empty: it is to ring as others do
}

// ids are those of its alarms, of those that are asked for; nil asks for all.
func (w *wakeup) ids(asked []int64) (ids []int64) {
	if w == nil {
		return nil
	}
	for _, e := range w.ended {
		if asked == nil || slices.Contains(asked, e.Timer.ID) {
			ids = append(ids, e.Timer.ID)
		}
	}
	return ids
}

// apart takes the alarms with a station out of what ended.
func apart(all []timer.Event) (rest, radio []timer.Event) {
	for _, e := range all {
		if e.Timer.Kind == timer.Alarm && e.Timer.Do != "" && !e.Once {
			radio = append(radio, e)
		} else {
			rest = append(rest, e)
		}
	}
	return rest, radio
}

// wake plays a station until the alarm counts as over, and says why it does; empty: it cannot be heard.
func (b bell) wake(ctx context.Context, with radio, station string) (why string) {
	begins, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := with.WakeWith(begins, station); err != nil && ctx.Err() == nil {
		b.log.Warn("wake with radio", "component", "timer", "error", err)
		return ""
	}
	defer with.Swell(100)
	tick, limit := time.NewTicker(look), time.NewTimer(wakes)
	defer tick.Stop()
	defer limit.Stop()
	for share, missed := softest, 0; missed < deaf; {
		select {
		case <-ctx.Done():
			return "silenced"
		case <-limit.C:
			return "limit"
		case <-tick.C:
		}
		share = min(share+swell, 100)
		with.Swell(share)
		sounds, ended := with.Waking()
		switch {
		case ended:
			return "stopped"
		case sounds:
			missed = 0
		default:
			missed++
		}
	}
	return ""
}

// over says that alarms have stopped ringing.
func (b bell) over(w woken, ended func(ids []int64)) {
	ids := w.ids(nil)
	b.bus.Publish(&event.RingEnded{Timers: ids, Reason: w.why})
	ended(ids)
}
