package hass

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"hearthd/tools/home"
)

const (
	// maxMessage bounds one message: all states of a large house have 5 MB.
	maxMessage  = 32 << 20
	maxEntities = 20_000
	callLimit   = 8 * time.Second
	pingEvery   = 30 * time.Second
	// retryFirst and retryLast bound the pause before a connection is tried again.
	retryFirst = time.Second
	retryLast  = time.Minute
)

// ErrToken is why Run's connections fail when the token is refused.
var ErrToken = errors.New("Home Assistant refuses the token") //nolint:staticcheck // a name

var errOffline = errors.New("there is no connection to Home Assistant")

// Options is what New takes.
type Options struct {
	URL   string // http://homeassistant.local:8123
	Token string
	// Changed is told how the connection is: nil when it stands. It may be nil.
	Changed func(error)
	// Found is called when the devices or their names changed. It may be nil.
	Found  func()
	Client *http.Client // with a timeout; nil: one of 15 s
	Log    *slog.Logger
}

// Client is a Home Assistant.
type Client struct {
	opt  Options
	base *url.URL

	mu       sync.Mutex
	conn     *websocket.Conn
	next     int
	waiting  map[int]chan answer
	entities map[string]home.Entity
	registry registry
	changed  chan struct{}
}

// New checks the options and connects to nothing.
func New(o Options) (*Client, error) {
	u, err := url.Parse(strings.TrimRight(o.URL, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("make Home Assistant client: the address must be http://HOST:8123 or https://HOST")
	}
	if o.Token == "" || o.Log == nil {
		return nil, errors.New("make Home Assistant client: a token and a logger are needed")
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 15 * time.Second}
	}
	return &Client{opt: o, base: u, entities: map[string]home.Entity{}, changed: make(chan struct{})}, nil
}

// Run keeps the connection until ctx ends.
func (c *Client) Run(ctx context.Context) error {
	pause := retryFirst
	for ctx.Err() == nil {
		joined, err := c.session(ctx)
		if ctx.Err() != nil {
			return nil
		}
		c.tell(err)
		if joined {
			pause = retryFirst
		}
		t := time.NewTimer(pause + rand.N(pause))
		select {
		case <-ctx.Done():
			t.Stop()
			return nil
		case <-t.C:
		}
		pause = min(2*pause, retryLast)
	}
	return nil
}

func (c *Client) tell(err error) {
	if c.opt.Changed != nil {
		c.opt.Changed(err)
	}
}

// message is anything that the server sends.
type message struct {
	ID      int             `json:"id"`
	Type    string          `json:"type"`
	Success bool            `json:"success"`
	Result  json.RawMessage `json:"result"`
	Error   struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Event json.RawMessage `json:"event"`
}

type answer struct {
	result json.RawMessage
	err    error
}

// session is one connection. It has joined when all states are known.
func (c *Client) session(ctx context.Context) (joined bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dctx, done := context.WithTimeout(ctx, callLimit)
	defer done()
	at := *c.base
	at.Scheme = map[string]string{"http": "ws", "https": "wss"}[at.Scheme]
	conn, _, err := websocket.Dial(dctx, at.JoinPath("api/websocket").String(), nil)
	if err != nil {
		return false, fmt.Errorf("connect to Home Assistant: %w", err)
	}
	defer conn.CloseNow() //nolint:errcheck // it is over
	conn.SetReadLimit(maxMessage)
	if err := c.authenticate(dctx, conn); err != nil {
		return false, err
	}
	c.mu.Lock()
	c.conn, c.next, c.waiting = conn, 0, map[int]chan answer{}
	c.mu.Unlock()
	defer c.gone()
	failed := make(chan error, 1)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { failed <- c.read(ctx, conn) })
	if err := c.learn(ctx); err != nil {
		return false, err
	}
	c.tell(nil)
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case err := <-failed:
			return true, err
		case <-ping.C:
			if _, err := c.call(ctx, map[string]any{"type": "ping"}); err != nil {
				return true, fmt.Errorf("ping Home Assistant: %w", err)
			}
		}
	}
}

func (c *Client) authenticate(ctx context.Context, conn *websocket.Conn) error {
	for {
		m, err := receive(ctx, conn)
		if err != nil {
			return fmt.Errorf("authenticate with Home Assistant: %w", err)
		}
		switch m.Type {
		case "auth_required":
			data, err := json.Marshal(map[string]string{"type": "auth", "access_token": c.opt.Token})
			if err != nil {
				return err
			}
			if err := conn.Write(ctx, websocket.MessageText, data); err != nil {
				return fmt.Errorf("authenticate with Home Assistant: %w", err)
			}
		case "auth_ok":
			return nil
		case "auth_invalid":
			return ErrToken
		default:
			return fmt.Errorf("authenticate with Home Assistant: it sent %.40q", m.Type)
		}
	}
}

func receive(ctx context.Context, conn *websocket.Conn) (message, error) {
	_, data, err := conn.Read(ctx)
	if err != nil {
		return message{}, err
	}
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return message{}, fmt.Errorf("decode message: %w", err)
	}
	return m, nil
}

// gone forgets the connection; who waits for an answer is told.
func (c *Client) gone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = nil
	for _, w := range c.waiting {
		w <- answer{err: errOffline}
	}
	c.waiting = nil
}

// read takes messages until the connection ends.
func (c *Client) read(ctx context.Context, conn *websocket.Conn) error {
	for {
		m, err := receive(ctx, conn)
		if err != nil {
			return fmt.Errorf("read from Home Assistant: %w", err)
		}
		switch m.Type {
		case "result", "pong":
			c.answered(m)
		case "event":
			c.event(m.Event)
		}
	}
}

func (c *Client) answered(m message) {
	c.mu.Lock()
	w := c.waiting[m.ID]
	delete(c.waiting, m.ID)
	c.mu.Unlock()
	if w == nil {
		return
	}
	a := answer{result: m.Result}
	if m.Type == "result" && !m.Success {
		a.err = fmt.Errorf("Home Assistant refuses: %s: %s", m.Error.Code, m.Error.Message) //nolint:staticcheck // a name
	}
	w <- a
}

// call sends a command and waits for its result. Ids increase, in the order in
// which they are sent.
func (c *Client) call(ctx context.Context, command map[string]any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	w := make(chan answer, 1)
	c.mu.Lock()
	if c.conn == nil {
		c.mu.Unlock()
		return nil, errOffline
	}
	c.next++
	id := c.next
	command["id"] = id
	data, err := json.Marshal(command)
	if err == nil {
		c.waiting[id] = w
		err = c.conn.Write(ctx, websocket.MessageText, data)
	}
	c.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("send to Home Assistant: %w", err)
	}
	select {
	case a := <-w:
		return a.result, a.err
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
		return nil, fmt.Errorf("wait for Home Assistant: %w", ctx.Err())
	}
}

// Changed is closed at the next change of any device.
func (c *Client) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// Entities gives all devices.
func (c *Client) Entities() []home.Entity {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]home.Entity, 0, len(c.entities))
	for _, e := range c.entities {
		out = append(out, e)
	}
	return out
}

// Entity gives one device.
func (c *Client) Entity(id string) (home.Entity, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entities[id]
	return e, ok
}

// Send calls the services that make a device be as want says.
func (c *Client) Send(ctx context.Context, id string, want home.State) error {
	e, ok := c.Entity(id)
	if !ok {
		return fmt.Errorf("send to %q: it is gone", id)
	}
	calls, err := services(e, want)
	if err != nil {
		return fmt.Errorf("send to %q: %w", id, err)
	}
	for _, s := range calls {
		domain, service, _ := strings.Cut(s.name, ".")
		if s.data == nil {
			s.data = map[string]any{} // null is refused
		}
		_, err := c.call(ctx, map[string]any{
			"type": "call_service", "domain": domain, "service": service, "service_data": s.data, "target": map[string]any{"entity_id": id},
		})
		if err != nil {
			return fmt.Errorf("call %s for %q: %w", s.name, id, err)
		}
	}
	return nil
}
