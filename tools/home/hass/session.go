package hass

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"hearthd/tools/home"
)

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

// stay follows no redirect: the token is for the configured Home Assistant.
func stay(*http.Request, []*http.Request) error {
	return errors.New("redirected elsewhere by Home Assistant; see tools.home.url")
}

// session is one connection. It has joined when all states are known.
func (c *Client) session(ctx context.Context) (joined bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dctx, done := context.WithTimeout(ctx, callLimit)
	defer done()
	at := *c.base
	at.Scheme = map[string]string{"http": "ws", "https": "wss"}[at.Scheme]
	conn, _, err := websocket.Dial(dctx, at.JoinPath("api/websocket").String(),
		&websocket.DialOptions{HTTPClient: &c.http})
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
	return true, c.keep(ctx, failed)
}

// keep holds the connection and learns what is renamed, until either fails.
func (c *Client) keep(ctx context.Context, failed <-chan error) error {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	quiet := time.NewTimer(settled)
	quiet.Stop()
	defer quiet.Stop()
	for {
		select {
		case err := <-failed:
			return err
		case <-c.renamed:
			quiet.Reset(settled)
		case <-quiet.C:
			if err := c.learnAgain(ctx); err != nil {
				return err
			}
		case <-ping.C:
			if _, err := c.call(ctx, map[string]any{"type": "ping"}); err != nil {
				return fmt.Errorf("ping Home Assistant: %w", err)
			}
		}
	}
}

func (c *Client) authenticate(ctx context.Context, conn *websocket.Conn) error {
	for {
		var m message
		if err := wsjson.Read(ctx, conn, &m); err != nil {
			return fmt.Errorf("authenticate with Home Assistant: %w", err)
		}
		switch m.Type {
		case "auth_required":
			auth := map[string]string{"type": "auth", "access_token": c.opt.Token}
			if err := wsjson.Write(ctx, conn, auth); err != nil {
				return fmt.Errorf("authenticate with Home Assistant: %w", err)
			}
		case "auth_ok":
			return nil
		case "auth_invalid":
			return home.ErrRefused
		default:
			return fmt.Errorf("authenticate with Home Assistant: it sent %.40q", m.Type)
		}
	}
}

// gone forgets the connection; those who wait for an answer are told.
func (c *Client) gone() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = nil
	if c.lost == nil {
		c.lost = home.ErrAway
	}
	for _, w := range c.waiting {
		w <- answer{err: fmt.Errorf("%w: %w", home.ErrUnanswered, home.ErrAway)}
	}
	c.waiting = nil
}

// read takes messages until the connection ends.
func (c *Client) read(ctx context.Context, conn *websocket.Conn) error {
	for {
		var m message
		if err := wsjson.Read(ctx, conn, &m); err != nil {
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

// refusal is why Home Assistant refuses a command.
type refusal struct{ code, text string }

func (r *refusal) Error() string { return "refused by Home Assistant: " + r.code + ": " + r.text }

func (c *Client) answered(m message) {
	c.mu.Lock()
	w := c.waiting[m.ID]
	delete(c.waiting, m.ID)
	if w != nil && m.ID == c.asked {
		c.late = map[string]*state{}
	}
	c.mu.Unlock()
	if w == nil {
		return
	}
	a := answer{result: m.Result}
	if m.Type == "result" && !m.Success {
		a.err = &refusal{m.Error.Code, m.Error.Message}
	}
	w <- a
}

// call sends a command and waits for its result. Ids increase, in the order in
// which they are sent.
func (c *Client) call(ctx context.Context, command map[string]any) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("send to Home Assistant: %w", err)
	}
	// A write whose context ends breaks the connection, which is not that of this caller alone.
	sending, sent := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer sent()
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	w := make(chan answer, 1)
	c.mu.Lock()
	if c.conn == nil {
		c.mu.Unlock()
		return nil, home.ErrAway
	}
	c.next++
	id := c.next
	command["id"] = id
	c.waiting[id] = w
	if command["type"] == allStates {
		c.asked, c.late = id, nil
	}
	err := wsjson.Write(sending, c.conn, command)
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
		return nil, fmt.Errorf("wait for Home Assistant: %w: %w", home.ErrUnanswered, ctx.Err())
	}
}
