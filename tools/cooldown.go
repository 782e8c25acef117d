package tools

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"
)

// maxCooling bounds the calls that are remembered; beyond it the one that may
// be repeated soonest is forgotten.
const maxCooling = 1024

type coolingKey [sha256.Size]byte

// keyOf names a call by tool and arguments, so that "on" then "off" is not held back. The arguments
// are in plain form, in which equal values have the same text.
func keyOf(name string, args json.RawMessage) coolingKey {
	return sha256.Sum256(append([]byte(name+"\x00"), args...))
}

// cooling remembers until when a call is not repeated.
type cooling struct {
	mu    sync.Mutex
	until map[coolingKey]time.Time
}

// enter starts the cooldown of a call, or returns the time that is left of it.
func (c *cooling) enter(key coolingKey, cooldown time.Duration) (left time.Duration) {
	if cooldown == 0 {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if left := c.until[key].Sub(now); left > 0 {
		return left
	}
	if len(c.until) >= maxCooling {
		c.evict(now)
	}
	c.until[key] = now.Add(cooldown)
	return 0
}

// forget allows a call again at once, because it had no effect.
func (c *cooling) forget(key coolingKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.until, key)
}

func (c *cooling) evict(now time.Time) {
	var first coolingKey
	var soonest time.Time
	for key, until := range c.until {
		if !until.After(now) {
			delete(c.until, key)
		} else if soonest.IsZero() || until.Before(soonest) {
			first, soonest = key, until
		}
	}
	if len(c.until) >= maxCooling {
		delete(c.until, first)
	}
}
