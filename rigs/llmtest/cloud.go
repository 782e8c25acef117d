package llmtest

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// cloud is what the services have in common that are talked to over a websocket.
type cloud struct {
	URL string // base, as a client's options take it

	server *httptest.Server
	wg     sync.WaitGroup
	misses func(*http.Request) bool // whether a request is for another service
	talk   func(ctx context.Context, cancel func(), conn *websocket.Conn, id int)

	mu         sync.Mutex
	lose       RealtimePhase // before AtCreate
	status     int           // of refused connections, 0: none is refused
	key        string
	gone       RealtimeGone      // how the model is missing
	message    string            // and what is said of it
	sent       []json.RawMessage // events of clients, in their order
	violations []string
	sessions   int
	open       map[int]context.CancelFunc
}

// newCloud serves until the test ends.
func newCloud(tb testing.TB, l net.Listener, misses func(*http.Request) bool,
	talk func(ctx context.Context, cancel func(), conn *websocket.Conn, id int)) *cloud {
	ctx, stop := context.WithCancel(context.Background())
	r := &cloud{misses: misses, talk: talk, open: map[int]context.CancelFunc{}}
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
func (r *cloud) LoseAt(p RealtimePhase) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lose = p
}

// Refuse answers connections to come with an HTTP status; 0 takes them again.
func (r *cloud) Refuse(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// Gone has connections to come find that there is no such model; the message is the
// service's.
func (r *cloud) Gone(how RealtimeGone, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone, r.message = how, message
}

// WantKey refuses connections without that bearer token.
func (r *cloud) WantKey(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.key = key
}

// Events are the events that clients sent so far.
func (r *cloud) Events() []json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

// Violations are the mistakes of clients so far.
func (r *cloud) Violations() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.violations)
}

// Sessions is how many there were, and how many are open.
func (r *cloud) Sessions() (all, open int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sessions, len(r.open)
}

// Drop loses the connections that are open.
func (r *cloud) Drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, cancel := range r.open {
		cancel()
	}
}

func (r *cloud) losing(p RealtimePhase) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lose == p
}

func (r *cloud) violation(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.violations = append(r.violations, what)
}

// heard notes an event of a client.
func (r *cloud) heard(data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, slices.Clone(data))
}

// refuses answers a connection that is not taken.
func (r *cloud) refuses(w http.ResponseWriter, req *http.Request) bool {
	r.mu.Lock()
	status, key, gone, message := r.status, r.key, r.gone, r.message
	r.mu.Unlock()
	switch {
	case r.misses(req):
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

func (r *cloud) serve(ctx context.Context, w http.ResponseWriter, req *http.Request) {
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
	r.mu.Lock()
	r.sessions++
	id := r.sessions
	r.open[id] = cancel
	gone := r.gone
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.open, id)
		r.mu.Unlock()
	}()
	if gone == RealtimeGoneClose {
		_ = conn.Close(4004, "invalid_request_error.model_not_found")
		return
	}
	r.talk(ctx, cancel, conn, id)
}
