package realtime

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearthd/llm"
	"hearthd/rigs/llmtest"
)

// rig is a client with a server of its own.
type rig struct {
	*testing.T
	server *llmtest.Realtime
	client *Client

	call    func(llm.ToolCall) string
	detects string
	reasons string
	via     *http.Client
	log     strings.Builder // a slog.Handler writes it with a lock; read it after the session

	mu      sync.Mutex
	history []llm.Message
	persona Persona
	changes []error
	spent   float64
}

const (
	// limit is longer than anything takes here.
	limit   = time.Minute
	rigIdle = time.Minute // for which a session is kept
)

func newRig(t *testing.T, answer func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer) *rig {
	return (&rig{T: t, server: llmtest.NewRealtime(t, answer)}).run()
}

func (r *rig) run() *rig {
	r.persona = Persona{
		Instructions: "Be short.",
		Tools: []llm.ToolSpec{{Name: "look", Description: "Looks.",
			Parameters: []byte(`{"type":"object","properties":{}}`)}},
	}
	r.server.WantKey("sesame")
	r.start("sesame")
	return r
}

func (r *rig) start(key string) {
	c, err := New(ClientOptions{
		Options: Options{
			URL: r.server.URL, Key: key, Model: "gpt-realtime", Voice: "marin", Transcriber: "whisper-1",
			Language:  "en",
			Detection: r.detects, Reasoning: r.reasons, Via: r.via,
			Log:    slog.New(slog.NewTextHandler(&r.log, nil)),
			Prices: Prices{AudioIn: 32, AudioOut: 64, TranscriptIn: 1.25, TranscriptOut: 5, TranscriptMinute: 0.006},
			Spent:  func(money float64) { r.mu.Lock(); defer r.mu.Unlock(); r.spent += money },
		},
		Idle: rigIdle,
		Persona: func(context.Context) Persona {
			r.mu.Lock()
			defer r.mu.Unlock()
			p := r.persona
			p.History = r.history
			return p
		},
		Changed: func(err error) { r.mu.Lock(); defer r.mu.Unlock(); r.changes = append(r.changes, err) },
	})
	if err != nil {
		r.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	r.client = c
	r.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			r.Error(err)
		}
		r.lawful()
	})
}

// open begins the next turn.
func (r *rig) open() *Turn {
	r.Helper()
	t, err := r.client.Open(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	return t
}

// speak says something of the given length.
func (r *rig) speak(t *Turn, length time.Duration) {
	r.Helper()
	for range length / (20 * time.Millisecond) {
		if err := t.Write(make([]int16, 320)); err != nil {
			r.Fatal(err)
		}
	}
	if err := t.Commit(); err != nil {
		r.Fatal(err)
	}
}

// heard is an answer.
type heard struct {
	text, person string
	audio        int
	calls        []string
	cost         float64
	err          error
}

// hear takes an answer to its end; each call is run by a goroutine.
func (r *rig) hear(t *Turn) heard {
	var h heard
	var wg sync.WaitGroup
	defer wg.Wait()
	for d, err := range t.Answer(r.Context(), limit, limit) {
		h.add(d, err)
		if d.Call != nil {
			wg.Go(func() { t.Result(d.Call.ID, r.call(*d.Call)) })
		}
	}
	return h
}

func (h *heard) add(d llm.Delta, err error) {
	if err != nil {
		h.err = err
	}
	h.text += d.Text
	h.person += d.Heard
	h.audio += len(d.Audio)
	if d.Usage != nil {
		h.cost += d.Usage.Cost
	}
	if d.Call != nil {
		h.calls = append(h.calls, d.Call.Name)
	}
}

// sent counts the events of a type that the server got.
func (r *rig) sent(kind string) []map[string]any {
	var list []map[string]any
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

// await waits until the server has got n events of a type.
func (r *rig) await(kind string, n int) []map[string]any {
	r.Helper()
	until := time.Now().Add(limit)
	for {
		if list := r.sent(kind); len(list) >= n {
			return list
		}
		if time.Now().After(until) {
			r.Fatalf("%d events %s, want %d", len(r.sent(kind)), kind, n)
		}
		<-time.After(time.Millisecond)
	}
}

// until waits for good.
func (r *rig) until(what string, good func() bool) {
	r.Helper()
	for end := time.Now().Add(limit); !good(); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			r.Fatal(what)
		}
	}
}

// closed waits until no session is open.
func (r *rig) closed() {
	r.Helper()
	r.until("the session stays open", func() bool { _, open := r.server.Sessions(); return open == 0 })
}

// settle waits until the client has taken notice of all verdicts.
func (r *rig) settle() {
	r.Helper()
	r.until("a verdict is not taken", func() bool { return len(r.client.verdicts) == 0 })
	r.client.wants <- nil
}

// outputs are the ids of the calls that have an output, in their order.
func (r *rig) outputs() []string {
	var ids []string
	for _, e := range r.sent("conversation.item.create") {
		if it, ok := e["item"].(map[string]any); ok && it["type"] == "function_call_output" {
			ids = append(ids, it["call_id"].(string))
		}
	}
	slices.Sort(ids)
	return ids
}

// lawful checks what the client sent.
func (r *rig) lawful() {
	r.Helper()
	if v := r.server.Violations(); len(v) > 0 {
		r.Errorf("the client broke the rules:\n%s", strings.Join(v, "\n"))
	}
	check(r.T, r.server.Events())
}
