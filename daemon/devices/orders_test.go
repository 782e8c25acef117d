package devices

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
	"hearthd/tools"
	"hearthd/tools/home/act"
	"hearthd/tools/phrase"
	"hearthd/tools/timer"
)

// ordered is a house in which orders are carried out.
func ordered(t *testing.T) (*Devices, chan []timer.Event, *dollhouse) {
	t.Helper()
	doll := newDollhouse(t, "house")
	registry, log, due := tools.NewRegistry(phrase.English()), slog.New(slog.DiscardHandler),
		make(chan []timer.Event, 1)
	tool, err := act.New(act.Options{Devices: doll})
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.Register(tool.Tools()...); err != nil {
		t.Fatal(err)
	}
	exec, err := tools.NewExecutor(tools.ExecutorOptions{Registry: registry, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return &Devices{
		opt: Options{Source: doll, Registry: registry, Book: phrase.English(),
			Toolbox: answer.NewToolbox(event.NewBus(), exec, phrase.English(), false), Due: due, Log: log},
		home: tool, offered: true,
	}, due, doll
}

func TestOrderIsCarriedOutThroughTheExecutor(t *testing.T) {
	for call, want := range map[string]struct {
		said string
		ok   bool
		sent []string
	}{
		`{"arguments":{"action":"unlock","name":"front door"},"question":"Unlock the front door?"}`: {"The front door is unlocked.", true, []string{`d1 {"state":"unlocked"}`}},
		// what it is for has changed since
		`{"arguments":{"action":"unlock","name":"front door"}}`: {"That was not done: somebody has to agree to it first, and there is nobody to ask now.", false, nil},
		// It was agreed to for another door, which had that name then.
		`{"arguments":{"action":"unlock","name":"front door"},"question":"Unlock the back door?"}`: {"That was not done: somebody has to agree to it first, and there is nobody to ask now.", false, nil},
		`{"arguments":{"action":"off","name":"toaster"}}`:                                          {"I don't know a device called toaster.", false, nil},
		`{"arguments":{"action":"fly","name":"front door"}}`:                                       {"", false, nil},
		`[`: {"I no longer know how.", false, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _, doll := ordered(t)
			said, ok := c.do(t.Context(), timer.Event{Timer: timer.Timer{Kind: timer.Order, Do: call}})
			if want.said != "" && said != want.said || ok != want.ok {
				t.Errorf("%s: %q, %v", call, said, ok)
			}
			if diff := cmp.Diff(want.sent, doll.sent); diff != "" {
				t.Errorf("%s: %s", call, diff)
			}
		})
	}
}

// What came due while the box was off is carried out in the order in which it was to be.
func TestOrdersThatAreLateAreCarriedOutInTheirOrder(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			c, o, doll := ordered(t)
			c.opt.Timers, _ = timer.New(timer.Options{Store: noStore{}, Bell: noBell{}, Location: time.UTC,
				Snooze: time.Minute, Log: c.opt.Log})
			ctx, cancel := context.WithCancel(t.Context())
			go c.carryOutOrders(ctx) //nolint:errcheck
			do := func(id int64, action string) timer.Event {
				return timer.Event{Missed: true, Timer: timer.Timer{ID: id, Kind: timer.Order,
					Do: `{"arguments":{"action":"` + action +
						`","name":"front door"},"question":"Unlock the front door?"}`}}
			}
			o <- []timer.Event{do(1, "unlock"), do(2, "lock")}
			time.Sleep(time.Minute)
			cancel()
			synctest.Wait()
			if diff := cmp.Diff([]string{`d1 {"state":"unlocked"}`, `d1 {"state":"locked"}`}, doll.sent); diff != "" {
				t.Error(diff)
			}
		})
	}
}

type noStore struct{}

func (noStore) Timers(context.Context) ([]timer.Timer, error)              { return nil, nil }
func (noStore) AddTimers(context.Context, ...timer.Timer) ([]int64, error) { return nil, nil }
func (noStore) ChangeTimers(context.Context, []timer.Timer, []int64) error { return nil }

type noBell struct{}

func (noBell) Ring([]timer.Event)                                {}
func (noBell) Silence(context.Context, []int64) ([]int64, error) { return nil, nil }
