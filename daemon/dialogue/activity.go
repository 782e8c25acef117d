package dialogue

import (
	"sync/atomic"

	"hearthd/daemon/event"
)

// Activity says what the machine does, for those who have work for quiet moments. It is
// made before the machine. Its methods may be called by any goroutine.
type Activity struct{ state atomic.Pointer[event.State] }

// Quiet reports whether nobody is talking with the box.
func (a *Activity) Quiet() bool {
	s := a.state.Load()
	return s != nil && (*s == event.Idle || *s == event.Muted || *s == event.Faulted)
}

func (a *Activity) set(s event.State) {
	if a != nil {
		a.state.Store(&s)
	}
}
