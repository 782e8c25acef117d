package discovery

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// settled is how long no document may come before the search is taken to be over for now.
	settled = time.Second
	// latest is when it is taken to be over although documents go on coming: some devices send
	// theirs again and again.
	latest = 10 * time.Second
)

// Run reads what the broker delivers, and asks found devices for their state, until ctx
// ends.
func (h *Hub) Run(ctx context.Context) error {
	var reader sync.WaitGroup
	defer reader.Wait()
	reader.Go(func() { h.read(ctx) })
	quiet := time.NewTimer(settled)
	defer quiet.Stop()
	first := time.Now() // time of the first documents that were not reported yet
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-h.bell:
			if first.IsZero() {
				first = time.Now()
			}
			quiet.Reset(min(settled, latest-time.Since(first)))
		case <-quiet.C:
			first = time.Time{}
			h.settle(ctx)
		}
	}
}

// settle reports what was found, and asks it for its state.
func (h *Hub) settle(ctx context.Context) {
	h.mu.Lock()
	polls := slices.Collect(maps.Keys(h.polls))
	clear(h.polls)
	birth := false
	for _, e := range h.entities {
		birth = birth || h.opt.Birth && !h.born && len(e.Reports) > 0 && len(e.State) == 0
	}
	h.born = h.born || birth
	h.mu.Unlock()
	if h.opt.Found != nil {
		h.opt.Found()
	}
	if birth {
		polls = append(polls, message{h.opt.Prefix + "/status", "online"})
	}
	for _, m := range polls {
		if err := h.opt.Broker.Publish(ctx, m.topic, []byte(m.payload), 0, false); err != nil {
			h.opt.Log.Debug("ask device", "component", "home", "topic", m.topic, "error", err)
			return // the next connection asks again
		}
	}
}

// Connected says that there is a new connection: what is not retained may have
// been missed, and what is retained comes again.
func (h *Hub) Connected() {
	h.inbox.missed(true)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.born = false
	for _, e := range h.entities {
		for _, p := range e.polls {
			h.polls[p] = true
		}
	}
	h.ring()
}
