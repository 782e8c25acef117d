package control

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"hearthd/daemon/api"
	"hearthd/daemon/refusal"

	"github.com/coder/websocket"
)

const (
	// maxPages bounds the pages that look at once.
	maxPages = 32
	// pageQueue is how far a page may fall behind the events. A page that is told that it missed
	// some asks for the whole state.
	pageQueue = 512
	maxWish   = 1 << 10 // bytes
)

// pageProtocol is the name that a page's WebSocket may give to its protocol.
const pageProtocol = "hearthd"

// message is what a page is sent: "hello" at first, an "event", a reading of the
// "meter", a line of the "log", or how many events it "missed".
type message struct {
	Kind string `json:"kind"`
	Data any    `json:"data"`
}

// wish says what a page looks at, apart from events: "meter", or "wave", a meter with the shape of
// the sound, and "log". It replaces the last one.
type wish struct {
	Want []string `json:"want"`
}

func (w wish) wants(what string) bool { return slices.Contains(w.Want, what) }

// live serves a WebSocket, so that any number of tabs of a browser, which keeps at
// most six requests to a server open, can look. It ends with the request's context.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	select {
	case s.pages <- struct{}{}:
		defer func() { <-s.pages }()
	default:
		answer(w, http.StatusServiceUnavailable, refusal.Failure{Error: "too many pages look at once"})
		return
	}
	// It refuses connections that another page opens. The console's page names a protocol, beside its
	// session.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{pageProtocol}})
	if err != nil {
		return // which has answered already
	}
	conn.SetReadLimit(maxWish)
	ctx, cancel := context.WithCancel(r.Context())
	p := &page{s: s, conn: conn, wishes: make(chan wish)}
	var reader sync.WaitGroup
	reader.Go(func() {
		defer cancel()
		p.read(ctx)
	})
	p.follow(ctx)
	cancel()
	conn.CloseNow()
	reader.Wait()
}

// page is a page that looks. follow's goroutine owns it, except for read.
type page struct {
	s      *Server
	conn   *websocket.Conn
	wishes chan wish

	meter    <-chan api.Meter
	endMeter context.CancelFunc
	wave     bool
	log      <-chan api.LogLine
	endLog   context.CancelFunc
}

// read takes the wishes until the page is gone.
func (p *page) read(ctx context.Context) {
	for {
		kind, data, err := p.conn.Read(ctx)
		if err != nil {
			return
		}
		var w wish
		if kind != websocket.MessageText || json.Unmarshal(data, &w) != nil {
			return
		}
		select {
		case p.wishes <- w:
		case <-ctx.Done():
			return
		}
	}
}

// follow sends until ctx ends or the page stops reading.
func (p *page) follow(ctx context.Context) {
	sub := p.s.opt.Bus.Subscribe("page", pageQueue)
	defer sub.Close()
	beat := time.NewTicker(streamBeat)
	defer beat.Stop()
	defer p.wish(ctx, wish{})
	ok := p.send(ctx, "hello", struct{}{})
	for ok {
		select {
		case <-ctx.Done():
			return
		case w := <-p.wishes:
			p.wish(ctx, w)
		case e := <-sub.C():
			ok = p.send(ctx, "event", e)
		case m := <-p.meter:
			if !p.wave {
				m.Wave = nil
			}
			ok = p.send(ctx, "meter", m)
		case l := <-p.log:
			ok = p.send(ctx, "log", l)
		case <-beat.C:
			bctx, cancel := context.WithTimeout(ctx, writeLimit)
			ok = p.conn.Ping(bctx) == nil
			cancel()
		}
		if n := sub.Lost(); ok && n > 0 {
			ok = p.send(ctx, "missed", n)
		}
	}
}

// wish starts and stops the streams that exist only while somebody looks.
func (p *page) wish(ctx context.Context, w wish) {
	if wave := w.wants("wave"); wave != p.wave { // restarted, for the last minute comes with the first reading
		p.wave = wave
		p.meter, p.endMeter = open(ctx, p.meter, p.endMeter, false, p.s.opt.Meter)
	}
	p.meter, p.endMeter = open(ctx, p.meter, p.endMeter, p.wave || w.wants("meter"), p.s.opt.Meter)
	p.log, p.endLog = open(ctx, p.log, p.endLog, w.wants("log"), p.s.opt.Lines.Watch)
}

// open begins or ends a stream, or leaves it as it is.
func open[T any](ctx context.Context, now <-chan T, end context.CancelFunc, want bool,
	begin func(context.Context) <-chan T,
) (<-chan T, context.CancelFunc) {
	switch {
	case want && now == nil:
		ctx, end = context.WithCancel(ctx)
		return begin(ctx), end
	case !want && now != nil:
		end()
		return nil, nil
	}
	return now, end
}

func (p *page) send(ctx context.Context, kind string, data any) bool {
	text, err := json.Marshal(message{kind, data})
	if err != nil {
		p.s.opt.Log.Error("encode event", "component", "control", "error", err)
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	return p.conn.Write(ctx, websocket.MessageText, text) == nil
}
