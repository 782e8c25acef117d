package mqtt

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"hearthd/daemon/mqtt/contract"
)

// limits bounds how often each command is carried out.
type limits struct {
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

func newLimits() *limits { return &limits{buckets: make(map[string]*rate.Limiter)} }

// take counts one command, and refuses it if there were too many.
func (l *limits) take(c contract.Command, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[c.Name]
	if b == nil {
		b = rate.NewLimiter(rate.Every(c.Every), c.Burst)
		l.buckets[c.Name] = b
	}
	if !b.AllowN(now, 1) {
		return fmt.Errorf("too many: at most %d %s commands at once, then one each %v", c.Burst, c.Name, c.Every)
	}
	return nil
}
