package realtime

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"hearthd/llm"
)

// verdictQueue is how many turns may end before the loop takes notice.
const verdictQueue = 8

// errAway means that the service has not answered lately, and is left alone.
var errAway = errors.New("the realtime service does not answer")

// ClientOptions are what a Client works with.
type ClientOptions struct {
	Options
	// Persona is what a new session is configured with. It is called off the loop.
	Persona func(ctx context.Context) Persona
	// Idle is how long a session in which nothing goes on is kept.
	Idle time.Duration
	// Changed is called with whether the service can be used; it must not block.
	Changed func(err error)
}

// Client keeps at most one session. Its methods may be called by any goroutine
// while Run runs.
type Client struct {
	opt      ClientOptions
	wants    chan chan<- opened
	dialed   chan opened
	over     chan *Session
	verdicts chan error
	gone     chan struct{}
	away     atomic.Bool
	current  atomic.Pointer[Session] // the keeper's, or nil
	changes  atomic.Uint64           // how often something was noted or forgotten
}

// opened is a session, or why there is none; neither: a probe succeeded.
type opened struct {
	s   *Session
	old bool   // it was there already
	at  uint64 // Client.changes when it began to be made
	err error
}

// New checks the options. It connects to nothing.
func New(o ClientOptions) (*Client, error) {
	if o.Persona == nil || o.Changed == nil || o.Log == nil || o.Model == "" || o.Idle <= 0 {
		return nil, errors.New("new realtime client: a part is missing")
	}
	if _, err := endpoint(o.URL, o.Model); err != nil {
		return nil, fmt.Errorf("new realtime client: %w", err)
	}
	c := &Client{
		wants: make(chan chan<- opened), dialed: make(chan opened), over: make(chan *Session),
		verdicts: make(chan error, verdictQueue), gone: make(chan struct{}),
	}
	o.verdict = func(err error) {
		select {
		case c.verdicts <- err:
		default: // more than enough are waiting
		}
	}
	o.unwritten = o.Changed
	c.opt = o
	return c, nil
}

// Available reports whether the service answered when it was last asked. It does
// not block.
func (c *Client) Available() bool { return !c.away.Load() }

// Prepare connects, because a turn may come.
func (c *Client) Prepare() {
	select {
	case c.wants <- nil:
	default: // the loop is busy, the turn itself will connect
	}
}

// Open begins a turn, in the session that there is or in a new one.
func (c *Client) Open(ctx context.Context) (*Turn, error) {
	if !c.Available() {
		return nil, errAway
	}
	for tries := 0; ; tries++ {
		reply := make(chan opened, 1)
		select {
		case c.wants <- reply:
		case <-c.gone:
			return nil, errAway
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		select {
		case got := <-reply:
			if got.err != nil {
				return nil, got.err
			}
			if got.old {
				p := c.opt.Persona(ctx)
				if c.opt.Open != nil && tries == 0 && got.s.persona != personaDigest(&p) {
					c.End()
					continue
				}
				got.s.ask(func(l *loop) { l.refresh(&p) })
			}
			t, err := got.s.Open()
			if err == nil || tries > 0 {
				return t, err
			}
			// The session ended this very moment.
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Note adds to the session, if there is one, what was said without it.
func (c *Client) Note(said []llm.Message) {
	c.changes.Add(1) // before the look: a session that is being made is then made again
	if s := c.current.Load(); s != nil {
		s.ask(func(l *loop) { l.note(said) })
	}
}

// End ends the session, if there is one, with all that it knows.
func (c *Client) End() {
	c.changes.Add(1)
	if s := c.current.Load(); s != nil {
		s.ask(func(l *loop) { l.failed = ErrEnded })
	}
}
