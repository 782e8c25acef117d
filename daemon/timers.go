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

// ringer is who lets ring, as the dialogue does.
type ringer interface {
	Ring(ctx context.Context, ids, once []int64) error
	Silence(ctx context.Context, ids []int64) ([]int64, error)
}

// bell stands between the timers, which are made first, and the dialogue.
type bell struct {
	*base
	orders   orders
	rings    chan []timer.Event // what the dialogue does not know yet
	silences chan silencing
}

// silencing asks for the end of the ringing of some timers.
type silencing struct {
	ids   []int64
	reply chan silenced // cap 1
}

type silenced struct {
	rang []int64
	err  error
}

// ringsAhead is how many moments at which something ends the dialogue may be behind.
const ringsAhead = 1000

func newBell(b *base) bell {
	return bell{
		base: b, orders: orders{make(chan []timer.Event, ordersAhead)},
		rings: make(chan []timer.Event, ringsAhead), silences: make(chan silencing),
	}
}

// Ring publishes what ended, and leaves it to run to ring. Orders ring nobody.
func (b bell) Ring(ended []timer.Event) {
	if ended = b.orders.take(ended); len(ended) == 0 {
		return
	}
	var again []event.Timer
	for _, e := range ended {
		shown := shown([]timer.Timer{e.Timer})[0]
		if e.Again {
			again = append(again, shown)
		} else {
			b.bus.Publish(&event.TimerFired{Timer: shown, Missed: e.Missed})
		}
	}
	if len(again) > 0 {
		b.bus.Publish(&event.RingResumed{Timers: again})
	}
	b.rings <- ended
}

// Silence ends the ringing of some timers, and gives those that rang.
func (b bell) Silence(ctx context.Context, ids []int64) ([]int64, error) {
	s := silencing{ids, make(chan silenced, 1)}
	select {
	case b.silences <- s:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case r := <-s.reply:
		return r.rang, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// timekeeping is the clock, what goes by it, and what lets it ring.
type timekeeping struct {
	clock  *wallclock.Clock
	timers *timer.Timers
	bell   bell
}

// buildTimers makes the timers and the clock that they go by.
func (d *base) buildTimers(store *memory.Store) (*timekeeping, error) {
	set := make(chan struct{}, 1)
	clock, err := wallclock.New(wallclock.Options{Floor: built(), Changed: func(trusted bool) {
		d.clockChanged(trusted)
		select {
		case set <- struct{}{}:
		default: // they have not yet heard of the last time
		}
	}})
	if err != nil {
		return nil, err
	}
	t := &timekeeping{clock: clock, bell: newBell(d)}
	t.timers, err = timer.New(timer.Options{
		Store: timerStore{store}, Bell: t.bell, Changed: d.timersChanged, ClockSet: set, Trusted: clock.Trusted, Boot: wallclock.NewBoot("").Since,
		Location: d.zone, Hour24: d.cfg.Tools.Clock24h, Snooze: d.cfg.Tools.Ring.Snooze, Log: d.log,
	})
	return t, err
}

func (d *base) clockChanged(trusted bool) {
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
func (d *base) ringing(timers *timer.Timers) answer.Ringing {
	r := d.cfg.Tools.Ring
	return answer.Ringing{
		Limit: r.Limit, Pause: ringPause, Volume: r.Volume, Timers: timers,
		Enders: []string{"speaker_stop", "alarm_snooze", "alarm_cancel", "timer_cancel", "reminder_cancel"},
	}
}

// buildSettings reads what people chose.
func (d *base) buildSettings(ctx context.Context, store *memory.Store) (*settings.Settings, error) {
	return settings.Open(ctx, settings.Options{
		Store: store, Bus: d.bus, Volume: d.cfg.Audio.Volume, Words: d.cfg.Wake.Choices(), Responder: d.cfg.Choices() != nil,
		Quiet: d.quietHour,
	})
}

// quietHour tells whether only what is urgent is announced, and until when.
func (d *base) quietHour(now time.Time) (until string, quiet bool) {
	from, to, ok := config.Hours(d.now().Tools.QuietHours)
	if !ok {
		return "", false
	}
	now = when.Float(now, d.zone)
	at := now.Sub(when.Date(now))
	return when.SayTime(when.Date(now).Add(to), d.cfg.Tools.Clock24h), config.Within(at, from, to)
}

func (d *base) timersChanged(list []timer.Timer) {
	d.bus.Publish(&event.TimersChanged{Timers: shown(list)})
}

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

// run lets ring what has ended, until ctx ends. What ended while the box was off is known
// before the speaker is open, and would not be heard.
func (b bell) run(ctx context.Context, by ringer, speaker <-chan struct{}) error {
	rings := (chan []timer.Event)(nil)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-speaker:
			speaker, rings = nil, b.rings
		case s := <-b.silences:
			rang, err := by.Silence(ctx, s.ids)
			s.reply <- silenced{rang, err}
		case ended := <-rings:
			if err := ring(ctx, by, ended); err != nil && ctx.Err() == nil {
				b.log.Error("ring", "component", "timer", "timer", ended[0].Timer.ID, "error", err)
			}
		}
	}
}

// ring lets ring what ended, and what is to be told once.
func ring(ctx context.Context, by ringer, ended []timer.Event) error {
	var rings, told []int64
	for _, e := range ended {
		if e.Once {
			told = append(told, e.Timer.ID)
		} else {
			rings = append(rings, e.Timer.ID)
		}
	}
	return by.Ring(ctx, rings, told)
}
