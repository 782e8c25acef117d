package realtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"hearthd/llm/gone"
)

// Why a service cannot be used, as far as that is known.
var (
	ErrKey   = errors.New("the service refuses the key")
	ErrLimit = errors.New("the service's limit is reached")
	errLost  = errors.New("the connection was lost")
)

const (
	// dialLimit bounds connecting and the exchange that configures the session.
	dialLimit = 5 * time.Second
	// maxEvent bounds one received event. Half a second of audio is 32 KiB; the longest is the end
	// of a response, with all of its text.
	maxEvent = 4 << 20
	// maxRefusal bounds how much is read of a refused connection's response.
	maxRefusal = 16 << 10
)

// Endpoint is where sessions are opened. base is an OpenAI-style base URL, such as
// https://api.openai.com/v1, with http or ws, and path what follows it.
func Endpoint(base, path string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, errors.New("parse URL of the realtime service: not a URL") // err would show a password
	}
	switch u.Scheme {
	case "https", "wss":
		u.Scheme = "wss"
	case "http", "ws":
		u.Scheme = "ws"
	default:
		return nil, fmt.Errorf("parse URL of the realtime service: scheme %q is not http, https, ws or wss", u.Scheme)
	}
	if u.Host == "" || u.User != nil {
		return nil, errors.New("parse URL of the realtime service: it needs a host and no user")
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	if !strings.HasSuffix(u.Path, path) {
		u.Path += path
	}
	return u, nil
}

// endpoint is where sessions of model are opened.
func endpoint(base, model string) (*url.URL, error) {
	u, err := Endpoint(base, "/realtime")
	if err != nil {
		return nil, err
	}
	q := u.Query()
	q.Set("model", model)
	u.RawQuery = q.Encode()
	return u, nil
}

// connect opens the line to a service that speaks the protocol.
func connect(ctx context.Context, o *Options, _ *Persona) (Line, error) {
	u, err := endpoint(o.URL, o.Model)
	if err != nil {
		return nil, err
	}
	s, err := Dial(ctx, o, u)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Dial connects to a service, as o says. Its errors contain neither the key nor what the service
// wrote.
func Dial(ctx context.Context, o *Options, at *url.URL) (*Socket, error) {
	var line net.Conn
	traced := httptrace.WithClientTrace(ctx,
		&httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { line = i.Conn }})
	header := http.Header{}
	if o.Key != "" {
		header.Set("Authorization", "Bearer "+o.Key)
	}
	// It follows no redirect.
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	conn, resp, err := websocket.Dial(traced, at.String(), &websocket.DialOptions{HTTPHeader: header,
		HTTPClient: cmp.Or(o.Via, stay)})
	switch {
	case err == nil:
		conn.SetReadLimit(maxEvent)
		return &Socket{conn, line}, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("connect to the realtime service: %w", context.Cause(ctx))
	case resp == nil:
		return nil, fmt.Errorf("connect to the realtime service: %w", unwrapNet(err))
	}
	if gone := o.without(resp); gone != nil {
		return nil, fmt.Errorf("connect to the realtime service: %w", gone)
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return nil, fmt.Errorf("connect to the realtime service: %w (status %d)", ErrKey, resp.StatusCode)
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusPaymentRequired:
		return nil, fmt.Errorf("connect to the realtime service: %w (status %d)", ErrLimit, resp.StatusCode)
	}
	return nil, fmt.Errorf("connect to the realtime service: it answered with status %d", resp.StatusCode)
}

// without is the error if a service refuses a connection because it does not have the model,
// otherwise nil.
func (o *Options) without(resp *http.Response) error {
	var body struct {
		Error fault `json:"error"`
	}
	// websocket.Dial keeps the beginning of the body. If that is nothing of the protocol, the
	// status alone decides.
	_ = json.NewDecoder(io.LimitReader(resp.Body, maxRefusal)).Decode(&body)
	return gone.FromRefusal(o.Model, body.Error.refusal(resp.StatusCode))
}

// unwrapNet gives the innermost cause of a failed request, without the URL.
func unwrapNet(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
