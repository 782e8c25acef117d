package mqtt

import (
	"fmt"
	"sync"
	"time"

	"hearthd/daemon/mqtt/contract"
)

// limits bounds how often each command is carried out: a bucket of tokens for each,
// full at first, that gets one back each Command.Every.
type limits struct {
	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

func newLimits() *limits { return &limits{buckets: make(map[string]bucket)} }

// take counts one command, and refuses it when there were too many.
func (l *limits) take(c contract.Command, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, known := l.buckets[c.Name]
	if !known {
		b = bucket{tokens: float64(c.Burst), at: now}
	}
	passed := max(0, now.Sub(b.at))
	b.tokens = min(b.tokens+passed.Seconds()/c.Every.Seconds(), float64(c.Burst))
	b.at = now
	enough := b.tokens >= 1
	if enough {
		b.tokens--
	}
	l.buckets[c.Name] = b
	if !enough {
		return fmt.Errorf("too many: at most %d %s commands at once, then one each %v", c.Burst, c.Name, c.Every)
	}
	return nil
}
