package web

import (
	"maps"
	"sync"
	"time"
)

// maxPeers bounds those that are counted at once.
const maxPeers = 1024

// limits is a bucket of tokens for each peer, full at first.
type limits struct {
	burst, rate float64 // tokens, and tokens a second that come back

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

func newLimits(burst, rate float64) *limits {
	return &limits{burst: burst, rate: rate, buckets: make(map[string]bucket)}
}

// take counts one for who, and reports whether it was not too many.
func (l *limits) take(who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.now(who)
	enough := b.tokens >= 1
	if enough {
		b.tokens--
	}
	if _, known := l.buckets[who]; !known && len(l.buckets) >= maxPeers {
		l.forget(b.at)
	}
	l.buckets[who] = b
	return enough
}

func (l *limits) now(who string) bucket {
	now := time.Now()
	b, known := l.buckets[who]
	if !known {
		return bucket{tokens: l.burst, at: now}
	}
	passed := max(0, now.Sub(b.at))
	return bucket{tokens: min(b.tokens+passed.Seconds()*l.rate, l.burst), at: now}
}

// forget drops those whose bucket is full again, and everybody if that is nobody.
func (l *limits) forget(now time.Time) {
	full := func(_ string, b bucket) bool {
		return b.tokens+now.Sub(b.at).Seconds()*l.rate >= l.burst
	}
	maps.DeleteFunc(l.buckets, full)
	if len(l.buckets) >= maxPeers {
		clear(l.buckets)
	}
}
