package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// hold keeps other daemons out of a folder until what it returns is closed: two on
// one memory would ring every timer twice. A folder that cannot be opened is no
// concern here; whoever needs it says so.
func hold(dir string) (io.Closer, error) {
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return io.NopCloser(nil), nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return io.NopCloser(nil), nil
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errors.Join(fmt.Errorf("use folder %q: another hearthd does", dir), f.Close())
	}
	return f, nil
}
