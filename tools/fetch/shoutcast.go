package fetch

import (
	"bytes"
	"context"
	"io"
	"net"
)

// dial connects with d, to old radio servers too.
func dial(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &shoutcast{Conn: conn}, nil
	}
}

// shoutcast is a connection whose server may begin its answer with "ICY 200 OK", as SHOUTcast 1 does, which is no HTTP.
type shoutcast struct {
	net.Conn
	begun bool
}

// Read implements net.Conn.
func (c *shoutcast) Read(p []byte) (int, error) {
	const icy, http = "ICY ", "HTTP/1.0 "
	if c.begun || len(p) < len(http) {
		return c.Conn.Read(p)
	}
	c.begun = true
	n, err := io.ReadAtLeast(c.Conn, p[:len(p)-len(http)], len(icy))
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	if rest, ok := bytes.CutPrefix(p[:n], []byte(icy)); ok {
		n = copy(p[len(http):], rest) + copy(p, http)
	}
	return n, err
}
