package systemd

import (
	"errors"
	"fmt"
	"net"

	"github.com/coreos/go-systemd/v22/activation"
)

// Listeners takes over the stream sockets that systemd opened for this process,
// by their FileDescriptorName=. The caller closes them. It may be called once;
// the map is empty when the daemon was not started by a socket. On an error
// nothing is left open.
func Listeners() (map[string]net.Listener, error) {
	named := make(map[string]net.Listener)
	var errs []error
	for _, f := range activation.Files(true) {
		l, err := net.FileListener(f)
		if _, twice := named[f.Name()]; err == nil && twice {
			err = errors.Join(errors.New("name is taken"), l.Close())
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("take over socket %q: %w", f.Name(), err))
		} else {
			named[f.Name()] = l
		}
		if err := f.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close passed descriptor %q: %w", f.Name(), err))
		}
	}
	if len(errs) == 0 {
		return named, nil
	}
	for _, l := range named {
		errs = append(errs, l.Close())
	}
	return nil, errors.Join(errs...)
}
