package live

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm"
	"hearthd/llm/realtime"
	"hearthd/rigs/llmtest"
)

// rig is a client of llm/realtime over GPT-Live, with a server of its own, in a bubble of time.
type rig struct {
	*testing.T
	server *llmtest.Live
	client *realtime.Client
	call   func(llm.ToolCall) string
	opt    realtime.Options

	mu      sync.Mutex
	persona realtime.Persona
	spent   float64
}

const (
	rigIdle    = 10 * time.Second
	rigSilence = 3 * time.Second
	rigLimit   = 4 * time.Second // for the beginning of an answer
	rigPrice   = 0.05            // of a minute
)

// live runs a test with a rig; change may be nil.
func live(t *testing.T, answer func(llmtest.LiveTurn) llmtest.LiveAnswer, change func(*rig), test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cable := llmtest.NewCable()
		r := &rig{T: t, server: llmtest.NewLiveOn(t, cable, answer)}
		r.server.WantKey("sesame")
		r.persona = realtime.Persona{Instructions: "Be short."}
		r.opt = realtime.Options{
			URL: r.server.URL, Key: "sesame", Model: "gpt-live-1", Voice: "marin", Via: cable.Client(),
			Log: slog.New(slog.DiscardHandler), Prices: realtime.Prices{SessionMinute: rigPrice},
			Spent: func(money float64) { r.mu.Lock(); defer r.mu.Unlock(); r.spent += money },
			Open: Options{Silence: rigSilence, Delegate: func(said string) (string, []byte) {
				return "route_to_thinker", fmt.Appendf(nil, `{"query":%q}`, said)
			}}.Open,
		}
		if change != nil {
			change(r)
		}
		r.start()
		test(r)
	})
}

func (r *rig) start() {
	c, err := realtime.New(realtime.ClientOptions{Options: r.opt, Idle: rigIdle, Changed: func(error) {},
		Persona: func(context.Context) realtime.Persona {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.persona
		}})
	if err != nil {
		r.Fatal(err)
	}
	r.client = c
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	r.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			r.Error(err)
		}
		if v := r.server.Violations(); len(v) > 0 {
			r.Errorf("the client broke the rules:\n%s", strings.Join(v, "\n"))
		}
	})
}

func (r *rig) open() *realtime.Turn {
	r.Helper()
	t, err := r.client.Open(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	return t
}

// speech is a voice, or silence.
func speech(length time.Duration, loud bool) []int16 {
	list := make([]int16, length*16/time.Millisecond)
	for i := range list {
		if loud {
			list[i] = int16(8000 * math.Sin(float64(i)/6))
		}
	}
	return list
}

// utters speaks into t, as fast as people do, and is silent for as long as hearthd waits.
func (r *rig) utters(t *realtime.Turn) error {
	for _, loud := range []bool{true, false} {
		for range 7 {
			time.Sleep(100 * time.Millisecond)
			if err := t.Write(speech(100*time.Millisecond, loud)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *rig) says(t *realtime.Turn) {
	r.Helper()
	if err := r.utters(t); err != nil {
		r.Fatal(err)
	}
}

// asks makes a whole request.
func (r *rig) asks() *realtime.Turn {
	r.Helper()
	t := r.open()
	r.says(t)
	if err := t.Commit(); err != nil {
		r.Fatal(err)
	}
	return t
}

// heard is an answer.
type heard struct {
	text, person string
	audio        time.Duration
	calls        []llm.ToolCall
	cost         float64
	err          error
}

// hear takes an answer to its end, or until enough of it was heard.
func (r *rig) hear(t *realtime.Turn, enough time.Duration) (h heard) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for d, err := range t.Answer(r.Context(), rigLimit, rigLimit) {
		h.err = err
		h.text += d.Text
		if d.Heard != "" {
			h.person = d.Heard
		}
		h.audio += lasts(len(d.Audio))
		if d.Usage != nil {
			h.cost += d.Usage.Cost
		}
		if d.Call != nil {
			h.calls = append(h.calls, *d.Call)
			wg.Go(func() { t.Result(d.Call.ID, r.call(*d.Call)) })
		}
		if enough > 0 && h.audio >= enough {
			break
		}
	}
	return h
}

// sent are the events of a type that the server got.
func (r *rig) sent(kind string) (list []map[string]any) {
	synctest.Wait()
	for _, raw := range r.server.Events() {
		var e map[string]any
		if err := json.Unmarshal(raw, &e); err != nil {
			r.Fatal(err)
		}
		if e["type"] == kind {
			list = append(list, e)
		}
	}
	return list
}

// added are the contents of what was added, of a kind.
func (r *rig) added(kind string) (list []string) {
	for _, e := range r.sent(kind) {
		list = append(list, e["content"].(string))
	}
	return list
}

// closes waits until no session is open.
func (r *rig) closes() {
	r.Helper()
	for range 60 {
		if _, open := r.server.Sessions(); open == 0 {
			synctest.Wait()
			return
		}
		time.Sleep(time.Second)
	}
	r.Fatal("the session stays open")
}

// money is what was spent so far.
func (r *rig) money() float64 {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spent
}
