package web

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// certificate is reloaded when one of its files changes.
type certificate struct {
	files [2]string // certificate and key

	mu   sync.Mutex
	read [2]time.Time // modification times of the files that were read
	cert *tls.Certificate
}

// get is for tls.Config. A certificate that can no longer be read stays in use.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var now [2]time.Time
	for i, name := range c.files {
		if info, err := os.Stat(name); err == nil {
			now[i] = info.ModTime()
		}
	}
	if c.cert != nil && now == c.read {
		return c.cert, nil
	}
	cert, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	switch {
	case err == nil:
		c.cert, c.read = &cert, now
	case c.cert == nil:
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	return c.cert, nil
}
