package daemon

import (
	"context"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/daemon/health"
)

// levelsEvery is how often the conditions of the microphone's level are looked at.
const levelsEvery = time.Second

// levels watches whether what the microphone gives can be worked with. push
// belongs to the listen goroutine.
type levels struct {
	monitor          *audio.Monitor
	silent, clipping atomic.Bool
}

func newLevels() *levels { return &levels{monitor: audio.NewMonitor()} }

// Push takes the next frame of the device.
func (l *levels) Push(f *audio.Frame) {
	l.monitor.Push(f)
	r := l.monitor.Reading()
	l.silent.Store(r.Silent)
	l.clipping.Store(r.Clipping)
}

// watchLevels keeps the conditions of the microphone's level.
func (d *Daemon) watchLevels(ctx context.Context) error {
	tick := time.NewTicker(levelsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			d.showLevels(d.meter.ears.levels)
		}
	}
}

func (d *Daemon) showLevels(l *levels) {
	hears := !d.muted.Load() && d.lostAt.Load() == nil
	d.holds("microphone_silent", hears && l.silent.Load(),
		"The microphone gives no sound at all: it is switched off, not plugged in, or muted in the mixer (alsamixer).")
	d.holds("microphone_clipping", hears && l.clipping.Load(),
		"The microphone is overdriven: lower its capture level (alsamixer), or move it away from what is loud.")
}

// holds sets or clears a warning.
func (d *Daemon) holds(code string, yes bool, text string) {
	if yes {
		d.conditions.Set(code, health.Warning, text)
		return
	}
	d.conditions.Clear(code)
}
