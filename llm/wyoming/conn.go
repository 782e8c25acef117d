package wyoming

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"hearthd/config/letters"
)

// Conn is a connection to a Wyoming server. One goroutine may send while
// another receives. After an error, and after a context of one of its calls has
// ended, a Conn is only good to be closed.
type Conn struct {
	c net.Conn
	r *Reader
}

// CheckAddress refuses what Dial cannot use: an address is host:port,
// tcp://host:port or unix:/path.
func CheckAddress(address string) error {
	_, _, err := split(address)
	return err
}

func split(address string) (network, place string, err error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		path = strings.TrimPrefix(path, "//")
		if !strings.HasPrefix(path, "/") {
			return "", "", fmt.Errorf("wyoming address %q: a unix path starts with /", address)
		}
		return "unix", path, nil
	}
	place = strings.TrimPrefix(address, "tcp://")
	host, port, err := net.SplitHostPort(place)
	if err != nil || host == "" || port == "" {
		return "", "", fmt.Errorf("wyoming address %q: want host:port or unix:/path", address)
	}
	return "tcp", place, nil
}

// Dial connects within timeout.
func Dial(ctx context.Context, address string, timeout time.Duration) (*Conn, error) {
	network, place, err := split(address)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: timeout}
	c, err := d.DialContext(ctx, network, place)
	if err != nil {
		return nil, fmt.Errorf("connect wyoming server: %w", err)
	}
	return NewConn(c), nil
}

// NewConn returns a Conn over c, which it closes.
func NewConn(c net.Conn) *Conn { return &Conn{c: c, r: NewReader(c)} }

// Send writes events in one go. It returns when they are with the network, or
// ctx has ended.
func (c *Conn) Send(ctx context.Context, events ...Event) error {
	var b []byte
	for _, e := range events {
		var err error
		if b, err = Append(b, e); err != nil {
			return err
		}
	}
	stop := context.AfterFunc(ctx, c.expire)
	defer stop()
	if _, err := c.c.Write(b); err != nil {
		return c.cause(ctx, "send to wyoming server", err)
	}
	return nil
}

// Receive waits for the next event. A server that closed the connection is
// io.ErrUnexpectedEOF.
func (c *Conn) Receive(ctx context.Context) (Event, error) {
	stop := context.AfterFunc(ctx, c.expire)
	defer stop()
	e, err := c.r.Read()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Event{}, c.cause(ctx, "receive from wyoming server", err)
	}
	return e, nil
}

// expire makes every call return at once. SetDeadline only errs on a closed
// connection, whose calls have returned.
func (c *Conn) expire() { _ = c.c.SetDeadline(time.Unix(1, 0)) }

func (c *Conn) cause(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Close closes the connection.
func (c *Conn) Close() error { return c.c.Close() }

// maxErrorText bounds what of a server's own words goes into an error, in bytes.
const maxErrorText = 200

// Err makes an error of an error event. Words that contain hide, unless it is
// empty, are left out: servers put the text that they could not speak into it.
func (e Event) Err(hide string) error {
	var s Complaint
	if err := e.Decode(&s); err != nil {
		return err
	}
	if hide != "" && strings.Contains(s.Text, hide) {
		s.Text = ""
	}
	return fmt.Errorf("wyoming server says %q (code %q)", letters.Plain(s.Text, maxErrorText),
		letters.Plain(s.Code, maxErrorText))
}
