package systemd

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// peer is the service manager's, or journald's, end of a datagram socket.
type peer struct {
	t    *testing.T
	path string
	conn *net.UnixConn
}

func listenPeer(t *testing.T) *peer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "socket")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &peer{t: t, path: path, conn: conn}
}

// next is the oldest datagram that has arrived, "" when there is none. Sending
// on a Unix socket delivers before it returns, so there is nothing to wait for.
func (p *peer) next() string {
	p.t.Helper()
	raw, err := p.conn.SyscallConn()
	if err != nil {
		p.t.Fatal(err)
	}
	buf := make([]byte, 1<<18)
	var n int
	var got error
	if err := raw.Control(func(fd uintptr) { n, _, got = unix.Recvfrom(int(fd), buf, unix.MSG_DONTWAIT) }); err != nil {
		p.t.Fatal(err)
	}
	if got == unix.EAGAIN {
		return ""
	}
	if got != nil {
		p.t.Fatal(got)
	}
	return string(buf[:n])
}

func TestNotifierSpeaksTheProtocol(t *testing.T) {
	p := listenPeer(t)
	n := NewNotifier(p.path)
	for _, c := range []struct {
		call func() error
		want string
	}{
		{n.Ready, "READY=1"},
		{n.Stopping, "STOPPING=1"},
		{func() error { return n.Status("listening,\nmuted") }, "STATUS=listening, muted"},
		{func() error { return n.Status("caf\xe9") }, "STATUS=caf\uFFFD"},
	} {
		if err := c.call(); err != nil {
			t.Fatal(err)
		}
		if got := p.next(); got != c.want {
			t.Errorf("sent %q, want %q", got, c.want)
		}
	}
}

func TestReloadingCarriesTheMonotonicTime(t *testing.T) {
	p := listenPeer(t)
	if err := NewNotifier(p.path).Reloading(); err != nil {
		t.Fatal(err)
	}
	got := p.next()
	usec, found := strings.CutPrefix(got, "RELOADING=1\nMONOTONIC_USEC=")
	if !found || strings.Trim(usec, "0123456789\n") != "" || len(usec) < 2 {
		t.Errorf("sent %q", got)
	}
}

func TestLongStatusIsCutBetweenCharacters(t *testing.T) {
	p := listenPeer(t)
	if err := NewNotifier(p.path).Status(strings.Repeat("ä", 4000)); err != nil {
		t.Fatal(err)
	}
	got := p.next()
	if len(got) > len("STATUS=")+maxStatus || !strings.HasSuffix(got, "ä…") {
		t.Errorf("sent %d bytes ending in %q", len(got), got[len(got)-8:])
	}
}

func TestNotifierWithoutManagerDoesNothing(t *testing.T) {
	if err := NewNotifier("").Ready(); err != nil {
		t.Error(err)
	}
}

func TestNotifierReportsADeadManager(t *testing.T) {
	if err := NewNotifier(filepath.Join(t.TempDir(), "gone")).Ready(); err == nil {
		t.Error("no error")
	}
}
