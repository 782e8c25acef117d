package mqtt

import (
	"bufio"
	"errors"
	"net"
	"time"
)

// maxReceived bounds the body of one packet from the broker, in bytes. It holds
// the longest topic that MQTT knows and a recorded message, a command or a device
// document that is too long, so that the sender gets an answer and the document is
// named.
const maxReceived = 768 << 10

// errPacket says that what the peer sends is not MQTT that we asked for.
var errPacket = errors.New("the broker sent a packet that is too long or malformed")

// bounded is a connection to a broker that cannot make us take, or wait, without
// bound. The library allocates the length that a packet claims, up to 256 MiB,
// before the first byte of it came, and anybody on the broker can send us
// one; so a PUBLISH is shortened on its way in, and other long packets end the
// connection. Read is for one goroutine.
type bounded struct {
	net.Conn
	in   *bufio.Reader
	head []byte // header that is still to be handed out
	body int    // bytes of the packet that follow it
	skip int    // bytes to be discarded after those
}

func newBounded(c net.Conn) *bounded {
	return &bounded{Conn: c, in: bufio.NewReader(c)}
}

// Write has a deadline, which the library sets for some packets only.
func (c *bounded) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(ackLimit)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Read hands out packets, of at most maxReceived bytes each.
func (c *bounded) Read(p []byte) (int, error) {
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

// next discards what is left of the last packet and reads a header (MQTT 3.1.1,
// 2.2: a type, and a length of at most four bytes with seven bits each).
func (c *bounded) next() error {
	n, err := c.in.Discard(c.skip)
	c.skip -= n
	if err != nil {
		return err
	}
	kind, err := c.in.ReadByte()
	if err != nil {
		return err
	}
	length := 0
	for i := 0; ; i++ {
		if i == 4 {
			return errPacket
		}
		b, err := c.in.ReadByte()
		if err != nil {
			return err
		}
		length |= int(b&0x7f) << (7 * i)
		if b&0x80 == 0 {
			break
		}
	}
	const publish = 3
	if length > maxReceived {
		if kind>>4 != publish {
			return errPacket
		}
		c.skip, length = length-maxReceived, maxReceived
	}
	c.body = length
	c.head = append(c.head[:0], kind)
	for {
		b := byte(length & 0x7f)
		if length >>= 7; length == 0 {
			c.head = append(c.head, b)
			return nil
		}
		c.head = append(c.head, b|0x80)
	}
}
