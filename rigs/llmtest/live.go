package llmtest

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// Live is a server of GPT-Live's primary websocket. It refuses what the published types and the
// reference refuse (OpenAI API reference, Live, 2026-11; the types of its Python library, 3.57.0).
// Its time is that of the sound that it gets: for each tenth of a second it says as much, mostly
// silence, and without sound nothing happens.
type Live struct {
	*cloud
	answer func(LiveTurn) LiveAnswer
}

// LiveTurn is what the model hears or is told.
type LiveTurn struct {
	N            int      // of these turns, from 1
	Heard        bool     // a person has spoken
	Commentary   []string // that was added, joined where it belongs together
	Instructions []string // that were added
}

// LiveAnswer is what the model does.
type LiveAnswer struct {
	Text      string           // with as much audio: 50 ms for each letter, of which _ is silent
	Heard     string           // transcript of the person
	Delegates int              // how often it hands the matter over, before it speaks
	Hasty     bool             // before the transcript
	After     int              // tenths of a second until it speaks
	Refuse    string           // the code of an error event, instead
	Close     string           // the reason for which the session is closed, instead
	Lose      bool             // the connection is lost, instead
	LoseIn    bool             // and so it is in the middle of the text
	Deaf      bool             // it goes on while somebody speaks
	Extra     []map[string]any // events that the client may not know
}

// NewLive serves until the test ends; answer is called by the goroutine of a connection.
func NewLive(tb testing.TB, answer func(LiveTurn) LiveAnswer) *Live {
	return NewLiveOn(tb, nil, answer)
}

// NewLiveOn is NewLive with a listener, which nil makes one of the network.
func NewLiveOn(tb testing.TB, l net.Listener, answer func(LiveTurn) LiveAnswer) *Live {
	r := &Live{answer: answer}
	r.cloud = newCloud(tb, l, r.misses, r.serve)
	return r
}

// misses reports whether a request is for another service. The model does not stand in the URL.
func (r *Live) misses(req *http.Request) bool {
	if req.URL.RawQuery != "" {
		r.violation("the URL has the query " + req.URL.RawQuery)
	}
	return strings.TrimSuffix(req.URL.Path, "/") != "/v1/live/sessions" || req.URL.RawQuery != ""
}

func (r *Live) serve(ctx context.Context, cancel func(), conn *websocket.Conn, id int) {
	c := &liveConn{r: r, conn: conn, ctx: ctx, id: id, delegations: map[string]bool{}}
	r.mu.Lock()
	c.gone, c.message = r.gone == RealtimeGoneEvent, r.message
	r.mu.Unlock()
	c.read()
	cancel()
}
