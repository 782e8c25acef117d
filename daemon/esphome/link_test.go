package esphome

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/flynn/noise"
)

// wire is a connection on which a client has sent some bytes and then left.
type wire struct {
	net.Conn
	io.Reader
	sent bytes.Buffer
}

func (w *wire) Read(p []byte) (int, error)       { return w.Reader.Read(p) }
func (w *wire) Write(p []byte) (int, error)      { return w.sent.Write(p) }
func (w *wire) SetDeadline(time.Time) error      { return nil }
func (w *wire) SetReadDeadline(time.Time) error  { return nil }
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

var testKey = bytes.Repeat([]byte{7}, 32)

// initiate is the client's part of the handshake; it reads as a client does afterwards.
func initiate(t *testing.T, c net.Conn, key []byte) (*link, string) {
	t.Helper()
	l := newLink(c)
	hs, err := noise.NewHandshakeState(noise.Config{
		CipherSuite: noise.NewCipherSuite(noise.DH25519, noise.CipherChaChaPoly, noise.HashSHA256),
		Pattern:     noise.HandshakeNN, Initiator: true, Prologue: []byte("NoiseAPIInit\x00\x00"), PresharedKey: key,
	})
	check(t, err)
	ask, _, _, err := hs.WriteMessage([]byte{0}, nil)
	check(t, err)
	check(t, l.writeFrame(nil))
	check(t, l.writeFrame(ask))
	hello, err := l.readFrame()
	check(t, err)
	answer, err := l.readFrame()
	check(t, err)
	if answer[0] != 0 {
		return nil, string(answer[1:])
	}
	_, l.sends, l.opened, err = hs.ReadMessage(nil, answer[1:])
	check(t, err)
	return l, string(hello)
}

// pair is both ends of a connection; a net.Pipe has no room for two that write at once.
func pair(t *testing.T) (here, there net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer l.Close()
	here, err = net.Dial("tcp", l.Addr().String())
	check(t, err)
	there, err = l.Accept()
	check(t, err)
	t.Cleanup(func() {
		_ = here.Close()
		_ = there.Close()
	})
	return here, there
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMessagesCrossALinkPlainAndEncrypted(t *testing.T) {
	for _, key := range [][]byte{nil, testKey} {
		here, there := pair(t)
		greeted := make(chan *link, 1)
		go func() {
			l, err := greet(there, key, []byte("demo\x00"))
			if err != nil {
				t.Error(err)
			}
			greeted <- l
		}()
		l := newLink(here)
		if key != nil {
			var hello string
			if l, hello = initiate(t, here, key); hello != "\x01demo\x00" {
				t.Errorf("hello %q", hello)
			}
		}
		long := strings.Repeat("x", maxBody)
		go func() {
			for _, m := range []string{"", "a", long} {
				if err := l.write(voiceAudio, []byte(m)); err != nil {
					t.Error(err)
				}
			}
		}()
		server := <-greeted // which waits for the first byte
		for _, want := range []string{"", "a", long} {
			kind, body, err := server.read()
			if err != nil || kind != voiceAudio || string(body) != want {
				t.Errorf("%d %d bytes, %v", kind, len(body), err)
			}
		}
		go func() {
			if err := server.write(pingRequest, []byte("b")); err != nil {
				t.Error(err)
			}
		}()
		if kind, body, err := l.read(); err != nil || kind != pingRequest || string(body) != "b" {
			t.Errorf("%d %q %v", kind, body, err)
		}
	}
}

func TestWhoHasNotTheKeyIsToldSo(t *testing.T) {
	here, there := pair(t)
	refused := make(chan error, 1)
	go func() {
		_, err := greet(there, testKey, nil)
		refused <- err
	}()
	if _, why := initiate(t, here, bytes.Repeat([]byte{8}, 32)); why != "Handshake MAC failure" {
		t.Errorf("told %q", why)
	}
	if err := <-refused; !errors.Is(err, errKey) {
		t.Error(err)
	}
	for _, c := range []struct {
		key   []byte
		sends string
		want  error
		told  string // the beginning
	}{
		{testKey, "\x00\x00\x01", errPlain, "\x01"}, {nil, "\x01\x00\x00", errEncrypt, "\x00"}, {testKey, "GET / HTTP/1.1\r\n", errFrame, ""},
		{testKey, "\x01\x00\x00\x01\x00\x00", errFrame, "\x01"}, {testKey, "\x01\x00", io.ErrUnexpectedEOF, ""},
	} {
		w := &wire{Reader: strings.NewReader(c.sends)}
		if _, err := greet(w, c.key, nil); !errors.Is(err, c.want) || !strings.HasPrefix(w.sent.String(), c.told) {
			t.Errorf("%q: %v, told %q", c.sends, err, w.sent.String())
		}
	}
}

func TestFrameThatIsTooLongIsNotRead(t *testing.T) {
	l := newLink(&wire{Reader: strings.NewReader("\x00\xff\xff\x7f\x01")})
	if _, _, err := l.read(); !errors.Is(err, errFrame) {
		t.Error(err)
	}
}

func TestKeyIsWhatESPHomeWrites(t *testing.T) {
	if key, err := Key("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="); err != nil || !bytes.Equal(key, testKey) {
		t.Errorf("%v %v", key, err)
	}
	for _, text := range []string{"", "BwcH", "not base64", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw"} {
		if _, err := Key(text); err == nil {
			t.Errorf("%q is a key", text)
		}
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x00\x02\x01ab\x00\x00\x07"), false)
	f.Add([]byte("\x01\x00\x00\x01\x00\x31\x00"+strings.Repeat("e", 48)), true)
	f.Add([]byte("\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), false)
	f.Fuzz(func(t *testing.T, sent []byte, encrypted bool) {
		var key []byte
		if encrypted {
			key = testKey
		}
		l, err := greet(&wire{Reader: bytes.NewReader(sent)}, key, []byte("demo\x00"))
		for err == nil {
			var body []byte
			if _, body, err = l.read(); len(body) > maxBody {
				t.Fatalf("a body of %d bytes", len(body))
			}
		}
		if encrypted && l != nil {
			t.Fatal("somebody without the key was let in")
		}
	})
}

func FuzzMessages(f *testing.F) {
	var m message
	m.text(1, "text")
	m.float(2, 0.5)
	m.number(3, 1<<40)
	f.Add([]byte(m))
	f.Add([]byte("\x0b\x0c"))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := parse(body)
		size := 0
		for _, all := range got.bytes {
			for _, b := range all {
				size += len(b)
			}
		}
		if size > len(body) || len(got.numbers) > maxFields {
			t.Fatalf("%d bytes, %d numbers of %d bytes: %v", size, len(got.numbers), len(body), err)
		}
		_, _ = percent(got.float(2))
	})
}

func TestFieldsAreReadAsTheyWereWritten(t *testing.T) {
	var m message
	m.text(1, "a")
	m.text(1, "b")
	m.number(2, 300)
	m.flag(3, true)
	m.fixed(4, 1<<31)
	m.float(5, 0.25)
	f, err := parse(m)
	if err != nil || f.text(1) != "b" || len(f.texts(1)) != 2 || f.numbers[2] != 300 || !f.flag(3) || f.numbers[4] != 1<<31 ||
		f.float(5) != 0.25 || f.text(9) != "" || f.flag(9) || f.float(9) != 0 {
		t.Errorf("%+v %v", f, err)
	}
	if _, err := parse(bytes.Repeat([]byte{0x08, 1}, maxFields+1)); err == nil {
		t.Error("a message with too many fields is read")
	}
}
