package dialogue

import (
	"sync/atomic"

	"hearthd/daemon/event"
)

// Activity reports whether anybody is using the box, so that background work can wait until
// nobody is. It is made before the machine. Its methods may be called by any goroutine.
type Activity struct{ quiet atomic.Bool }

// Quiet reports whether nobody is using the box.
func (a *Activity) Quiet() bool { return a.quiet.Load() }

func (a *Activity) set(s event.State) {
	if a != nil {
		a.quiet.Store(s == event.Idle || s == event.Muted || s == event.Faulted)
	}
}
