// Package fetch is the HTTP client of the tools that ask services: every answer
// has a longest size and time, redirects are few, never carry a key to
// another host and never lead into the house from outside, and no error shows
// the address' query, which may hold a key or what a person asked. It says in plain sentences why a service did not answer,
// and keeps answers for a while. It runs no goroutine of its own and imports
// tools only.
package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"
)

const (
	defaultTimeout = 8 * time.Second // below the executor's 10 s, so that the cause is known
	defaultBytes   = 2 << 20
	maxRedirects   = 5
	maxHeaderBytes = 64 << 10
	maxErrorBytes  = 4 << 10 // of the body of a refusal
	maxRetryAfter  = 24 * time.Hour
	keepAlive      = 30 * time.Second
)

// Errors that a caller may branch on.
var (
	ErrTooLarge = errors.New("the answer is too large")
	ErrInside   = errors.New("the address is inside the house")
)

// StatusError is an answer that is neither 2xx nor 304.
type StatusError struct {
	Code       int
	Body       []byte        // its beginning
	RetryAfter time.Duration // 0: not said
}

func (e *StatusError) Error() string { return fmt.Sprintf("status %d", e.Code) }

// Options says how a client asks.
type Options struct {
	UserAgent string        // names the program, as services ask for
	Timeout   time.Duration // of a whole exchange; 0: 8 s
	// Outside refuses every address that is not public, whatever name it hides
	// behind, for addresses that strangers wrote.
	Outside bool
}

// Client asks services over HTTP. It is safe for use by several goroutines.
type Client struct {
	agent   string
	timeout time.Duration
	direct  *http.Transport // to addresses of the configuration, wherever they are
	outside *http.Transport // to public addresses only
	strict  bool            // Options.Outside
}

// New makes a client. It opens nothing.
func New(o Options) *Client {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	c := &Client{agent: o.UserAgent, timeout: o.Timeout, strict: o.Outside}
	c.direct, c.outside = transport(o.Timeout), transport(o.Timeout)
	c.outside.Proxy = nil // it would be asked to look for us
	c.outside.DialContext = (&net.Dialer{
		Timeout: o.Timeout, KeepAlive: keepAlive,
		// It sees the address that a name has led to.
		Control: func(_, address string, _ syscall.RawConn) error { return public(address) },
	}).DialContext
	return c
}

func transport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: timeout, KeepAlive: keepAlive}).DialContext, ForceAttemptHTTP2: true,
		MaxIdleConns: 8, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: timeout,
		ResponseHeaderTimeout: timeout, MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// journey is one request with its redirects, which belong to one goroutine. Whoever answers from outside may send it
// on, but never into the house: neither by an address, nor by a name that leads there, also if that is the name it
// began with. Only what is in the house itself may.
type journey struct {
	c      *Client
	begun  bool
	inside bool // the first answer came from within the house
}

// RoundTrip implements http.RoundTripper.
func (j *journey) RoundTrip(r *http.Request) (*http.Response, error) {
	if j.c.strict || j.begun && !j.inside {
		return j.c.outside.RoundTrip(r)
	}
	if j.begun {
		return j.c.direct.RoundTrip(r)
	}
	j.begun = true
	if via, err := j.c.direct.Proxy(r); err != nil || via != nil {
		return j.c.direct.RoundTrip(r) // the other end is the proxy, which says nothing of where it asks
	}
	trace := &httptrace.ClientTrace{GotConn: func(to httptrace.GotConnInfo) {
		j.inside = errors.Is(public(to.Conn.RemoteAddr().String()), ErrInside)
	}}
	return j.c.direct.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
}

// public refuses addresses of this machine, of its network, and those that are
// routed to none: RFC 1918, 6598, 4193, 3927, and 5737 and 2544 among others.
func public(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("read address: %w", err)
	}
	ip := at.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return ErrInside
	}
	for _, reserved := range reserved {
		if netip.MustParsePrefix(reserved).Contains(ip) {
			return ErrInside
		}
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return fmt.Errorf("read own addresses: %w", err)
	}
	return apart(ip, own)
}

// houseBits is how much of an IPv6 address the networks of one house share: providers give it a /56 (RIPE-690).
const houseBits = 56

// apart refuses addresses of the networks that this machine is in, own: with IPv6 those of a house are public.
func apart(ip netip.Addr, own []net.Addr) error {
	for _, a := range own {
		n, err := netip.ParsePrefix(a.String())
		if err != nil {
			continue // no address of IP
		}
		bits := n.Bits()
		if n.Addr().Is6() {
			bits = min(bits, houseBits)
		}
		if bits == 0 || n.Addr().Is4() != ip.Is4() {
			continue
		}
		if near, err := n.Addr().Prefix(bits); err == nil && near.Contains(ip) {
			return ErrInside
		}
	}
	return nil
}

// reserved is what IANA's special-purpose registries keep off the Internet and
// netip does not know. Those of the last line carry IPv4 addresses inside.
var reserved = [...]string{
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"240.0.0.0/4", "100::/64", "2001:db8::/32", "fec0::/10",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16",
}

// Request is one question.
type Request struct {
	URL    string
	Header http.Header // such as a condition; sent along redirects
	// Key is a header that holds a secret; a redirect to another host is then
	// refused.
	KeyHeader, Key string
	MaxBytes       int64 // of the answer, unpacked; 0: 2 MB
}

// Answer is what a service said.
type Answer struct {
	Body   []byte // nil: not modified
	Header http.Header
	URL    *url.URL // where it was found
}

// Get asks. Errors are *StatusError for a refusal, or match ErrTooLarge,
// ErrInside, or those of net and context.
func (c *Client) Get(ctx context.Context, r Request) (*Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, errors.New("read address: it is not one") // its text may hold a key
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", c.agent)
	if r.KeyHeader != "" {
		req.Header.Set(r.KeyHeader, r.Key)
	}
	h := http.Client{
		Timeout: c.timeout, Transport: &journey{c: c},
		CheckRedirect: func(next *http.Request, via []*http.Request) error { return r.follow(next, via) },
	}
	res, err := h.Do(req)
	if err != nil {
		var long *url.Error
		if errors.As(err, &long) {
			err = long.Err
		}
		return nil, fmt.Errorf("ask %s: %w", req.URL.Host, err)
	}
	defer res.Body.Close()
	a, err := answer(res, r.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", req.URL.Host, err)
	}
	return a, nil
}

// follow decides on a redirect.
func (r Request) follow(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1].URL
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("more than %d redirects", maxRedirects)
	case next.URL.Scheme != "https" && next.URL.Scheme != last.Scheme:
		return fmt.Errorf("redirect from %s to %s", last.Scheme, next.URL.Scheme)
	case r.KeyHeader != "" && next.URL.Host != last.Host:
		return fmt.Errorf("redirect of a key to %s", next.URL.Host)
	}
	return nil
}

func answer(res *http.Response, limit int64) (*Answer, error) {
	if res.StatusCode == http.StatusNotModified {
		return &Answer{Header: res.Header, URL: res.Request.URL}, nil
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBytes)) // half a reason is one too
		return nil, &StatusError{Code: res.StatusCode, Body: body, RetryAfter: retryAfter(res.Header.Get("Retry-After"))}
	}
	if limit <= 0 {
		limit = defaultBytes
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("read answer: %w: more than %d bytes", ErrTooLarge, limit)
	}
	return &Answer{Body: body, Header: res.Header, URL: res.Request.URL}, nil
}

// retryAfter reads the header in both of its forms (RFC 9110, 10.2.3).
func retryAfter(text string) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(text); err == nil && seconds <= int(maxRetryAfter/time.Second) {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = time.Until(at)
	}
	return min(max(wait, 0), maxRetryAfter)
}

// JSON asks and decodes the answer into v. What is no JSON is an error that
// does not repeat it.
func (c *Client) JSON(ctx context.Context, r Request, v any) error {
	a, err := c.Get(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(a.Body, v); err != nil {
		return fmt.Errorf("read answer of %s: %w", a.URL.Host, err)
	}
	return nil
}
