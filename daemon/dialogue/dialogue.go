package dialogue

import (
	"context"
	"sync/atomic"
	"time"

	"hearthd/daemon/dialogue/answer"
)

// beat is how often the loop turns when nothing happens.
const beat = time.Second

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
	pulse := time.NewTicker(beat)
	defer pulse.Stop()
	for {
		m.settle(ctx)
		d.beats.Add(1)
		select {
		case <-ctx.Done():
			return nil
		case <-pulse.C:
			m.secondPassed(ctx)
		case s := <-d.opt.Inbox.signals:
			m.signal(ctx, &s)
		case c := <-d.commands:
			err := c.do(m, ctx)
			m.settle(ctx)
			c.reply <- err
		case w := <-m.words:
			m.hear(ctx, w)
		case utterance := <-m.ends:
			m.opt.Ears.EndAfter(utterance, 0)
		case r := <-m.reports:
			m.report(ctx, r)
		case r := <-m.verdicts:
			m.takeVerdict(ctx, r)
		case <-m.windowEnd.C:
			m.windowEnded()
		case <-m.chime.C:
			m.chimeNow()
		}
	}
}

// settle follows every event: it shows the situation, and begins what waits to be said if the
// table allows it.
func (m *machine) settle(ctx context.Context) {
	free := m.row().announce == says
	if free {
		m.unanswered()
	}
	m.show()
	if free && len(m.outbox) > 0 {
		m.begin(ctx, m.outbox.take())
	}
}

// shutdown ends what still runs. It keeps taking reports, so that each turn still gets its
// document.
func (m *machine) shutdown(ctx context.Context) {
	m.stopListening()
	if m.turn() != nil {
		m.cancelTurn(answer.ErrStopped)
	}
	done := make(chan struct{})
	go func() {
		m.wg.Wait()
		close(done)
	}()
	for {
		select {
		case <-m.words:
		case r := <-m.reports:
			m.report(ctx, r)
		case <-done:
			return
		}
	}
}
