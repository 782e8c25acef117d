package live

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"hearthd/config/letters"
	"hearthd/llm/realtime"
)

const (
	// maxCommands bounds the events that are not sent yet: half a minute of silence.
	maxCommands = 256
	// maxEvents bounds the events that nobody has read yet: a minute and a half of audio.
	maxEvents = 1024
	// maxID bounds ids that are repeated, in bytes; those of OpenAI have about thirty.
	maxID = 128
	// tick is how often silence is sent, and how long each piece of it is.
	tick = 100 * time.Millisecond
	// goodbye bounds the wait for the service to close the session, and to say what it cost.
	goodbye = 2 * time.Second
)

// Options are what is not a matter of the Realtime protocol.
type Options struct {
	// Delegate is the call of a tool that a delegation means. All that is known of it is what the
	// person has said.
	Delegate func(said string) (tool string, arguments []byte)
	// Silence is how long the service may say nothing to a request until that is its answer.
	Silence time.Duration
}

// line is a session.
type line struct {
	opt    Options
	at     *realtime.Options
	socket *realtime.Socket
	cancel context.CancelFunc
	wg     sync.WaitGroup
	out    chan *command
	events chan []byte   // of the Realtime protocol, for Read
	over   chan struct{} // closed when no more come
	end    func(error)   // closes it, once
	err    error         // why
	silent chan struct{} // closed when the service sends nothing more

	mu      sync.Mutex
	started time.Time
	seconds float64 // that the service counts
	paid    float64 // seconds
	closed  bool    // the service has
	talk    talk
}

// Open opens a session, for realtime.Options.
func (o Options) Open(ctx context.Context, at *realtime.Options, p *realtime.Persona) (realtime.Line, error) {
	u, err := realtime.Endpoint(at.URL, "/live/sessions")
	if err != nil {
		return nil, err
	}
	socket, err := realtime.Dial(ctx, at, u)
	if err != nil {
		return nil, err
	}
	l := &line{opt: o, at: at, socket: socket, out: make(chan *command, maxCommands),
		events: make(chan []byte, maxEvents), over: make(chan struct{}), silent: make(chan struct{})}
	var once sync.Once
	l.end = func(err error) {
		once.Do(func() {
			l.err = err
			close(l.over)
		})
	}
	var running context.Context
	running, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	l.send(start(at, p))
	l.wg.Go(func() { l.reading(running) })
	l.wg.Go(func() { l.writing(running) })
	l.wg.Go(func() { l.pacing(running) })
	return l, nil
}

// send queues an event for the service.
func (l *line) send(c *command) {
	select {
	case l.out <- c:
	default:
		l.end(errors.New("the service takes events too slowly"))
	}
}

// tell queues an event for Read.
func (l *line) tell(e told) {
	data, err := json.Marshal(e)
	if err != nil {
		l.end(fmt.Errorf("encode event: %w", err))
		return
	}
	select {
	case l.events <- data:
	default:
		l.end(errors.New("nobody reads the events of the session"))
	}
}

// reading takes what the service sends, until it sends nothing more.
func (l *line) reading(ctx context.Context) {
	defer close(l.silent)
	for {
		data, err := l.socket.Read(ctx)
		var n *notice
		if err == nil {
			n, err = noticed(data)
		}
		if err != nil {
			l.end(err)
			return
		}
		l.mu.Lock()
		l.notice(n)
		l.mu.Unlock()
		if n.Type == "session.closed" {
			return
		}
	}
}

// writing sends what is queued.
func (l *line) writing(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-l.out:
			data, err := json.Marshal(c)
			if err == nil {
				err = l.socket.Write(ctx, data)
			}
			if err != nil {
				l.end(err)
				return
			}
		}
	}
}

// pacing sends the silence, and looks whether an answer has ended.
func (l *line) pacing(ctx context.Context) {
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-clock.C:
			l.mu.Lock()
			l.passes(now)
			l.mu.Unlock()
		}
	}
}

// Read gives the next event of the Realtime protocol.
func (l *line) Read(ctx context.Context) ([]byte, error) {
	select {
	case e := <-l.events: // even after the end
		return e, nil
	default:
	}
	select {
	case e := <-l.events:
		return e, nil
	case <-l.over:
		return nil, l.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Write takes an event of the Realtime protocol.
func (l *line) Write(_ context.Context, event []byte) error {
	e, err := decode[asked](event)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked(e)
	return nil
}

func (l *line) Ping(ctx context.Context) error { return l.socket.Ping(ctx) }

// Close has the service close the session, which then says what it cost.
func (l *line) Close() error {
	l.send(&command{Type: "session.close", Event: "close"})
	patience := time.NewTimer(goodbye)
	defer patience.Stop()
	select {
	case <-l.silent:
	case <-patience.C:
	}
	return l.leave(l.socket.Close)
}

func (l *line) CloseNow() error { return l.leave(l.socket.CloseNow) }

// leave ends the connection, and pays what was not paid yet. If the service has not said how long
// the session was, the clock does.
func (l *line) leave(hangUp func() error) error {
	l.cancel()
	err := hangUp()
	l.end(realtime.ErrEnded)
	l.wg.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed && !l.started.IsZero() {
		l.seconds = max(l.seconds, math.Ceil(time.Since(l.started).Seconds()))
	}
	l.pay(l.seconds - l.paid)
	return err
}

// pay pays for time. mu is held.
func (l *line) pay(seconds float64) {
	if seconds > 0 && l.at.Spent != nil {
		l.paid += seconds
		l.at.Spent(seconds / 60 * l.at.Prices.SessionMinute)
	}
}

// notice takes an event of the service. mu is held.
func (l *line) notice(n *notice) {
	switch n.Type {
	case "session.started":
		l.started = time.Now()
		l.tell(told{"type": "session.created"})
	case "session.output_audio.delta":
		data, err := base64.StdEncoding.DecodeString(n.Delta)
		if err != nil {
			l.end(fmt.Errorf("the service sent audio that cannot be decoded: %w", err))
			return
		}
		l.sounds(samplesOf(data))
	case "session.output_transcript.delta":
		l.says(word{text: letters.Cut(n.Delta, maxSaid), start: n.Start, end: n.End})
	case "session.input_transcript.delta":
		l.hears(n.Delta)
	case "session.delegation.created":
		if len(n.Delegation.ID) > maxID {
			l.end(fmt.Errorf("the service sent an id of %d bytes, limit %d", len(n.Delegation.ID), maxID))
			return
		}
		l.delegates(n.Delegation.ID, n.Delegation.Target)
	case "session.usage.updated":
		l.seconds = max(l.seconds, n.Usage.Seconds)
	case "session.closed":
		l.closed, l.seconds = true, n.Usage.Seconds
		l.end(fmt.Errorf("the service ended the session: %w", cmp.Or(reasons[n.Reason], errNoReason)))
	case "error":
		l.refused(n)
	default:
		if !passed[n.Type] {
			l.tell(told{"type": n.Type}) // where such events are counted
		}
	}
}

var errNoReason = errors.New("it does not say why")

// reasons are why a service ends a session.
var reasons = map[string]error{
	"close_requested": realtime.ErrEnded, "expired": errors.New("it is too old"),
	"content": errors.New("of what was said"), "remote_hangup": errors.New("the connection was closed"),
	"connection_lost": errors.New("the connection was lost"),
}

// refused takes an error. One about the result of a delegation is one of the answer, which then
// does not come.
func (l *line) refused(n *notice) {
	f := &n.Error
	fault := told{"type": f.Type, "code": f.Code, "message": f.Message, "param": f.Param, "event_id": f.Event}
	if f.Event == eventResult && l.talk.response != "" {
		l.done("failed", fault)
		l.talk.open = false
		return
	}
	if f.Event == "" {
		fault["event_id"] = "unknown"
	}
	l.tell(told{"type": "error", "error": fault})
}
