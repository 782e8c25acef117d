package web

import (
	"maps"
	"sync"

	"golang.org/x/time/rate"
)

// maxCallers bounds the callers that are remembered.
const maxCallers = 1024

// limits is a token bucket for each caller, full at first.
type limits struct {
	burst int
	every rate.Limit // tokens that a bucket regains a second

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

func newLimits(burst int, every rate.Limit) *limits {
	return &limits{burst: burst, every: every, buckets: make(map[string]*rate.Limiter)}
}

// take takes a token from the bucket of a caller, and reports whether there was one.
func (l *limits) take(who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[who]
	if b == nil {
		if len(l.buckets) >= maxCallers {
			l.forget()
		}
		b = rate.NewLimiter(l.every, l.burst)
		l.buckets[who] = b
	}
	return b.Allow()
}

// forget drops the buckets that are full again, or all of them if there is none.
func (l *limits) forget() {
	maps.DeleteFunc(l.buckets, func(_ string, b *rate.Limiter) bool { return b.Tokens() >= float64(l.burst) })
	if len(l.buckets) >= maxCallers {
		clear(l.buckets)
	}
}
