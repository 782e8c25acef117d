package web

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// maxToken bounds what is read of a file with a token, in bytes.
const maxToken = 1 << 10

// Token reads the token that an earlier start has made at path, or makes one that
// only the owner can read: 26 letters and digits, 130 bits.
func Token(path string) (string, error) {
	token, err := readToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	token = rand.Text()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("make console token: %w", err)
	}
	_, err = f.WriteString(token + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("make console token: %w", err), os.Remove(path))
	}
	return token, nil
}

func readToken(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read console token: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxToken))
	if err != nil {
		return "", fmt.Errorf("read console token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < minToken {
		return "", fmt.Errorf("read console token %q: it has less than %d characters; remove the file for a new one", path, minToken)
	}
	return token, nil
}

// certificate is read again when one of its files changes.
type certificate struct {
	files [2]string // certificate and key

	mu   sync.Mutex
	read [2]time.Time // when the files had changed
	cert *tls.Certificate
}

// get is for tls.Config. What can no longer be read stays as it was.
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
