package responder

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"hearthd/config"
	"hearthd/daemon/engines"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/llm/thinker"
	"hearthd/memory"
	"hearthd/rigs/memorytest"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// options are those of a responder that knows nobody.
func options(c *config.Config, s *memory.Store, log *slog.Logger, conditions *health.Conditions) Options {
	return Options{
		Book:   phrase.English(),
		Config: c, Now: func() *config.Config { return c }, Zone: time.UTC, Local: func() bool { return false },
		People:   nobody{},
		Registry: tools.NewRegistry(phrase.English()), Store: s, Conditions: conditions, Log: log,
		Used: engines.New(engines.Options{Log: slog.New(slog.DiscardHandler), Config: c, Conditions: conditions}).Used,
	}
}

type nobody struct{}

func (nobody) Known(context.Context, string) string { return "" }

func TestBudgetOfTheMonthOutlastsThatOfTheDay(t *testing.T) {
	store := memorytest.Open(t)
	synctest.Test(t, func(t *testing.T) { // it is the first of January
		cfg := config.Default()
		cfg.Responder.Daily, cfg.Responder.Monthly = 1, 2
		o := options(&cfg, store, slog.New(slog.DiscardHandler), health.New(event.NewBus()))
		p, err := newBudget(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		r := &Responder{opt: o, budget: p}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go p.Run(ctx) //nolint:errcheck // it has no error
		told := 0
		for day, c := range []struct {
			spends float64
			over   bool
		}{{0.9, false}, {1.0, true}, {0, false}, {0.2, true}, {0, true}} {
			p.spend(c.spends)
			synctest.Wait()
			if over := p.over(time.Now()); over != c.over || over != (len(o.Conditions.List()) == 1) {
				t.Errorf("day %d: over budget %t, conditions %+v", day+1, over, o.Conditions.List())
			}
			for range 2 {
				if r.Excuse() != "" {
					told++
				}
			}
			time.Sleep(24 * time.Hour)
		}
		if told != 3 {
			t.Errorf("told %d times on three days", told)
		}
		time.Sleep(27 * 24 * time.Hour)
		if p.over(time.Now()) || len(o.Conditions.List()) != 0 {
			t.Errorf("over budget on %v, after %v", time.Now(), p.month)
		}
	})
}

// telltale is a service that repeats the key wherever it can say something.
func telltale(t *testing.T, key string) (url string, fail func(int)) {
	var status atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := int(status.Load()); n != 0 {
			w.Header().Set("X-Key", key)
			http.Error(w, "incorrect key: "+r.Header.Get("Authorization"), n)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		for _, text := range []string{
			`{"type":"%[1]s"}`,
			`{"type":"error","error":{"type":"%[1]s","code":"%[1]s","message":"incorrect key: %[1]s"}}`,
		} {
			if conn.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, text, key)) != nil {
				return
			}
		}
		conn.Close(websocket.StatusPolicyViolation, "incorrect key: "+key)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", func(n int) { status.Store(int32(n)) }
}

func TestKeyIsInNothingThatAFailingResponderTells(t *testing.T) {
	const key = "sk-sesame_1"
	url, fail := telltale(t, key)
	cfg := config.Default()
	c := &cfg.Responder
	c.URL, c.Model = url, "gpt-realtime"
	bus := event.NewBus()
	sub := bus.Subscribe("test", 1000)
	var log strings.Builder
	o := options(&cfg, memorytest.Open(t), slog.New(slog.NewTextHandler(&log,
		&slog.HandlerOptions{Level: slog.LevelDebug})), health.New(bus))
	o.Key = key
	var told []string
	for _, status := range []int{0, 401, 429, 500, -1} {
		if fail(max(status, 0)); status < 0 {
			c.URL = "http://127.0.0.1:1/v1?key=" + key // where nobody listens
		}
		r, err := New(t.Context(), o, nil, thinker.Prompts{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.own.client.Run(ctx) }()
		if _, err = r.own.Open(t.Context(), ""); err == nil {
			t.Fatalf("status %d: the responder does not fail", status)
		}
		told = append(told, err.Error())
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	events := 0
	for ; len(sub.C()) > 0; events++ {
		data, err := json.Marshal(<-sub.C())
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, string(data))
	}
	if events == 0 {
		t.Error("nobody was told")
	}
	for _, text := range append(told, log.String()) {
		if strings.Contains(text, "sesame") {
			t.Error(text)
		}
	}
}

// A clock that goes to tomorrow and back, or that NTP sets, makes no new budget.
func TestBudgetHoldsThoughTheClockJumps(t *testing.T) {
	store := memorytest.Open(t)
	today := time.Date(2026, 11, 22, 12, 0, 0, 0, time.Local)
	if err := store.AddSpent(t.Context(), today, 2); err != nil { // before the box was started again
		t.Fatal(err)
	}
	for name, at := range map[string][]time.Time{
		"tomorrow and back":    {today, today.Add(24 * time.Hour), today},
		"next month, and back": {today, today.AddDate(0, 1, 0), today},
		"started in 1970":      {time.Unix(0, 0), today},
	} {
		t.Run(name, func(t *testing.T) {
			p := &budget{opt: Options{Store: store, Log: slog.New(slog.DiscardHandler)},
				costs: make(chan float64, costQueue), at: at[0]}
			var err error
			if p.day, p.month, err = store.Spent(t.Context(), at[0]); err != nil {
				t.Fatal(err)
			}
			for _, now := range at {
				p.sums(now)
			}
			if day, month := p.sums(at[len(at)-1]); day != 2 || month != 2 {
				t.Errorf("%v of 2 were spent today, and %v in the month", day, month)
			}
		})
	}
}
