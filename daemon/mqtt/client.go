package mqtt

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

const (
	connectLimit = 5 * time.Second
	writeLimit   = 5 * time.Second
	keepAlive    = 20 * time.Second
	pingLimit    = 5 * time.Second
	retryFirst   = time.Second
	retryLast    = 30 * time.Second
	// maxPEM bounds a certificate or key file in bytes.
	maxPEM = 1 << 20
)

// clientOptions sets up the connection. The will is what the house sees when
// hearthd disappears.
func (b *Bridge) clientOptions(server string, config *tls.Config) *paho.ClientOptions {
	o := paho.NewClientOptions()
	o.AddBroker(server)
	o.SetClientID("hearthd-" + b.opt.Node)
	o.SetUsername(b.opt.User)
	o.SetPassword(b.opt.Password)
	if config != nil {
		o.SetTLSConfig(config)
	}
	o.SetCleanSession(true)
	o.SetOrderMatters(false)
	o.SetAutoReconnect(true)
	o.SetMaxReconnectInterval(retryLast)
	o.SetConnectRetry(true)
	o.SetConnectRetryInterval(retryFirst)
	o.SetConnectTimeout(connectLimit)
	o.SetWriteTimeout(writeLimit)
	o.SetKeepAlive(keepAlive)
	o.SetPingTimeout(pingLimit)
	o.SetBinaryWill(b.topic("availability"), []byte("offline"), 1, true)
	return o
}

// serverURL translates the configured address into the library's.
func (o *Options) serverURL() (string, error) {
	if o.Broker == Embedded {
		return "tcp://" + o.Listen, nil
	}
	u, err := url.Parse(o.Broker)
	if err != nil {
		return "", fmt.Errorf("parse broker address: %w", err)
	}
	scheme, port := "tcp", "1883"
	switch u.Scheme {
	case "mqtt":
	case "mqtts":
		scheme, port = "tls", "8883"
	default:
		return "", fmt.Errorf("parse broker address: unknown scheme %q", u.Scheme)
	}
	if u.Port() != "" {
		port = u.Port()
	}
	host := u.Hostname()
	if host == "" {
		return "", errors.New("parse broker address: no host")
	}
	return (&url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}).String(), nil
}

// tlsConfig checks the broker's name against its certificate, always.
func (o *Options) tlsConfig(server string) (*tls.Config, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("parse broker address: %w", err)
	}
	if u.Scheme != "tls" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: u.Hostname()}
	if o.CAFile != "" {
		pem, err := readPEM(o.CAFile)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read %q: no certificate in it", o.CAFile)
		}
	}
	if o.CertFile != "" {
		cert, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("load client certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{cert}
	}
	return c, nil
}

func readPEM(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	defer f.Close()
	pem, err := io.ReadAll(io.LimitReader(f, maxPEM+1))
	if err != nil {
		return nil, fmt.Errorf("read certificate %q: %w", path, err)
	}
	if len(pem) > maxPEM {
		return nil, fmt.Errorf("read certificate %q: longer than %d bytes", path, maxPEM)
	}
	return pem, nil
}
