package mqtt

import (
	"bufio"
	"encoding/binary"
	"errors"
	"net"
	"time"
)

// maxReceived bounds the body of one packet from the broker, in bytes. It has room for
// the longest topic of MQTT and a recorded message, and for a command or a device
// document a little beyond its own limit, so that the mistake can be answered or
// named.
const maxReceived = 768 << 10

// errPacket says that the broker sent what a client never asks for.
var errPacket = errors.New("the broker sent a packet that is too long or malformed")

// packetLimit is a connection on which neither the size of a packet nor a write is
// unbounded. The library allocates the length that a packet claims, up to 256 MiB,
// before the first byte of it has come, and anybody on the broker can send one. So a
// long PUBLISH is cut while it is read, and any other long packet ends the connection.
// Read is for one goroutine.
type packetLimit struct {
	net.Conn
	in   *bufio.Reader
	head []byte // what Read has still to return of the header
	body int    // bytes of the packet that follow it
	skip int    // bytes after those that are cut off
}

func limitPackets(c net.Conn) *packetLimit {
	return &packetLimit{Conn: c, in: bufio.NewReader(c)}
}

// Write sets a deadline, which the library does for some packets only.
func (c *packetLimit) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(ackLimit)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Read returns packets with bodies of at most maxReceived bytes.
func (c *packetLimit) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(c.head) == 0 && c.body == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	if len(c.head) > 0 {
		n := copy(p, c.head)
		c.head = c.head[n:]
		return n, nil
	}
	n, err := c.in.Read(p[:min(len(p), c.body)])
	c.body -= n
	return n, err
}

// next skips the rest of the last packet and reads a header (MQTT 3.1.1, 2.2: a type, and a length of at most four
// bytes with seven bits each, as of encoding/binary).
func (c *packetLimit) next() error {
	n, err := c.in.Discard(c.skip)
	c.skip -= n
	if err != nil {
		return err
	}
	kind, err := c.in.ReadByte()
	if err != nil {
		return err
	}
	const longest, publish = 1<<28 - 1, 3
	length, err := binary.ReadUvarint(c.in)
	if err != nil || length > longest || length > maxReceived && kind>>4 != publish {
		return errors.Join(errPacket, err)
	}
	c.body = int(min(length, maxReceived))
	c.skip = int(length) - c.body
	c.head = binary.AppendUvarint(append(c.head[:0], kind), uint64(c.body))
	return nil
}
