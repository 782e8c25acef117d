package control

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// probeLimit is how long a daemon that already listens may take to accept.
	probeLimit = time.Second
	// maxClients bounds the connections to the socket that are open at once.
	maxClients = 64
)

// Socket opens the unix socket at path for the owner and the group. What an earlier process left
// there is removed; a daemon that still answers is left alone, and nothing but a socket is ever
// removed.
func Socket(path string) (net.Listener, error) {
	if err := removeStale(path); err != nil {
		return nil, fmt.Errorf("open control socket %q: %w", path, err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("open control socket: %w", err)
	}
	if err := os.Chmod(path, 0o660); err != nil {
		return nil, errors.Join(fmt.Errorf("set mode of control socket: %w", err), l.Close())
	}
	return l, nil
}

// removeStale removes a socket that nobody listens on.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("something is there that is not a socket")
	}
	c, err := net.DialTimeout("unix", path, probeLimit)
	switch {
	case err == nil:
		return errors.Join(errors.New("another hearthd answers there; stop that one "+
			"(systemctl stop hearthd.socket hearthd), or set RUNTIME_DIRECTORY to a folder for this one"), c.Close())
	case errors.Is(err, syscall.ECONNREFUSED): // nobody listens
		return os.Remove(path)
	}
	return fmt.Errorf("find out whether another hearthd answers there: %w", err)
}

// limited accepts at most cap(slots) connections at once; more wait in the
// kernel's queue.
type limited struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
}

func newLimited(l net.Listener, n int) *limited {
	return &limited{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotted{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// slotted gives its slot back when it is closed.
type slotted struct {
	net.Conn
	free func()
}

func (c *slotted) Close() error {
	defer c.free()
	return c.Conn.Close()
}
