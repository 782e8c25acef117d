package tools

import (
	"sync/atomic"
	"time"
)

// It is the name by which a call means what was spoken of last.
const It = "it"

// recently is how long people say "it" of what was spoken of last.
const recently = 3 * time.Minute

// Recent is what was spoken of last. Its zero value is ready, and any goroutine may use it.
type Recent[T any] struct{ last atomic.Pointer[spoken[T]] }

type spoken[T any] struct {
	of T
	at time.Time
}

// Set notes what is spoken of now.
func (r *Recent[T]) Set(of T) { r.last.Store(&spoken[T]{of, time.Now()}) }

// Get is what was spoken of, or the zero value if that is long ago.
func (r *Recent[T]) Get() (of T) {
	if s := r.last.Load(); s != nil && time.Since(s.at) < recently {
		return s.of
	}
	return of
}
