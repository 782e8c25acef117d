package daemon

import (
	"context"
	"runtime/debug"
	"time"

	"hearthd/config"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/settings"
	"hearthd/daemon/wallclock"
	"hearthd/memory"
	"hearthd/tools/timer"
	"hearthd/tools/when"
)

// ringPause is how long one listens between two rounds of ringing.
const ringPause = 4 * time.Second

// timerStore is the store as the timers see it.
type timerStore struct{ *memory.Store }

func (s timerStore) Timers(ctx context.Context) ([]timer.Timer, error) {
	kept, err := s.Store.Timers(ctx)
	list := make([]timer.Timer, len(kept))
	for i, t := range kept {
		list[i] = timer.Timer{
			ID: t.ID, Kind: timer.Kind(t.Kind), Label: t.Label, Do: t.Do, Length: t.Length, Ends: t.Ends, Left: t.Left,
			Repeat: when.Repeat(t.Repeat), Starts: t.Starts, Rang: t.Rang, Boot: t.Boot, Due: t.Due,
		}
	}
	return list, err
}

func (s timerStore) AddTimers(ctx context.Context, list ...timer.Timer) ([]int64, error) {
	return s.Store.AddTimers(ctx, toStore(list)...)
}

func (s timerStore) ChangeTimers(ctx context.Context, changed []timer.Timer, gone []int64) error {
	return s.Store.ChangeTimers(ctx, toStore(changed), gone)
}

func toStore(list []timer.Timer) []memory.Timer {
	out := make([]memory.Timer, len(list))
	for i, t := range list {
		out[i] = memory.Timer{
			ID: t.ID, Kind: string(t.Kind), Label: t.Label, Do: t.Do, Length: t.Length, Ends: t.Ends, Left: t.Left,
			Repeat: string(t.Repeat), Starts: t.Starts, Rang: t.Rang, Boot: t.Boot, Due: t.Due,
		}
	}
	return out
}

// bell is the dialogue as the timers see it; they are made first.
type bell struct {
	d     *Daemon
	rings chan []timer.Event // what the dialogue does not know yet
}

// ringsAhead is how many moments at which something ends the dialogue may be behind.
const ringsAhead = 1000

// Ring publishes what ended, and leaves it to Run to ring. Orders ring nobody.
func (b bell) Ring(ended []timer.Event) {
	if ended = b.d.orders.take(ended); len(ended) == 0 {
		return
	}
	var again []event.Timer
	for _, e := range ended {
		shown := shown([]timer.Timer{e.Timer})[0]
		if e.Again {
			again = append(again, shown)
		} else {
			b.d.bus.Publish(&event.TimerFired{Timer: shown, Missed: e.Missed})
		}
	}
	if len(again) > 0 {
		b.d.bus.Publish(&event.RingResumed{Timers: again})
	}
	b.rings <- ended
}

func (b bell) Silence(ctx context.Context, ids []int64) ([]int64, error) {
	return b.d.dialogue.Silence(ctx, ids)
}

// buildTimers makes the timers and the clock that they go by.
func (d *Daemon) buildTimers(zone *time.Location) error {
	d.zone = zone
	set := make(chan struct{}, 1)
	var err error
	d.clock, err = wallclock.New(wallclock.Options{Floor: built(), Changed: func(trusted bool) {
		d.clockChanged(trusted)
		select {
		case set <- struct{}{}:
		default: // they have not yet heard of the last time
		}
	}})
	if err != nil {
		return err
	}
	d.bell = bell{d, make(chan []timer.Event, ringsAhead)}
	d.orders = orders{d, make(chan []timer.Event, ordersAhead)}
	d.timers, err = timer.New(timer.Options{
		Store: timerStore{d.store}, Bell: d.bell, Changed: d.timersChanged, ClockSet: set, Trusted: d.clock.Trusted, Boot: wallclock.NewBoot("").Since,
		Location: zone, Hour24: d.cfg.Tools.Clock24h, Snooze: d.cfg.Tools.Ring.Snooze, Log: d.log,
	})
	return err
}

func (d *Daemon) clockChanged(trusted bool) {
	if trusted {
		d.conditions.Clear("clock")
		return
	}
	d.conditions.Set("clock", health.Warning, "The clock is not set; alarms wait until it is.")
}

// firstRelease is a time that had passed when the first hearthd was written.
var firstRelease = time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)

// built is when this program was made, as far as it knows.
func built() time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return firstRelease
	}
	for _, s := range info.Settings {
		if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil && t.After(firstRelease) {
			return t
		}
	}
	return firstRelease
}

// ringing is how what has ended rings.
func (d *Daemon) ringing() answer.Ringing {
	r := d.cfg.Tools.Ring
	return answer.Ringing{
		Limit: r.Limit, Pause: ringPause, Volume: r.Volume, Timers: d.timers,
		Enders: []string{"speaker_stop", "alarm_snooze", "alarm_cancel", "timer_cancel", "reminder_cancel"},
	}
}

// buildSettings reads what people chose.
func (d *Daemon) buildSettings(ctx context.Context) (*settings.Settings, error) {
	return settings.Open(ctx, settings.Options{
		Store: d.store, Bus: d.bus, Volume: d.cfg.Audio.Volume, Words: d.cfg.Wake.Choices(), Responder: d.cfg.Choices() != nil,
		Quiet: d.quietHour,
	})
}

// quietHour tells whether only what is urgent is announced, and until when.
func (d *Daemon) quietHour(now time.Time) (until string, quiet bool) {
	from, to, ok := config.Hours(d.now().Tools.QuietHours)
	if !ok {
		return "", false
	}
	now = when.Float(now, d.zone)
	at := now.Sub(when.Date(now))
	return when.SayTime(when.Date(now).Add(to), d.cfg.Tools.Clock24h), within(at, from, to)
}

// within reports whether at, since midnight, is in the hours from to to, which may
// go over midnight.
func within(at, from, to time.Duration) bool {
	if to <= from {
		return at >= from || at < to
	}
	return at >= from && at < to
}

func (d *Daemon) timersChanged(list []timer.Timer) {
	d.bus.Publish(&event.TimersChanged{Timers: shown(list)})
}

// running is what status shows of the timers.
func (d *Daemon) running() []event.Timer { return shown(d.timers.List()) }

func shown(list []timer.Timer) []event.Timer {
	out := make([]event.Timer, len(list))
	for i, t := range list {
		out[i] = event.Timer{ID: t.ID, Kind: string(t.Kind), Label: t.Label, Ends: t.Ends, LeftS: t.Left.Seconds(), Repeat: string(t.Repeat)}
		if t.Left > 0 {
			out[i].Ends = time.Now().Add(t.Left)
		}
	}
	return out
}

// Run lets ring what has ended. What ended while the box was off is known before the
// speaker is open, and would not be heard.
func (b bell) Run(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-b.d.speaker:
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case ended := <-b.rings:
			if err := b.ring(ctx, ended); err != nil && ctx.Err() == nil {
				b.d.log.Error("ring", "component", "timer", "timer", ended[0].Timer.ID, "error", err)
			}
		}
	}
}

// ring lets ring what ended, and what is to be told once.
func (b bell) ring(ctx context.Context, ended []timer.Event) error {
	var rings, told []int64
	for _, e := range ended {
		if e.Once {
			told = append(told, e.Timer.ID)
		} else {
			rings = append(rings, e.Timer.ID)
		}
	}
	return b.d.dialogue.Ring(ctx, rings, told)
}
