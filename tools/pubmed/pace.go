package pubmed

import (
	"context"
	"sync"
	"time"
)

// pacer keeps a minimum time between requests. It is safe for use by several goroutines.
type pacer struct {
	every time.Duration
	mu    sync.Mutex
	next  time.Time
}

// wait waits until the next request may be sent, or until ctx ends.
func (p *pacer) wait(ctx context.Context) error {
	p.mu.Lock()
	now := time.Now()
	at := p.next
	if at.Before(now) {
		at = now
	}
	p.next = at.Add(p.every)
	p.mu.Unlock()
	if !at.After(now) {
		return ctx.Err()
	}
	turn := time.NewTimer(at.Sub(now))
	defer turn.Stop()
	select {
	case <-turn.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
