package mqtt

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"sync"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

const (
	connectLimit = 5 * time.Second // for dialling, and again for each handshake
	ackLimit     = 5 * time.Second
	// handOver is how long the library may be busy before it takes a message. It
	// holds one at a time, so it is busy only when the network is stuck.
	handOver  = time.Second
	keepAlive = 20 * time.Second
	pingLimit = 5 * time.Second
	// maxPEM bounds a certificate or key file in bytes.
	maxPEM = 1 << 20
)

// clientOptions sets up a client for one connection. The will is what the house
// sees when hearthd disappears.
func (b *Bridge) clientOptions(open paho.OpenConnectionFunc) *paho.ClientOptions {
	o := paho.NewClientOptions()
	o.AddBroker("tcp://" + b.peer.address) // needed, though open knows where to go
	o.SetCustomOpenConnectionFn(open)
	// Two clients of one id would push each other out for ever: the id is as
	// unique as the topics. No topic level has a dot in it.
	o.SetClientID("hearthd." + b.opt.Prefix + "." + b.opt.Node)
	o.SetUsername(b.opt.User)
	o.SetPassword(b.opt.Password)
	// Said explicitly, or a refusal is tried again as MQTT 3.1.
	o.SetProtocolVersion(4)
	// Commands that came while we were away are not carried out late.
	o.SetCleanSession(true)
	// Commands keep their order; the handler never waits.
	o.SetOrderMatters(true)
	o.SetAutoReconnect(false)
	o.SetConnectTimeout(connectLimit)
	o.SetWriteTimeout(handOver)
	o.SetKeepAlive(keepAlive)
	o.SetPingTimeout(pingLimit)
	if b.opt.Feed != nil {
		// Not a handler per topic: the library compares each message with all.
		o.SetDefaultPublishHandler(b.opt.Feed.received)
	}
	o.SetBinaryWill(b.topic(levelAvailability), []byte(payloadOffline), 1, true)
	return o
}

// peer is where the broker is.
type peer struct {
	host    string
	address string // host:port
	tls     bool
}

// peer reads the configured address. Its errors do not repeat it: somebody may
// have written a password into it.
func (o *Options) peer() (peer, error) {
	if o.Broker == Embedded {
		return peer{address: o.Listen}, nil
	}
	u, err := url.Parse(o.Broker)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return peer{}, errors.New("parse broker address: want mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")
	}
	p := peer{host: u.Hostname()}
	port := "1883"
	switch u.Scheme {
	case "mqtt":
	case "mqtts":
		p.tls, port = true, "8883"
	default:
		return peer{}, fmt.Errorf("parse broker address: unknown scheme %q", u.Scheme)
	}
	if u.Port() != "" {
		port = u.Port()
	}
	p.address = net.JoinHostPort(p.host, port)
	return p, nil
}

// dialler opens the network connection of one client, and can close it at any
// time.
type dialler struct {
	opt  *Options
	peer peer

	secured bool // the TLS handshake went well; open's alone

	mu   sync.Mutex
	raw  net.Conn
	done bool
}

// open returns the library's way to a connection, which ends with ctx.
func (d *dialler) open(ctx context.Context) paho.OpenConnectionFunc {
	return func(*url.URL, paho.ClientOptions) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, connectLimit)
		defer cancel()
		// Read at every connection: certificates are renewed.
		config, err := d.opt.tlsConfig(d.peer)
		if err != nil {
			return nil, err
		}
		raw, err := new(net.Dialer).DialContext(ctx, "tcp", d.peer.address)
		if err != nil {
			return nil, err
		}
		if !d.keep(raw) {
			return nil, net.ErrClosed
		}
		if config == nil {
			return newBounded(raw), nil
		}
		c := tls.Client(raw, config)
		if err := c.HandshakeContext(ctx); err != nil {
			d.cut()
			return nil, err
		}
		d.secured = true
		return newBounded(c), nil
	}
}

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

// certificateError says that a certificate or key of ours cannot be used.
type certificateError struct{ err error }

func (e *certificateError) Error() string { return e.err.Error() }
func (e *certificateError) Unwrap() error { return e.err }

// tlsConfig checks the broker's name against its certificate, always. It is nil
// without TLS.
func (o *Options) tlsConfig(p peer) (*tls.Config, error) {
	if !p.tls {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: p.host}
	if o.CAFile != "" {
		pem, err := readPEM(o.CAFile)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &certificateError{fmt.Errorf("read certificate %q: no certificate in it", o.CAFile)}
		}
	}
	if o.CertFile != "" {
		cert, err := readPEM(o.CertFile)
		if err != nil {
			return nil, err
		}
		key, err := readPEM(o.KeyFile)
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, &certificateError{fmt.Errorf("load client certificate %q: %w", o.CertFile, err)}
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func readPEM(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &certificateError{fmt.Errorf("read certificate: %w", err)}
	}
	defer f.Close()
	pem, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	if err != nil {
		return nil, &certificateError{fmt.Errorf("read certificate %q: %w", path, err)}
	}
	if len(pem) > maxPEM {
		return nil, &certificateError{fmt.Errorf("read certificate %q: longer than %d bytes", path, maxPEM)}
	}
	return pem, nil
}
