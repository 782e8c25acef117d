package hass

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"hearthd/tools"
	"hearthd/tools/home"
)

const (
	// maxMessage bounds one message: all states of a large house have 5 MB.
	maxMessage  = 32 << 20
	maxEntities = 20_000
	maxAliases  = 20 // of a floor
	maxLabels   = 500
	callLimit   = 8 * time.Second
	pingEvery   = 30 * time.Second
	// settled is how long after a change of names they are asked for: a person
	// who sorts a house changes many.
	settled = time.Second
	// retryFirst and retryLast bound the pause before a connection is tried again.
	retryFirst = time.Second
	retryLast  = time.Minute
)

// Options is what New takes.
type Options struct {
	URL   string // http://homeassistant.local:8123
	Token string
	// Changed is called with the state of the connection: nil while it holds, and what matches home.ErrRefused when
	// the token is refused. It may be nil.
	Changed func(error)
	// Found is called when the devices or their names changed. It may be nil.
	Found func()
	Book  tools.Book // what is said
	Log   *slog.Logger
}

// Client is a Home Assistant.
type Client struct {
	opt  Options
	base *url.URL
	http http.Client

	mu       sync.Mutex
	conn     *websocket.Conn
	next     int
	waiting  map[int]chan answer
	entities map[string]home.Entity
	sources  map[string]source
	registry registry
	lost     error             // see Lost
	asked    int               // the id of the last question for all states
	late     map[string]*state // states that changed while that answer is read; nil: none is being read
	changed  chan struct{}
	renamed  chan struct{} // cap 1; rung when areas or names were changed
}

// New checks the options and connects to nothing.
func New(o Options) (*Client, error) {
	u, err := url.Parse(strings.TrimRight(o.URL, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("make Home Assistant client: the address must be http://HOST:8123 or https://HOST")
	}
	if o.Token == "" || o.Log == nil || o.Book == nil {
		return nil, errors.New("make Home Assistant client: a token, a book and a logger are needed")
	}
	return &Client{
		opt: o, base: u, http: http.Client{CheckRedirect: stay}, entities: map[string]home.Entity{},
		sources: map[string]source{}, lost: home.ErrAway,
		changed: make(chan struct{}), renamed: make(chan struct{}, 1),
	}, nil
}

// Run keeps the connection until ctx ends. A token that is refused is not tried again: who has another one makes
// another client.
func (c *Client) Run(ctx context.Context) error {
	pause := retryFirst
	for ctx.Err() == nil {
		joined, err := c.session(ctx)
		if ctx.Err() != nil {
			return nil
		}
		c.tell(err)
		if errors.Is(err, home.ErrRefused) { // each try is a failed login there, for which it may ban this box
			<-ctx.Done()
			return nil
		}
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

// Lost says why the devices cannot be asked now.
func (c *Client) Lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// tell says how the connection is.
func (c *Client) tell(err error) {
	c.mu.Lock()
	c.lost = err
	if err != nil && !errors.Is(err, home.ErrRefused) {
		c.lost = fmt.Errorf("%w: %w", home.ErrAway, err)
	}
	c.mu.Unlock()
	if c.opt.Changed != nil {
		c.opt.Changed(err)
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

// area gives the ID of a room.
func (c *Client) area(room string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, a := range c.registry.areas {
		for _, name := range append([]string{a.name}, a.aliases...) {
			if strings.EqualFold(name, room) {
				return id, nil
			}
		}
	}
	return "", fmt.Errorf("find room %q: there is no such room", room)
}

// Send calls the services that make a device be as want says.
func (c *Client) Send(ctx context.Context, id string, want home.State) error {
	e, ok := c.Entity(id)
	if !ok {
		return fmt.Errorf("send to %q: it is gone", id)
	}
	if room, ok := want[home.Room].(string); ok {
		area, err := c.area(room)
		if err != nil {
			return err
		}
		want = maps.Clone(want)
		want[home.Room] = area
	}
	calls, err := services(e, want)
	if err != nil {
		return fmt.Errorf("send to %q: %w", id, err)
	}
	for i, s := range calls {
		domain, service, _ := strings.Cut(s.name, ".")
		if s.data == nil {
			s.data = map[string]any{} // null is refused
		}
		_, err := c.call(ctx, map[string]any{
			"type": "call_service", "domain": domain, "service": service, "service_data": s.data,
			"target": map[string]any{"entity_id": id},
		})
		if i > 0 && errors.Is(err, home.ErrAway) { // a part of it was sent
			err = fmt.Errorf("%w: %w", home.ErrUnanswered, err)
		}
		if err != nil {
			return fmt.Errorf("call %s for %q: %w", s.name, id, err)
		}
	}
	return nil
}
