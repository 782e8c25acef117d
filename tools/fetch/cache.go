package fetch

import (
	"sync"
	"time"
)

// Cache keeps answers for a while, so that a service is not asked the same twice. When it is
// full the oldest is dropped. It is safe for use by several goroutines.
type Cache[K comparable, V any] struct {
	mu      sync.Mutex
	ttl     time.Duration
	size    int
	entries map[K]kept[V]
}

type kept[V any] struct {
	value V
	since time.Time
}

// NewCache makes a cache of size entries.
func NewCache[K comparable, V any](size int, ttl time.Duration) *Cache[K, V] {
	return &Cache[K, V]{ttl: ttl, size: size, entries: make(map[K]kept[V])}
}

// Get returns a value that is fresh.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	v, age, ok := c.Stale(key)
	if !ok || age >= c.ttl {
		var none V
		return none, false
	}
	return v, true
}

// Stale returns a value, fresh or not, and its age.
func (c *Cache[K, V]) Stale(key K) (V, time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	return e.value, time.Since(e.since), ok
}

// Put keeps a value.
func (c *Cache[K, V]) Put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[key]; !ok && len(c.entries) >= c.size {
		var oldest K
		var since time.Time
		for k, e := range c.entries {
			if since.IsZero() || e.since.Before(since) {
				oldest, since = k, e.since
			}
		}
		delete(c.entries, oldest)
	}
	c.entries[key] = kept[V]{v, time.Now()}
}
