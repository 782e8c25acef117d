package esphome

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"time"

	"github.com/flynn/noise"
	"google.golang.org/protobuf/encoding/protowire"
)

const (
	// maxBody bounds a message in bytes: what fits into a frame of Noise.
	maxBody = math.MaxUint16 - noiseHead - 16
	// noiseHead is the number and the length of a message, inside of a frame.
	noiseHead = 4
	// greets bounds the time of the handshake, writes that of a write, and silent that without a message: Home
	// Assistant asks every 20 s whether we are there.
	greets = 10 * time.Second
	writes = 10 * time.Second
	silent = 90 * time.Second
	// The first byte of a frame.
	plainFrame, noiseFrame = 0, 1
)

var (
	errFrame   = errors.New("a frame cannot be read")
	errPlain   = errors.New("it did not encrypt")
	errEncrypt = errors.New("it encrypts, and there is no key")
	errKey     = errors.New("it has another key")
)

// Key reads a key as ESPHome writes it: 32 bytes in base64.
func Key(text string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != 32 {
		return nil, errors.New("the key is not 32 bytes in base64, such as `openssl rand -base64 32` prints")
	}
	return key, nil
}

// link is a connection that carries messages. One goroutine reads, one writes.
type link struct {
	net.Conn
	in            *bufio.Reader
	sends, opened *noise.CipherState // nil: it is plain
}

func newLink(c net.Conn) *link { return &link{Conn: c, in: bufio.NewReader(c)} }

// greet takes a connection. With a key it must encrypt; hello is what a client learns before.
func greet(c net.Conn, key, hello []byte) (*link, error) {
	l := newLink(c)
	if err := c.SetDeadline(time.Now().Add(greets)); err != nil {
		return nil, err
	}
	first, err := l.in.Peek(1)
	switch {
	case err != nil:
		return nil, err
	case first[0] == plainFrame && key == nil:
		return l, c.SetDeadline(time.Time{})
	case first[0] == plainFrame: // this tells it that it has to encrypt
		return nil, errors.Join(errPlain, l.writeFrame([]byte("\x01it has to encrypt")))
	case first[0] == noiseFrame && key == nil:
		_, err = c.Write([]byte{plainFrame, 0, 0, 0})
		return nil, errors.Join(errEncrypt, err)
	case first[0] != noiseFrame:
		return nil, errFrame
	}
	if err := l.handshake(key, hello); err != nil {
		return nil, err
	}
	return l, c.SetDeadline(time.Time{})
}

// handshake is the responder's part of Noise_NNpsk0_25519_ChaChaPoly_SHA256, with the frames of ESPHome.
func (l *link) handshake(key, hello []byte) error {
	greeting, err := l.readFrame()
	if err != nil {
		return err
	}
	prologue := binary.BigEndian.AppendUint16([]byte("NoiseAPIInit"), uint16(len(greeting)))
	hs, err := noise.NewHandshakeState(noise.Config{
		CipherSuite: noise.NewCipherSuite(noise.DH25519, noise.CipherChaChaPoly, noise.HashSHA256),
		Pattern:     noise.HandshakeNN, Prologue: append(prologue, greeting...), PresharedKey: key,
	})
	if err != nil {
		return fmt.Errorf("begin handshake: %w", err)
	}
	if err := l.writeFrame(append([]byte{1}, hello...)); err != nil { // 1: the protocol that was chosen
		return err
	}
	asks, err := l.readFrame()
	if err != nil {
		return err
	}
	if len(asks) == 0 || asks[0] != 0 {
		return errFrame
	}
	if _, _, _, err := hs.ReadMessage(nil, asks[1:]); err != nil {
		return errors.Join(errKey, l.writeFrame([]byte("\x01Handshake MAC failure")))
	}
	var answer []byte
	if answer, l.opened, l.sends, err = hs.WriteMessage([]byte{0}, nil); err != nil {
		return fmt.Errorf("answer handshake: %w", err)
	}
	return l.writeFrame(answer)
}

// readFrame reads a frame of Noise.
func (l *link) readFrame() ([]byte, error) {
	var head [3]byte
	if _, err := io.ReadFull(l.in, head[:]); err != nil {
		return nil, err
	}
	if head[0] != noiseFrame {
		return nil, errFrame
	}
	frame := make([]byte, binary.BigEndian.Uint16(head[1:]))
	_, err := io.ReadFull(l.in, frame)
	return frame, err
}

func (l *link) writeFrame(frame []byte) error {
	_, err := l.Write(append([]byte{noiseFrame, byte(len(frame) >> 8), byte(len(frame))}, frame...))
	return err
}

// read gives the next message.
func (l *link) read() (kind uint64, body []byte, err error) {
	if err := l.SetReadDeadline(time.Now().Add(silent)); err != nil {
		return 0, nil, err
	}
	if l.opened == nil {
		return l.readPlain()
	}
	frame, err := l.readFrame()
	if err != nil {
		return 0, nil, err
	}
	if frame, err = l.opened.Decrypt(nil, nil, frame); err != nil || len(frame) < noiseHead {
		return 0, nil, errFrame
	}
	return uint64(binary.BigEndian.Uint16(frame)), frame[noiseHead:], nil
}

func (l *link) readPlain() (kind uint64, body []byte, err error) {
	first, err := l.in.ReadByte()
	if err != nil {
		return 0, nil, err
	}
	size, err := binary.ReadUvarint(l.in)
	if err != nil || first != plainFrame || size > maxBody {
		return 0, nil, errors.Join(errFrame, err)
	}
	if kind, err = binary.ReadUvarint(l.in); err != nil {
		return 0, nil, errors.Join(errFrame, err)
	}
	body = make([]byte, size)
	_, err = io.ReadFull(l.in, body)
	return kind, body, err
}

// write sends a message of at most maxBody bytes.
func (l *link) write(kind uint64, body []byte) error {
	if err := l.SetWriteDeadline(time.Now().Add(writes)); err != nil {
		return err
	}
	if l.sends == nil {
		frame := protowire.AppendVarint([]byte{plainFrame}, uint64(len(body)))
		_, err := l.Write(append(protowire.AppendVarint(frame, kind), body...))
		return err
	}
	head := binary.BigEndian.AppendUint16(nil, uint16(kind))
	head = binary.BigEndian.AppendUint16(head, uint16(len(body)))
	frame, err := l.sends.Encrypt(nil, nil, append(head, body...))
	if err != nil {
		return fmt.Errorf("encrypt message: %w", err)
	}
	return l.writeFrame(frame)
}
