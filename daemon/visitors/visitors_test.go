package visitors

import (
	"io"
	"net"
	"testing"
)

// from is a connection that says it comes from address.
type from struct {
	net.Conn
	address string
}

func (f from) RemoteAddr() net.Addr { return addr(f.address) }

type addr string

func (addr) Network() string  { return "tcp" }
func (a addr) String() string { return string(a) }

// queue is a listener that gives the connections that were put into it.
type queue chan net.Conn

func (q queue) Accept() (net.Conn, error) {
	c, ok := <-q
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (q queue) Close() error   { return nil }
func (q queue) Addr() net.Addr { return addr("127.0.0.1:1") }

// visit lets somebody from address in, and gives both ends.
func visit(t *testing.T, l *Listener, address string) (here, there net.Conn) {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	l.Listener.(queue) <- from{near, address}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return c, far
}

// gone reports whether the other end was closed. It is asked only of what is closed or has something to read.
func gone(t *testing.T, far net.Conn) bool {
	t.Helper()
	_, err := far.Read(make([]byte, 1))
	return err == io.EOF
}

func TestStrangerOfTheAddressWithMostGivesWay(t *testing.T) {
	l := New(make(queue, 9), 4)
	_, single := visit(t, l, "10.0.0.1:1")
	_, oldest := visit(t, l, "10.0.0.2:1")
	visit(t, l, "10.0.0.2:2")
	visit(t, l, "10.0.0.2:3")
	visit(t, l, "10.0.0.3:1")
	if !gone(t, oldest) {
		t.Error("the oldest of the crowd stays")
	}
	go single.Write([]byte("x")) // it is still read, or the pipe would block
	if len(l.conns) != 4 || l.conns["10.0.0.1:1"] == nil {
		t.Errorf("%d are in", len(l.conns))
	}
}

func TestWhoIsKnownStaysAndOneMoreIsRefused(t *testing.T) {
	l := New(make(queue, 9), 2)
	visit(t, l, "127.0.0.1:1")
	l.Know("127.0.0.1:1")
	_, second := visit(t, l, "127.0.0.1:2")
	for _, at := range []string{"127.0.0.1:3", "127.0.0.1:4", "127.0.0.1:5"} {
		visit(t, l, at)
	}
	if !gone(t, second) || l.conns["127.0.0.1:1"] == nil {
		t.Error("the wrong one gave way")
	}
	l.Know("127.0.0.1:5")
	near, far := net.Pipe()
	l.Listener.(queue) <- from{near, "127.0.0.1:6"}
	close(l.Listener.(queue))
	if _, err := l.Accept(); err == nil || !gone(t, far) {
		t.Error("there is a place where all are taken")
	}
}

func TestClosedConnectionGivesItsPlaceBackOnce(t *testing.T) {
	l := New(make(queue, 9), 2)
	first, _ := visit(t, l, "[2001:db8::1]:1")
	first.Close()
	again, _ := visit(t, l, "[2001:db8::1]:1") // the port is used again
	first.Close()
	if len(l.conns) != 1 {
		t.Errorf("%d are in", len(l.conns))
	}
	again.Close()
	if len(l.conns) != 0 {
		t.Errorf("%d are in", len(l.conns))
	}
}

func TestHostOfIPv6IsOnePeerWhateverAddressItTakes(t *testing.T) {
	if Peer("[2001:db8::1]:1") != Peer("[2001:db8::ffff:2]:9") || Peer("[fe80::1%eth0]:1") != Peer("[fe80::2]:1") {
		t.Error("addresses of one network differ")
	}
	if Peer("10.0.0.1:1") == Peer("10.0.0.2:1") || Peer("[::ffff:10.0.0.1]:1") != Peer("10.0.0.1:2") ||
		Peer("@").IsValid() {
		t.Error("addresses of IPv4 are mistaken")
	}
}
