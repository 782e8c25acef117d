package dialogue

import (
	"context"
	"sync/atomic"
	"time"
)

// Dialogue is the turn machine. Its methods may be called by any goroutine while
// Run runs.
type Dialogue struct {
	opt      Options
	commands chan command
	ended    chan struct{}
	beats    atomic.Uint64
}

// New checks the options.
func New(opt Options) (*Dialogue, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	return &Dialogue{
		opt:      opt,
		commands: make(chan command),
		ended:    make(chan struct{}),
	}, nil
}

// Beats counts the turns of the loop; while it grows the loop is alive.
func (d *Dialogue) Beats() uint64 { return d.beats.Load() }

// Run is the loop. It returns nil when ctx has ended and every goroutine of the
// machine with it.
func (d *Dialogue) Run(ctx context.Context) error {
	m := newMachine(&d.opt, d.ended)
	defer close(d.ended)
	defer m.shutdown(ctx)
	m.rest(ctx)
	pulse := time.NewTicker(beat)
	defer pulse.Stop()
	for {
		d.beats.Add(1)
		select {
		case <-ctx.Done():
			return nil
		case <-pulse.C:
			m.listenOn(ctx)
		case s := <-d.opt.Inbox.signals:
			m.signal(ctx, &s)
		case c := <-d.commands:
			c.reply <- c.do(ctx, m)
		case h := <-m.heard:
			m.hear(ctx, h)
		case r := <-m.reports:
			m.report(ctx, r)
		case r := <-m.rulings:
			m.ruled(ctx, r)
		case <-m.windowEnd.C:
			m.windowEnded(ctx)
		case <-m.chime.C:
			m.owed = true
			m.chimeIfQuiet()
		}
	}
}
