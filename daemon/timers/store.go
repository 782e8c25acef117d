package timers

import (
	"context"

	"hearthd/memory"
	"hearthd/tools/timer"
	"hearthd/tools/when"
)

// timerStore is the store as the timers see it.
type timerStore struct{ *memory.Store }

func (s timerStore) Timers(ctx context.Context) ([]timer.Timer, error) {
	kept, err := s.Store.Timers(ctx)
	list := make([]timer.Timer, len(kept))
	for i, t := range kept {
		list[i] = timer.Timer{
			ID: t.ID, Kind: timer.Kind(t.Kind), Label: t.Label, Do: t.Do, Length: t.Length, Ends: t.Ends, Left: t.Left,
			Repeat: when.Repeat(t.Repeat), Starts: t.Starts, Rang: t.Rang, Boot: t.Boot, Due: t.Due,
		}
	}
	return list, err
}

func (s timerStore) AddTimers(ctx context.Context, list ...timer.Timer) ([]int64, error) {
	return s.Store.AddTimers(ctx, toStore(list)...)
}

func (s timerStore) ChangeTimers(ctx context.Context, changed []timer.Timer, gone []int64) error {
	return s.Store.ChangeTimers(ctx, toStore(changed), gone)
}

func toStore(list []timer.Timer) []memory.Timer {
	out := make([]memory.Timer, len(list))
	for i, t := range list {
		out[i] = memory.Timer{
			ID: t.ID, Kind: string(t.Kind), Label: t.Label, Do: t.Do, Length: t.Length, Ends: t.Ends, Left: t.Left,
			Repeat: string(t.Repeat), Starts: t.Starts, Rang: t.Rang, Boot: t.Boot, Due: t.Due,
		}
	}
	return out
}
