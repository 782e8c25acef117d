package systemd

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/coreos/go-systemd/v22/activation"
	"golang.org/x/sys/unix"
)

// Sockets is what systemd passed to this process, by name. The caller closes them.
type Sockets struct {
	Listeners   map[string]net.Listener // FileDescriptorName= of a socket unit
	Connections map[string][]net.Conn   // what an earlier process stored, Notifier.Store
}

// Passed takes over the stream sockets that systemd opened or kept for this process.
// It may be called once; both maps are empty when there are none. On an error nothing
// is left open.
func Passed() (Sockets, error) {
	s := Sockets{Listeners: make(map[string]net.Listener), Connections: make(map[string][]net.Conn)}
	var errs []error
	for _, f := range activation.Files(true) {
		if err := s.take(f); err != nil {
			errs = append(errs, fmt.Errorf("take over socket %q: %w", f.Name(), err))
		}
		if err := f.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close passed descriptor %q: %w", f.Name(), err))
		}
	}
	if len(errs) == 0 {
		return s, nil
	}
	for _, l := range s.Listeners {
		errs = append(errs, l.Close())
	}
	for _, cs := range s.Connections {
		for _, c := range cs {
			errs = append(errs, c.Close())
		}
	}
	return Sockets{}, errors.Join(errs...)
}

// take adds what a copy of f is.
func (s Sockets) take(f *os.File) error {
	listens, err := unix.GetsockoptInt(int(f.Fd()), unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
	if err != nil {
		return err
	}
	if listens == 0 {
		c, err := net.FileConn(f)
		if err == nil {
			s.Connections[f.Name()] = append(s.Connections[f.Name()], c)
		}
		return err
	}
	if _, twice := s.Listeners[f.Name()]; twice {
		return errors.New("name is taken")
	}
	l, err := net.FileListener(f)
	if err == nil {
		s.Listeners[f.Name()] = l
	}
	return err
}
