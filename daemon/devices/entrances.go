package devices

import (
	"context"
	"maps"
	"sync"

	"hearthd/config"
	"hearthd/daemon/refusal"
	"hearthd/memory"
	"hearthd/tools/home"
)

// entrances are the owner's marks for ways into the house, made at the console or with hearthctl.
// What the configuration says is kept apart.
type entrances struct {
	store *memory.Store
	now   func() *config.Config

	mu     sync.Mutex
	byHand map[string]bool // by ID; replaced, never changed
}

// maxMarks bounds the marks made by hand.
const maxMarks = 1000

func newEntrances(ctx context.Context, store *memory.Store, now func() *config.Config) (*entrances, error) {
	byHand, err := store.Entrances(ctx)
	return &entrances{store: store, now: now, byHand: byHand}, err
}

// marks are those that hold now, from both.
func (e *entrances) marks() home.Marks {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := &e.now().Tools.Home
	return home.Marks{ByHand: e.byHand, Is: c.Entrances, Not: c.NoEntrances}
}

// set keeps a mark, or takes it back when is is nil.
func (e *entrances) set(ctx context.Context, id string, is *bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.byHand[id]; !known && is != nil && len(e.byHand) >= maxMarks {
		return refusal.Error("too many devices are marked")
	}
	if err := e.store.SetEntrance(ctx, id, is); err != nil {
		return err
	}
	byHand := maps.Clone(e.byHand)
	if is == nil {
		delete(byHand, id)
	} else {
		byHand[id] = *is
	}
	e.byHand = byHand
	return nil
}
