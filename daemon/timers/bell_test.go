package timers

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/tools/timer"
)

func TestOrdersRingNobody(t *testing.T) {
	b := newBell(event.NewBus(), slog.New(slog.DiscardHandler))
	order, egg := timer.Event{Timer: timer.Timer{ID: 1, Kind: timer.Order}},
		timer.Event{Timer: timer.Timer{ID: 2, Kind: timer.Countdown}}
	rest := b.take([]timer.Event{order, egg})
	if diff := cmp.Diff([]timer.Event{egg}, rest); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]timer.Event{order}, <-b.orders); diff != "" {
		t.Error(diff)
	}
}
