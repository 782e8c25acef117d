package e2e

import (
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// manager is the service manager's end of sd_notify(3).
type manager struct {
	t    testing.TB
	addr string

	mu   sync.Mutex
	told []string
	more chan struct{}
}

// newManager listens on a socket in dir until the test ends.
func newManager(t testing.TB, dir string) *manager {
	t.Helper()
	m := &manager{t: t, addr: filepath.Join(dir, "notify.sock"), more: make(chan struct{})}
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: m.addr, Net: "unixgram"})
	check(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 8192)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				return // closed
			}
			m.take(string(buf[:n]))
		}
	}()
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
	return m
}

func (m *manager) take(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = append(m.told, text)
	close(m.more)
	m.more = make(chan struct{})
}

func (m *manager) environ() string { return "NOTIFY_SOCKET=" + m.addr }

// messages are those that begin with prefix.
func (m *manager) messages(prefix string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []string
	for _, s := range m.told {
		if strings.HasPrefix(s, prefix) {
			found = append(found, s)
		}
	}
	return found
}

// await waits for n messages that begin with prefix.
func (m *manager) await(prefix string, n int) {
	m.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		m.mu.Lock()
		more := m.more
		m.mu.Unlock()
		if len(m.messages(prefix)) >= n {
			return
		}
		select {
		case <-more:
		case <-deadline.C:
			m.t.Fatalf("the service manager was not told %q %d times, but %q", prefix, n, m.messages(""))
		}
	}
}
