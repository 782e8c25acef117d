package supervise

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// SIGTERM ends hearthd within 5 s, of which 1 s is left for what comes after the
// group: closing the store.
const (
	// patience is how long a part that stops may keep those before it waiting. A sound
	// driver that hangs must not keep the bridge from saying "offline".
	patience = time.Second
	// orderly is how long the parts are stopped one after the other; after that all that
	// still run are told to stop at once.
	orderly = 3 * time.Second
	// stopLimit bounds the whole stop.
	stopLimit = 4 * time.Second
)

// running is a part that was started.
type running struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{} // closed when its goroutine ends
}

// stop cancels the parts from the last to the first. Its error names those that
// did not end within the limit.
func stop(ctx context.Context, started []running) error {
	hurry, cancel := context.WithTimeout(ctx, orderly)
	defer cancel()
	limit, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	for i := len(started) - 1; i >= 0; i-- {
		started[i].cancel()
		waitFor(hurry, started[i].done, patience)
	}
	var hang []string
	for _, r := range started {
		if !waitFor(limit, r.done, stopLimit) {
			hang = append(hang, r.name)
		}
	}
	if hang != nil {
		return fmt.Errorf("stop %s: did not end within %v", strings.Join(hang, ", "), stopLimit)
	}
	return nil
}

// waitFor reports whether done was closed before ctx ended and d was over.
func waitFor(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	select {
	case <-done:
	case <-ctx.Done():
	}
	select {
	case <-done: // perhaps at the same moment
		return true
	default:
		return false
	}
}
