// Package fetch is the HTTP client of the tools that ask services. Every answer has a maximum
// size and time. Redirects are few, never carry a key to another host, and never lead from
// outside into the home network. No error shows the query of the address, which may hold a
// key or what a person asked. The package says in plain sentences why a service did not
// answer, and can cache answers. It runs no goroutine of its own and imports tools and tools/phrase only.
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
	exchangeLimit  = 8 * time.Second // less than the 10 s of the executor, so that the cause is known
	defaultBytes   = 2 << 20
	maxRedirects   = 5
	maxHeaderBytes = 64 << 10
	maxErrorBytes  = 4 << 10 // that are read of the body of a refusal
	maxRetryAfter  = 24 * time.Hour
	keepAlive      = 30 * time.Second
)

// Errors that a caller may branch on.
var (
	errTooLarge = errors.New("the answer is too large")
	ErrInside   = errors.New("the address is inside the house")
)

// StatusError is an answer that is neither 2xx nor 304.
type StatusError struct {
	Code       int
	Body       []byte        // its beginning
	RetryAfter time.Duration // 0: not given
}

func (e *StatusError) Error() string { return fmt.Sprintf("status %d", e.Code) }

// Options are those of a client.
type Options struct {
	UserAgent string // names the program, as services want
	// Outside refuses every address that is not public, even behind a name. It is for
	// addresses that strangers wrote.
	Outside bool
}

// Client asks services over HTTP. It is safe for use by several goroutines.
type Client struct {
	agent   string
	timeout time.Duration
	direct  *http.Transport // to any address, for those of the configuration
	outside *http.Transport // to public addresses only
	strict  bool            // Options.Outside
}

// New makes a client. It opens nothing.
func New(o Options) *Client {
	c := &Client{agent: o.UserAgent, timeout: exchangeLimit, strict: o.Outside, direct: transport(),
		outside: transport()}
	c.outside.Proxy = nil // a proxy would resolve names itself
	c.outside.DialContext = dial(&net.Dialer{
		Timeout: exchangeLimit, KeepAlive: keepAlive,
		// It is called with the address to which a name was resolved.
		Control: func(_, address string, _ syscall.RawConn) error { return public(address) },
	})
	return c
}

func transport() *http.Transport {
	return &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: dial(&net.Dialer{Timeout: exchangeLimit, KeepAlive: keepAlive}), ForceAttemptHTTP2: true,
		MaxIdleConns: 8, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: exchangeLimit,
		ResponseHeaderTimeout: exchangeLimit, MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// journey is one request with its redirects. It belongs to one goroutine. A server outside may
// redirect it, but never into the home network, neither by an address nor by a name, not even by
// the name with which the request began. Only a server in the home network may do that.
type journey struct {
	c      *Client
	strict bool // it never leads into the house
	begun  bool
	inside bool // the first answer came from inside the house
}

// RoundTrip implements http.RoundTripper.
func (j *journey) RoundTrip(r *http.Request) (*http.Response, error) {
	if j.strict || j.begun && !j.inside {
		return j.c.outside.RoundTrip(r)
	}
	if j.begun {
		return j.c.direct.RoundTrip(r)
	}
	j.begun = true
	if via, err := j.c.direct.Proxy(r); err != nil || via != nil {
		return j.c.direct.RoundTrip(r) // the address of the proxy tells nothing about the server
	}
	trace := &httptrace.ClientTrace{GotConn: func(to httptrace.GotConnInfo) {
		j.inside = errors.Is(public(to.Conn.RemoteAddr().String()), ErrInside)
	}}
	return j.c.direct.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
}

// public refuses addresses of this machine and its network, and those that are not routed:
// RFC 1918, 6598, 4193, 3927, 5737, 2544 and others.
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

// houseBits is how many bits of an IPv6 address the networks of one home share: providers assign a
// /56 (RIPE-690).
const houseBits = 56

// apart refuses addresses of own, the networks of this machine, because with IPv6 those of a home
// are public.
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

// reserved are networks in IANA's special-purpose registries that are not on the Internet and
// that netip does not know. Those of the last line contain IPv4 addresses.
var reserved = [...]string{
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"240.0.0.0/4", "100::/64", "2001:db8::/32", "fec0::/10",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16",
}

// Request is one question.
type Request struct {
	URL    string
	Header http.Header // also sent after redirects
	// Key is the value of the header KeyHeader and secret; with it a redirect to another
	// host is refused.
	KeyHeader, Key string
	MaxBytes       int64 // of the answer, unpacked; 0: 2 MB
	// Outside refuses addresses of the house, because somebody outside wrote URL.
	Outside bool
}

// Answer is the answer of a service.
type Answer struct {
	Body   []byte // nil: not modified
	Header http.Header
	URL    *url.URL // after redirects
	Inside bool     // a server of the house gave it
}

// Stream is an answer that is read as it comes. Its body has no limit.
type Stream struct {
	Body   io.ReadCloser
	Header http.Header
	URL    *url.URL // after redirects
	Inside bool     // a server of the house gives it
}

// Get sends a request. The error is a *StatusError for a refusal, or matches errTooLarge,
// ErrInside, or one of net and context.
func (c *Client) Get(ctx context.Context, r Request) (*Answer, error) {
	res, inside, err := c.send(ctx, r, c.timeout)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	a, err := answer(res, r.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", res.Request.URL.Host, err)
	}
	a.Inside = inside
	return a, nil
}

// Open sends a request and gives what is answered while it comes, until ctx ends. The body is the caller's to close.
// The error is as that of Get.
func (c *Client) Open(ctx context.Context, r Request) (*Stream, error) {
	res, inside, err := c.send(ctx, r, 0)
	if err != nil {
		return nil, err
	}
	if err := refused(res); err != nil {
		return nil, errors.Join(fmt.Errorf("ask %s: %w", res.Request.URL.Host, err), res.Body.Close())
	}
	return &Stream{Body: res.Body, Header: res.Header, URL: res.Request.URL, Inside: inside}, nil
}

// send sends a request within a time, if it is not 0, and tells whether a server of the house answers.
func (c *Client) send(ctx context.Context, r Request, limit time.Duration) (*http.Response, bool, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if err != nil {
		return nil, false, errors.New("read address: it is not one") // without the address, which may hold a key
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", c.agent)
	if r.KeyHeader != "" {
		req.Header.Set(r.KeyHeader, r.Key)
	}
	way := &journey{c: c, strict: c.strict || r.Outside}
	h := http.Client{
		Timeout: limit, Transport: way,
		CheckRedirect: func(next *http.Request, via []*http.Request) error { return r.follow(next, via) },
	}
	res, err := h.Do(req)
	if err != nil {
		if long, ok := errors.AsType[*url.Error](err); ok {
			err = long.Err
		}
		return nil, false, fmt.Errorf("ask %s: %w", req.URL.Host, err)
	}
	return res, way.inside, nil
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
	if err := refused(res); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = defaultBytes
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("read answer: %w: more than %d bytes", errTooLarge, limit)
	}
	return &Answer{Body: body, Header: res.Header, URL: res.Request.URL}, nil
}

// refused is a *StatusError, or nil.
func refused(res *http.Response) error {
	if res.StatusCode >= 200 && res.StatusCode <= 299 {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBytes)) // a part of the reason will do
	return &StatusError{Code: res.StatusCode, Body: body, RetryAfter: retryAfter(res.Header.Get("Retry-After"))}
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

// JSON sends a request and decodes the answer into v.
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
