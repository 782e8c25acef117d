package control

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"hearthd/daemon/refusal"
)

const (
	// maxStreams leaves half of the connections to commands.
	maxStreams = maxClients / 2
	// streamBeat keeps a quiet stream open and notices a reader that is gone.
	streamBeat = 15 * time.Second
)

// patient is an answer that may take long as a whole, but not in any single piece.
type patient struct {
	w   io.Writer
	out connection
}

// connection is an http.ResponseController, or the connection that an earlier process left.
type connection interface {
	SetWriteDeadline(t time.Time) error
	Flush() error
	Hijack() (net.Conn, *bufio.ReadWriter, error)
}

func (p patient) Write(b []byte) (int, error) {
	if err := p.out.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return 0, err
	}
	return p.w.Write(b)
}

// stream is one answer that continues: server-sent events, or a backup. It belongs to its request's
// goroutine.
type stream struct {
	patient
	s      *Server
	header http.Header
	beat   *time.Ticker
	ok     bool // the reader is still there
}

// stream takes a place among the streams, and otherwise answers that there is none.
func (s *Server) stream(w http.ResponseWriter) (*stream, bool) {
	st, ok := s.newStream(patient{w, http.NewResponseController(w)}, w.Header())
	if !ok {
		answer(w, http.StatusServiceUnavailable, refusal.Failure{Error: "too many streams are open"})
	}
	return st, ok
}

func (s *Server) newStream(to patient, header http.Header) (*stream, bool) {
	select {
	case s.streams <- struct{}{}:
		return &stream{patient: to, s: s, header: header, beat: time.NewTicker(streamBeat)}, true
	default:
		return nil, false
	}
}

func (st *stream) close() {
	st.beat.Stop()
	<-st.s.streams
}

// begin sends the header and a first line, so that the reader knows that the stream is open.
func (st *stream) begin() {
	st.header.Set("Content-Type", "text/event-stream")
	st.header.Set("Cache-Control", "no-store")
	st.send(": hearthd\n\n")
}

// send writes text, which ends in an empty line.
func (st *stream) send(text string) {
	_, err := io.WriteString(st, text)
	st.ok = err == nil && st.out.Flush() == nil
}

// data sends v as the JSON of an event.
func (st *stream) data(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		st.s.opt.Log.Error("encode event", "component", "control", "error", err)
		return
	}
	st.send(fmt.Sprintf("data: %s\n\n", data))
}
