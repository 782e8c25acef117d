package llmtest

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"testing"

	"github.com/coder/websocket"
)

// Realtime is a server of OpenAI's Realtime protocol (GA). It answers an error
// event to what the real one refuses, and Violations holds those and what no
// client should do though the real one bears it.
type Realtime struct {
	*cloud
	answer func(RealtimeTurn) RealtimeAnswer

	// with cloud.mu
	detects   bool
	responses int
	talking   map[*realtimeConn]bool
}

// NewRealtime serves until the test ends; answer is called by the goroutine of a
// connection.
func NewRealtime(tb testing.TB, answer func(RealtimeTurn) RealtimeAnswer) *Realtime {
	return NewRealtimeOn(tb, nil, answer)
}

// NewRealtimeOn is NewRealtime with a listener, which nil makes one of the network.
func NewRealtimeOn(tb testing.TB, l net.Listener, answer func(RealtimeTurn) RealtimeAnswer) *Realtime {
	r := &Realtime{answer: answer, talking: map[*realtimeConn]bool{}}
	r.cloud = newCloud(tb, l, r.misses, r.serve)
	return r
}

// Detects has sessions to come want semantic_vad or server_vad; else they want no turn detection.
func (r *Realtime) Detects() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.detects = true
}

// Owed are the calls of the open sessions that have no output.
func (r *Realtime) Owed() (calls []string) {
	r.mu.Lock()
	open := slices.Collect(maps.Keys(r.talking))
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

// misses reports whether a request is for another service.
func (r *Realtime) misses(req *http.Request) bool {
	return req.URL.Path != "/v1/realtime" || req.URL.Query().Get("model") == ""
}

func (r *Realtime) serve(ctx context.Context, cancel func(), conn *websocket.Conn, id int) {
	c := &realtimeConn{
		r: r, conn: conn, ctx: ctx, cancel: cancel, id: id,
		items: map[string]*realtimeItem{}, owed: map[string]bool{}, out: make(chan any, 1024),
	}
	r.mu.Lock()
	r.talking[c] = true
	gone, message := r.gone, r.message
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.talking, c)
		r.mu.Unlock()
	}()
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
