package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// Realtime is a server of OpenAI's Realtime protocol (GA). It answers an error
// event to what the real one refuses, and Violations holds those and what no
// client should do though the real one bears it.
type Realtime struct {
	URL string // base, as a client's options take it

	tb     testing.TB
	answer func(RealtimeTurn) RealtimeAnswer
	server *httptest.Server
	wg     sync.WaitGroup
	stop   context.CancelFunc

	mu         sync.Mutex
	lose       RealtimePhase // before AtCreate
	status     int           // of refused connections, 0: none is refused
	key        string
	gone       RealtimeGone // how the model is missing
	message    string       // and what is said of it
	detects    bool
	sent       []json.RawMessage // events of clients, in their order
	violations []string
	sessions   int
	responses  int
	open       map[*realtimeConn]bool
}

// NewRealtime serves until the test ends; answer is called by the goroutine of a
// connection.
func NewRealtime(tb testing.TB, answer func(RealtimeTurn) RealtimeAnswer) *Realtime {
	return NewRealtimeOn(tb, nil, answer)
}

// NewRealtimeOn is NewRealtime with a listener, which nil makes one of the network.
func NewRealtimeOn(tb testing.TB, l net.Listener, answer func(RealtimeTurn) RealtimeAnswer) *Realtime {
	ctx, stop := context.WithCancel(context.Background())
	r := &Realtime{tb: tb, answer: answer, stop: stop, open: map[*realtimeConn]bool{}}
	r.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.wg.Add(1)
		defer r.wg.Done()
		r.serve(ctx, w, req)
	}))
	if l != nil {
		if err := r.server.Listener.Close(); err != nil {
			tb.Fatal(err)
		}
		r.server.Listener = l
	}
	r.server.Start()
	r.URL = r.server.URL + "/v1"
	tb.Cleanup(func() {
		stop()
		r.server.CloseClientConnections()
		r.server.Close()
		r.wg.Wait()
	})
	return r
}

// LoseAt loses the connections to come at one of the phases up to AtCommit.
func (r *Realtime) LoseAt(p RealtimePhase) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lose = p
}

// Refuse answers connections to come with an HTTP status; 0 takes them again.
func (r *Realtime) Refuse(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// Gone has connections to come find that there is no such model; the message is the
// service's.
func (r *Realtime) Gone(how RealtimeGone, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone, r.message = how, message
}

// WantKey refuses connections without that bearer token.
func (r *Realtime) WantKey(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.key = key
}

// Detects has sessions to come want semantic_vad or server_vad; else they want no turn detection.
func (r *Realtime) Detects() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.detects = true
}

// Events are the events that clients sent so far.
func (r *Realtime) Events() []json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

// Violations are the mistakes of clients so far.
func (r *Realtime) Violations() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.violations)
}

// Sessions is how many there were, and how many are open.
func (r *Realtime) Sessions() (all, open int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sessions, len(r.open)
}

// Drop loses the connections that are open.
func (r *Realtime) Drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.cancel()
	}
}

// Owed are the calls of the open sessions that have no output.
func (r *Realtime) Owed() (calls []string) {
	r.mu.Lock()
	open := slices.Collect(maps.Keys(r.open))
	r.mu.Unlock()
	for _, c := range open {
		c.mu.Lock()
		for id, unanswered := range c.owed {
			if unanswered {
				calls = append(calls, id)
			}
		}
		c.mu.Unlock()
	}
	return calls
}

func (r *Realtime) losing(p RealtimePhase) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lose == p
}

// refuses answers a connection that is not taken.
func (r *Realtime) refuses(w http.ResponseWriter, req *http.Request) bool {
	r.mu.Lock()
	status, key, gone, message := r.status, r.key, r.gone, r.message
	r.mu.Unlock()
	switch {
	case req.URL.Path != "/v1/realtime" || req.URL.Query().Get("model") == "":
		status = http.StatusNotFound
	case status == 0 && key != "" && req.Header.Get("Authorization") != "Bearer "+key:
		status = http.StatusUnauthorized
	case r.losing(RealtimeAtDial):
		panic(http.ErrAbortHandler)
	}
	switch {
	case gone == RealtimeGoneStatus:
		refuse(w, http.StatusNotFound, "model_not_found", "%s", message)
	case status != 0:
		http.Error(w, `{"error":{"message":"no","type":"invalid_request_error","code":"refused"}}`, status)
	default:
		return false
	}
	return true
}

func (r *Realtime) serve(ctx context.Context, w http.ResponseWriter, req *http.Request) {
	if r.refuses(w, req) {
		return
	}
	conn, err := websocket.Accept(w, req, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(16 << 20)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &realtimeConn{
		r: r, conn: conn, ctx: ctx, cancel: cancel,
		items: map[string]*realtimeItem{}, owed: map[string]bool{}, out: make(chan any, 1024),
	}
	r.mu.Lock()
	r.sessions++
	r.open[c] = true
	c.id = r.sessions
	gone, message := r.gone, r.message
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.open, c)
		r.mu.Unlock()
	}()
	if gone == RealtimeGoneClose {
		_ = conn.Close(4004, "invalid_request_error.model_not_found")
		return
	}
	c.wg.Go(c.write)
	if gone == RealtimeGoneEvent {
		c.sendError("model_not_found", message, nil)
	}
	c.send(map[string]any{"type": "session.created", "session": map[string]any{
		"type": "realtime", "object": "realtime.session", "id": fmt.Sprintf("sess_%d", c.id),
	}})
	c.read()
	cancel()
	c.wg.Wait()
}
