package llmtest

import (
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// WyomingFault is a way to misbehave once a request has come.
type WyomingFault int

// The faults.
const (
	WyomingGood           WyomingFault = iota
	WyomingSilent                      // read everything, answer nothing
	WyomingDeaf                        // read nothing more, answer nothing
	WyomingCloses                      // close the connection
	WyomingClosesMidway                // close it inside a message
	WyomingEndlessLine                 // send a line without end
	WyomingNegativeLength              // announce a payload of -1 bytes
	WyomingHugeLength                  // announce a payload of 2^40 bytes
	WyomingChatters                    // send pings without end
	WyomingComplains                   // answer an error event that repeats the text
)

// WyomingScript is what a server does.
type WyomingScript struct {
	Fault WyomingFault

	Transcript string
	Pieces     []string // streamed before the transcript, as transcript-chunk
	NoFinal    bool     // stream the pieces and send no transcript after them
	Early      bool     // give the transcript at the first audio, not at its end

	Rate   int      // of the speech
	Speech [][]byte // PCM as the audio-chunks carry it

	Wake []WyomingWake // words of the wake service; without any there is none

	// Pace, unless nil, holds each audio-chunk until something is received.
	Pace <-chan struct{}
}

// WyomingWake is a word that the wake service finds.
type WyomingWake struct {
	Name    string
	At      []int // after so many samples since audio-start
	Untimed bool  // tell no timestamp
}

// Wyoming is a server of the Wyoming protocol with an asr and a tts service, as
// wyoming-faster-whisper and wyoming-piper behave together, and a wake service,
// as wyoming-openwakeword behaves, except that it answers error to messages that
// they ignore: those of an unknown type and audio-chunk outside of an utterance.
type Wyoming struct {
	Address string // as a client's options take it

	tb       testing.TB
	script   WyomingScript
	listener net.Listener
	running  sync.WaitGroup

	quit chan struct{}

	mu       sync.Mutex
	closed   bool
	conns    []net.Conn
	requests []WyomingRequest
}

// WyomingRequest is a transcribe or synthesize that was read to its end, or a
// detect or the audio-start of its stream.
type WyomingRequest struct {
	Type  string
	Data  map[string]any
	Audio []byte // of the utterance
}

// NewWyoming starts a server on a TCP port of the loopback interface. It is
// closed when the test ends.
func NewWyoming(tb testing.TB, script WyomingScript) *Wyoming {
	return newWyoming(tb, script, "tcp", "127.0.0.1:0", "")
}

// NewWyomingUnix starts a server on a unix socket.
func NewWyomingUnix(tb testing.TB, script WyomingScript) *Wyoming {
	return newWyoming(tb, script, "unix", filepath.Join(tb.TempDir(), "wyoming.sock"), "unix:")
}

// NewWyomingPipe starts a server that Pipe connects to, without a network, so
// that it can live in the bubble of a synctest. Its Address is empty.
func NewWyomingPipe(tb testing.TB, script WyomingScript) *Wyoming {
	tb.Helper()
	s := &Wyoming{tb: tb, script: script, quit: make(chan struct{})}
	tb.Cleanup(s.Close)
	return s
}

// Pipe connects to the server. A server that was closed refuses.
func (s *Wyoming) Pipe() (net.Conn, error) {
	client, c := net.Pipe()
	if !s.serve(c) {
		return nil, net.ErrClosed
	}
	return client, nil
}

func newWyoming(tb testing.TB, script WyomingScript, network, address, prefix string) *Wyoming {
	tb.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		tb.Fatal(err)
	}
	s := &Wyoming{Address: prefix + l.Addr().String(), tb: tb, script: script, listener: l, quit: make(chan struct{})}
	s.running.Go(s.accept)
	tb.Cleanup(s.Close)
	return s
}

func (s *Wyoming) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		if !s.serve(c) {
			return
		}
	}
}

// serve starts the goroutine of a connection, unless the server is closed.
func (s *Wyoming) serve(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return false
	}
	s.conns = append(s.conns, c)
	s.running.Go(func() {
		defer c.Close()
		newWyomingPeer(s, c).serve()
	})
	return true
}

// Close ends the server and its connections, and waits for them.
func (s *Wyoming) Close() {
	s.mu.Lock()
	if !s.closed {
		close(s.quit)
	}
	s.closed = true
	if s.listener != nil {
		s.listener.Close()
	}
	for _, c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.running.Wait()
}

// Requests returns what was asked so far.
func (s *Wyoming) Requests() []WyomingRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Wyoming) record(r WyomingRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
}

// errLeave ends a connection.
var errLeave = errors.New("leave")

// info is what wyoming-faster-whisper and wyoming-piper say of themselves, cut
// to what the protocol requires.
func (s *Wyoming) info() map[string]any {
	service := func(name, model string) []any {
		by := map[string]any{"name": "llmtest", "url": "http://localhost"}
		return []any{map[string]any{
			"name": name, "attribution": by, "installed": true, "description": nil, "version": "1",
			model: []any{map[string]any{
				"name": "test", "attribution": by, "installed": true, "description": nil, "version": "1",
				"languages": []string{"en"},
			}},
		}}
	}
	info := map[string]any{"asr": service("whisper", "models"), "tts": service("piper", "voices")}
	if s.script.Wake != nil {
		info["wake"] = []any{map[string]any{"name": "openwakeword", "models": s.wakeModels()}}
	}
	return info
}

// wyomingHeader is the line of a message.
type wyomingHeader struct {
	Type          string         `json:"type"`
	Version       string         `json:"version"`
	Data          map[string]any `json:"data,omitempty"`
	DataLength    *int           `json:"data_length,omitempty"`
	PayloadLength *int           `json:"payload_length,omitempty"`
}

// encodeWyoming writes a message as the reference implementation does.
func encodeWyoming(kind string, data map[string]any, payload []byte) []byte {
	h := wyomingHeader{Type: kind, Version: "1.9.0"}
	var block []byte
	if len(data) > 0 {
		block, _ = json.Marshal(data) // maps of plain values always encode
		n := len(block)
		h.DataLength = &n
	}
	if n := len(payload); n > 0 {
		h.PayloadLength = &n
	}
	line, _ := json.Marshal(h)
	return slices.Concat(line, []byte("\n"), block, payload)
}
