package realtime

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"hearthd/llm"
)

const (
	// recycle is the age at which a session is replaced once nothing goes on in it;
	// the service's own limit is 60 minutes.
	recycle = 20 * time.Minute
	// A service that did not answer is tried again after retryFirst, then after pauses that double
	// up to retryLast.
	retryFirst = 5 * time.Second
	retryLast  = 5 * time.Minute
	// maxFaults is how many turns in a row may fail at a service that can be
	// connected to, before it is treated as one that cannot.
	maxFaults = 2
)

// keeper is the state of Run.
type keeper struct {
	c       *Client
	wg      sync.WaitGroup
	s       *Session
	end     context.CancelFunc // of s
	dialing bool
	waiting []chan<- opened
	idle    *time.Timer
	retry   *time.Timer
	pause   time.Duration // before the next retry
	faults  int           // turns in a row that failed
}

// Run keeps the session until ctx ends. It returns when every goroutine has.
func (c *Client) Run(ctx context.Context) error {
	k := &keeper{c: c, idle: time.NewTimer(time.Hour), retry: time.NewTimer(time.Hour)}
	k.idle.Stop()
	k.retry.Stop()
	defer close(c.gone)
	for {
		select {
		case <-ctx.Done():
			k.finish()
			return nil
		case reply := <-c.wants:
			k.want(ctx, reply)
		case o := <-c.dialed:
			k.opened(ctx, o)
		case s := <-c.over:
			k.ended(s)
		case err := <-c.verdicts:
			k.judge(err)
		case <-k.idle.C:
			k.rest()
		case <-k.retry.C:
			k.dial(ctx, true)
		}
	}
}

// finish ends the session and waits for what runs.
func (k *keeper) finish() {
	done := make(chan struct{})
	go func() {
		k.wg.Wait()
		close(done)
	}()
	for {
		select {
		case o := <-k.c.dialed:
			if o.s != nil {
				o.s.line.CloseNow()
			}
		case <-k.c.over:
		case <-done:
			for _, w := range k.waiting {
				w <- opened{err: errAway}
			}
			return
		}
	}
}

func (k *keeper) want(ctx context.Context, reply chan<- opened) {
	if k.s != nil {
		switch rested, alive := k.s.rested(); {
		case !alive:
			k.have(nil)
		case rested > 0 && time.Since(k.s.begun) > recycle:
			k.drop()
		}
	}
	if k.s != nil {
		k.idle.Reset(k.c.opt.Idle)
		if reply != nil {
			reply <- opened{s: k.s, old: true}
		}
		return
	}
	if reply != nil {
		k.waiting = append(k.waiting, reply)
	} else if k.c.away.Load() {
		return // it is tried again at its time
	}
	k.dial(ctx, false)
}

// dial connects. A probe only tries: nobody has asked for anything, so the service learns nothing
// of the house.
func (k *keeper) dial(ctx context.Context, probe bool) {
	if k.dialing || k.s != nil {
		return
	}
	k.dialing = true
	k.wg.Go(func() {
		var p Persona
		at := k.c.changes.Load()
		if !probe {
			p = k.c.opt.Persona(ctx)
		}
		s, err := open(ctx, &k.c.opt.Options, &p)
		if probe && err == nil {
			s.line.CloseNow()
			s = nil
		}
		k.c.dialed <- opened{s: s, at: at, err: err}
	})
}

// opened takes the result of dial. Those who wait are answered last, so that they find the client
// in its new state.
func (k *keeper) opened(ctx context.Context, o opened) {
	k.dialing = false
	if o.err == nil {
		k.retry.Stop()
		k.c.away.Store(false)
		k.c.opt.Changed(nil)
		if o.s == nil { // the probe's
			if len(k.waiting) > 0 {
				k.dial(ctx, false)
			}
			return
		}
	}
	waiting := k.waiting
	k.waiting = nil
	defer func() {
		for _, w := range waiting {
			w <- o
		}
	}()
	if o.err != nil {
		k.failed(o.err)
		return
	}
	k.have(o.s)
	sctx, end := context.WithCancel(ctx)
	k.end = end
	k.wg.Go(func() {
		defer end()
		err := o.s.Run(sctx)
		if sctx.Err() == nil && !errors.Is(err, ErrEnded) {
			k.c.opt.Log.Warn("realtime session ended", "component", "responder", "error", err)
		}
		k.c.over <- o.s
	})
	if o.at != k.c.changes.Load() { // what the session was told is out of date
		k.drop()
		k.waiting, waiting = waiting, nil
		if len(k.waiting) > 0 {
			k.dial(ctx, false)
		}
		return
	}
	k.idle.Reset(k.c.opt.Idle)
}

// failed keeps turns away from the service until it answers.
func (k *keeper) failed(err error) {
	k.c.away.Store(true)
	k.c.opt.Changed(err)
	k.pause = min(max(2*k.pause, retryFirst), retryLast)
	if lasting(err) {
		k.pause = retryLast // a short wait will not help
	}
	k.retry.Reset(k.pause/2 + rand.N(k.pause/2+1))
}

// lasting reports whether the problem will not go away by itself in a moment.
func lasting(err error) bool {
	return errors.Is(err, ErrKey) || errors.Is(err, ErrLimit) || errors.Is(err, llm.ErrModel)
}

// judge takes how a turn ended. A service that accepts the connection and then fails turn after
// turn is avoided like one that does not answer.
func (k *keeper) judge(err error) {
	if err == nil {
		k.faults, k.pause = 0, 0
		return
	}
	k.faults++
	if k.faults < maxFaults && !lasting(err) {
		return
	}
	k.faults = maxFaults - 1 // once it is tried again, the next fault is enough
	if k.s != nil {
		k.drop()
	}
	k.failed(err)
}

// have makes s the session.
func (k *keeper) have(s *Session) {
	k.s = s
	k.c.current.Store(s)
}

func (k *keeper) ended(s *Session) {
	if k.s == s {
		k.have(nil)
		k.idle.Stop()
	}
}

// drop ends the session; that it has ended is reported later.
func (k *keeper) drop() {
	k.end()
	k.have(nil)
	k.idle.Stop()
}

// rest ends a session in which nothing has happened for a while. An answer counts until it has been
// played.
func (k *keeper) rest() {
	if k.s == nil {
		return
	}
	rested, _ := k.s.rested()
	if left := k.c.opt.Idle - rested; left > 0 {
		k.idle.Reset(left)
		return
	}
	k.drop()
}
