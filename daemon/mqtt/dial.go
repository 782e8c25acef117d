package mqtt

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/coder/websocket"
	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"

	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/mqtt/find"
)

// endpoint is where the broker is.
type endpoint struct {
	host    string
	address string // host:port
	tls     bool
	web     string // path of WebSocket; empty: none
	service string // looked up by mDNS before each connection; empty: the address is known
}

// endpoint reads the configured address. Its errors do not repeat it: somebody may
// have written a password into it.
func (o *Options) endpoint() (endpoint, error) {
	switch o.Broker {
	case contract.Embedded:
		return endpoint{address: o.Listen}, nil
	case contract.MDNS:
		return endpoint{address: find.Plain, service: find.Plain}, nil
	case contract.MDNSTLS:
		return endpoint{address: find.TLS, service: find.TLS, tls: true}, nil
	}
	u, err := url.Parse(o.Broker)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return endpoint{}, errors.New("parse broker address: want SCHEME://HOST[:PORT]") // err would show a password
	}
	p := endpoint{host: u.Hostname()}
	port := "1883"
	switch u.Scheme {
	case "mqtt":
	case "mqtts":
		p.tls, port = true, "8883"
	case "ws":
		p.web, port = cmp.Or(u.EscapedPath(), "/"), "80"
	case "wss":
		p.web, p.tls, port = cmp.Or(u.EscapedPath(), "/"), true, "443"
	default:
		return endpoint{}, fmt.Errorf("parse broker address: unknown scheme %q", u.Scheme)
	}
	p.address = net.JoinHostPort(p.host, cmp.Or(u.Port(), port))
	return p, nil
}

// otherScheme is how mqtt.broker begins for the same broker without TLS, or, if p has none, with it.
func (p endpoint) otherScheme() string {
	switch {
	case p.service != "" && p.tls:
		return contract.MDNS
	case p.service != "":
		return contract.MDNSTLS
	case p.web != "" && p.tls:
		return "ws://"
	case p.web != "":
		return "wss://"
	case p.tls:
		return "mqtt://"
	}
	return "mqtts://"
}

// hint tells a person what to change if the port turns out to be the one with, or without, TLS.
func (p endpoint) hint() string { return "see the port in mqtt.broker, or " + p.otherScheme() }

// dialler opens the network connection of one client, and can close it at any
// time.
type dialler struct {
	opt      *Options
	endpoint endpoint

	secured bool // the TLS handshake succeeded; used by open only
	// first is the first byte that the broker sent, plus one; 0: it has sent nothing.
	first atomic.Int32

	mu   sync.Mutex
	raw  net.Conn
	done bool
}

// open returns the function by which the library opens a connection; dialling ends with ctx.
func (d *dialler) open(ctx context.Context) paho.OpenConnectionFunc {
	return func(*url.URL, paho.ClientOptions) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, connectLimit)
		defer cancel()
		// Read for every connection, because certificates are renewed.
		config, err := d.opt.tlsConfig(d.endpoint)
		if err != nil {
			return nil, err
		}
		if d.endpoint.web != "" {
			return d.openWeb(ctx, config)
		}
		raw, err := d.dial(ctx)
		if err != nil {
			return nil, err
		}
		if config == nil {
			return limitPackets(raw), nil
		}
		c, err := d.secure(ctx, raw, config)
		if err != nil {
			return nil, err
		}
		return limitPackets(c), nil
	}
}

// dial opens the connection that cut closes.
func (d *dialler) dial(ctx context.Context) (net.Conn, error) {
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", d.endpoint.address)
	if err != nil {
		return nil, err
	}
	raw = &noted{raw, &d.first}
	if !d.keep(raw) {
		return nil, net.ErrClosed
	}
	return raw, nil
}

func (d *dialler) secure(ctx context.Context, raw net.Conn, config *tls.Config) (net.Conn, error) {
	c := tls.Client(raw, config)
	if err := c.HandshakeContext(ctx); err != nil {
		d.cut()
		var plain tls.RecordHeaderError
		switch {
		case errors.As(err, &plain):
			err = fmt.Errorf("%w: %w", errNoTLS, err)
		case d.first.Load() == 0 && hungUp(err):
			err = fmt.Errorf("%w: %w", errSilentTLS, err)
		}
		return nil, err
	}
	d.secured = true
	return c, nil
}

// openWeb opens a WebSocket with MQTT in it (MQTT 3.1.1, chapter 6).
func (d *dialler) openWeb(ctx context.Context, config *tls.Config) (net.Conn, error) {
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return d.dial(ctx) },
		DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			raw, err := d.dial(ctx)
			if err != nil {
				return nil, err
			}
			return d.secure(ctx, raw, config)
		},
	}
	scheme := "ws://"
	if config != nil {
		scheme = "wss://"
	}
	c, res, err := websocket.Dial(ctx, scheme+d.endpoint.address+d.endpoint.web, &websocket.DialOptions{
		HTTPClient:   &http.Client{Transport: transport, CheckRedirect: stay},
		Subprotocols: []string{"mqtt"},
	})
	switch {
	case err != nil && res != nil: // the package has closed its body
		d.cut()
		return nil, fmt.Errorf("%w: it answers %s", errNoWeb, res.Status)
	case err != nil:
		d.cut()
		return nil, fmt.Errorf("open websocket: %w", err)
	}
	if !strings.EqualFold(c.Subprotocol(), "mqtt") {
		d.cut()
		return nil, errNoWeb
	}
	c.SetReadLimit(-1) // packetLimit bounds it
	// Not ctx: the goodbye is written after it has ended.
	stream := websocket.NetConn(context.WithoutCancel(ctx), c, websocket.MessageBinary)
	return limitPackets(&webConn{Conn: stream, socket: c}), nil
}

// stay follows no redirect.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// How a broker behaves when only one end speaks TLS.
var (
	errAfterTLS  = errors.New("the broker hung up after the TLS handshake")
	errNoTLS     = errors.New("the broker answers without TLS")
	errSilentTLS = errors.New("the broker hung up at the first word of TLS")
	errWantsTLS  = errors.New("the broker answers with TLS")
	errSilent    = errors.New("the broker hung up without a word")
)

// alert is the first byte of a TLS alert (RFC 8446, 5.1). Neither an MQTT packet from a broker nor the answer of a web
// server begins with it.
const alert = 0x15

// blame tells from a failed connection whether only one end speaks TLS.
func (d *dialler) blame(err error) error {
	first := d.first.Load()
	switch {
	case d.secured && errors.Is(err, packets.ErrorNetworkError):
		return fmt.Errorf("%w: %w", errAfterTLS, err)
	case !d.endpoint.tls && first == 1+alert:
		return fmt.Errorf("%w: %w", errWantsTLS, err)
	case !d.endpoint.tls && first == 0 && hungUp(err):
		return fmt.Errorf("%w: %w", errSilent, err)
	}
	return err
}

func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// noted is a connection that remembers the first byte received.
type noted struct {
	net.Conn
	first *atomic.Int32
}

func (c *noted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.first.CompareAndSwap(0, 1+int32(p[0]))
	}
	return n, err
}

// errNoWeb says that a web server is there and no broker.
var errNoWeb = errors.New("open websocket: the server does not speak MQTT")

// webConn is a WebSocket whose Close does not wait for the other end.
type webConn struct {
	net.Conn
	socket *websocket.Conn
}

// Close ends the connection at once.
func (c *webConn) Close() error { return c.socket.CloseNow() }

// keep remembers raw for cut, unless that has been called.
func (d *dialler) keep(raw net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.raw = raw
	if d.done {
		_ = raw.Close() // nothing was written to it
	}
	return !d.done
}

// cut closes the connection below TLS, which would wait to say goodbye.
func (d *dialler) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = true
	if d.raw != nil {
		_ = d.raw.Close() // whoever reads or writes it gets the error
	}
}
