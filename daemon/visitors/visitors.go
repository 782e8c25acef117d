// Package visitors serves HTTP until a context ends, and bounds the connections of a server so that nobody can occupy
// them all: when there are too many, a stranger gives way, and a peer that has authenticated itself stays. Serve runs
// the goroutines of its server and waits for them. It imports nothing of hearthd.
package visitors

import (
	"net"
	"net/netip"
	"sync"
)

// Listener bounds the number of open connections. When it is reached, a new connection takes the place of a stranger's:
// the oldest one of the address that has the most. If there is no stranger, the new one is closed.
type Listener struct {
	net.Listener
	most int

	mu    sync.Mutex
	last  uint64
	conns map[string]*conn // by the address and port of the peer, which are unique
}

// conn is a stranger until Know is told of it.
type conn struct {
	net.Conn
	of    *Listener
	at    string
	peer  netip.Prefix
	since uint64 // the number of its arrival
	known bool
}

// New limits l, a TCP listener, to at most most connections.
func New(l net.Listener, most int) *Listener {
	return &Listener{Listener: l, most: most, conns: make(map[string]*conn)}
}

// Peer is the network that is counted for an address with a port: that address, or with IPv6 its /64, within which a
// host may choose addresses. It is zero for a text that is no address.
func Peer(address string) netip.Prefix {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip := at.Addr().Unmap().WithZone("")
	p, err := ip.Prefix(min(ip.BitLen(), 64))
	if err != nil {
		return netip.Prefix{} // cannot happen: the number of bits fits
	}
	return p
}

// Accept returns the next connection for which there is a place.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if n := l.admit(c); n != nil {
			return n, nil
		}
		_ = c.Close() // nothing was written to it
	}
}

// Know says that the peer at address has authenticated itself.
func (l *Listener) Know(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.conns[address]; c != nil {
		c.known = true
	}
}

// admit returns nil if there is no place.
func (l *Listener) admit(raw net.Conn) net.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.conns) >= l.most {
		out := l.stranger()
		if out == nil {
			return nil
		}
		delete(l.conns, out.at)
		_ = out.Conn.Close() // its reader gets the error
	}
	l.last++
	at := raw.RemoteAddr().String()
	c := &conn{Conn: raw, of: l, at: at, peer: Peer(at), since: l.last}
	l.conns[at] = c
	return c
}

// stranger is the connection that gives way; nil: there is none.
func (l *Listener) stranger() *conn {
	count := make(map[netip.Prefix]int)
	for _, c := range l.conns {
		if !c.known {
			count[c.peer]++
		}
	}
	var out *conn
	for _, c := range l.conns {
		switch {
		case c.known:
		case out == nil, count[c.peer] > count[out.peer], count[c.peer] == count[out.peer] && c.since < out.since:
			out = c
		}
	}
	return out
}

// Close gives the place back.
func (c *conn) Close() error {
	c.of.mu.Lock()
	if c.of.conns[c.at] == c {
		delete(c.of.conns, c.at)
	}
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite ends one direction.
func (c *conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return net.ErrClosed
	}
	return half.CloseWrite()
}
