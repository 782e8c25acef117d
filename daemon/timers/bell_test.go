package timers

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/event"
	"hearthd/tools/timer"
)

func TestOrdersRingNobody(t *testing.T) {
	b := newBell(event.NewBus(), time.UTC, slog.New(slog.DiscardHandler))
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

// silent is a dialogue that notes what it is told, and rings nothing.
type silent struct{ told chan [2][]int64 }

var errGone = errors.New("the dialogue has ended")

func (s silent) Ring(_ context.Context, ids, once []int64) error {
	s.told <- [2][]int64{ids, once}
	return errGone // of which the bell does not end
}

func (s silent) Silence(_ context.Context, ids []int64) ([]int64, error) { return ids, errGone }

func TestWhatEndedBeforeTheSpeakerIsOpenRingsWhenItIs(t *testing.T) {
	b := newBell(event.NewBus(), time.UTC, slog.New(slog.DiscardHandler))
	d, speaker, ended := silent{make(chan [2][]int64)}, make(chan struct{}), make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ended <- b.run(ctx, sounders{ringer: d, speaker: speaker}) }()
	b.Ring([]timer.Event{{Timer: timer.Timer{ID: 1}}, {Timer: timer.Timer{ID: 2}, Once: true}})
	if rang, err := b.Silence(t.Context(), []int64{7}); !cmp.Equal(rang, []int64{7}) || !errors.Is(err, errGone) {
		t.Errorf("%v were silenced, %v", rang, err)
	}
	select {
	case told := <-d.told:
		t.Errorf("%v ring where nobody hears them", told)
	default:
	}
	close(speaker)
	if diff := cmp.Diff([2][]int64{{1}, {2}}, <-d.told); diff != "" {
		t.Error(diff)
	}
	b.Ring([]timer.Event{{Timer: timer.Timer{ID: 3}}})
	if diff := cmp.Diff([2][]int64{{3}, nil}, <-d.told); diff != "" {
		t.Error(diff)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
