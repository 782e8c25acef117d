package mqtt

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"

	"hearthd/config/input"
)

// maxPEM bounds a certificate or key file in bytes.
const maxPEM = 1 << 20

// certificateError says that a configured certificate or key cannot be used.
type certificateError struct{ err error }

func (e *certificateError) Error() string { return e.err.Error() }
func (e *certificateError) Unwrap() error { return e.err }

// tlsConfig always has the broker's name checked against its certificate. It is nil
// without TLS.
func (o *Options) tlsConfig(p endpoint) (*tls.Config, error) {
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
	pem, err := input.ReadFile(path, maxPEM)
	if err != nil {
		return nil, &certificateError{fmt.Errorf("read certificate %q: %w", path, err)}
	}
	return pem, nil
}
