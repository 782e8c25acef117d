package mqtt

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"testing/iotest"

	"github.com/eclipse/paho.mqtt.golang/packets"
)

// replay is a connection whose peer has sent in.
type replay struct {
	net.Conn
	in io.Reader
}

func (r *replay) Read(p []byte) (int, error) { return r.in.Read(p) }

func publication(t testing.TB, topic string, payload int) []byte {
	p := packets.NewControlPacket(packets.Publish).(*packets.PublishPacket)
	p.TopicName, p.Qos, p.MessageID, p.Payload = topic, 1, 9, bytes.Repeat([]byte("a"), payload)
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBoundedShortensWhatIsTooLong(t *testing.T) {
	var in []byte
	sizes := []int{0, 10, 200, 20_000, maxReceived, 1 << 20, 5}
	for _, n := range sizes {
		in = append(in, publication(t, "hearth/kitchen/set/say", n)...)
	}
	for what, r := range map[string]io.Reader{"at once": bytes.NewReader(in),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(in))} {
		c := limitPackets(&replay{in: r})
		for _, n := range sizes {
			p, err := packets.ReadPacket(c)
			if err != nil {
				t.Fatalf("%s: packet with %d bytes: %v", what, n, err)
			}
			got := p.(*packets.PublishPacket)
			const overhead = 2 + len("hearth/kitchen/set/say") + 2 // lengths of topic and packet id
			if want := min(n, maxReceived-overhead); len(got.Payload) != want || got.MessageID != 9 {
				t.Errorf("%s: packet with %d bytes came with %d, want %d", what, n, len(got.Payload), want)
			}
		}
		if _, err := packets.ReadPacket(c); !errors.Is(err, io.EOF) {
			t.Errorf("%s: after the last packet: %v", what, err)
		}
	}
}

func TestBoundedRefusesWhatNobodyAskedFor(t *testing.T) {
	for what, in := range map[string]string{
		"a long SUBACK":          "\x90\xff\xff\xff\x7f",
		"a length of five bytes": "\x30\xff\xff\xff\xff\x01",
	} {
		if _, err := limitPackets(&replay{in: bytes.NewReader([]byte(in))}).Read(make([]byte, 1)); !errors.Is(err,
			errPacket) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func FuzzBounded(f *testing.F) {
	f.Add(publication(f, "a", 3))
	f.Add([]byte("\x30\xff\xff\xff\x7f\x00\x01a"))
	f.Add([]byte("\x20\x02\x00\x00\x90\x03\x00\x01\x01\xd0\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := io.ReadAll(limitPackets(&replay{in: bytes.NewReader(in)}))
		if err != nil && !errors.Is(err, errPacket) {
			t.Errorf("read: %v", err)
		}
		if len(out) > len(in) {
			t.Errorf("%d bytes came out of %d", len(out), len(in))
		}
		c := limitPackets(&replay{in: bytes.NewReader(in)})
		for {
			p, err := packets.ReadPacket(c) // what the library does with it
			if err != nil {
				return
			}
			if m, ok := p.(*packets.PublishPacket); ok && len(m.Payload) > maxReceived {
				t.Errorf("took a payload of %d bytes", len(m.Payload))
			}
		}
	})
}
