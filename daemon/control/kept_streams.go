package control

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"time"
)

// keep hands the connection of a stream over for the next process. The answer is left unfinished:
// its reader notices nothing but a pause.
func (s *Server) keep(st *stream) {
	if s.opt.Keep == nil {
		return
	}
	c, _, err := st.out.Hijack()
	if err != nil {
		return // a stream of HTTP/2, or one that is closed
	}
	defer c.Close()
	plain := c
	if limited, ok := c.(*slotted); ok {
		plain = limited.Conn
	}
	unix, ok := plain.(*net.UnixConn)
	if !ok {
		return // a page of the console, which connects again by itself
	}
	if err := s.opt.Keep(unix); err != nil {
		s.opt.Log.Debug("keep stream", "component", "control", "error", err)
	}
}

// resume continues a stream of an earlier process.
func (s *Server) resume(ctx context.Context, c net.Conn) {
	defer c.Close()
	st, ok := s.newStream(patient{httputil.NewChunkedWriter(c), resumed{c}}, make(http.Header))
	if !ok {
		return
	}
	defer st.close()
	ctx, gone := context.WithCancel(ctx)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer gone()
		_, _ = io.Copy(io.Discard, c) // ends when the reader hangs up, or below
	})
	s.follow(ctx, st)
	_ = c.SetReadDeadline(time.Now()) // fails only for a connection that is closed, which does no harm
	reader.Wait()
}

// resumed is the connection of a chunked answer whose header an earlier process has sent.
type resumed struct{ net.Conn }

func (resumed) Flush() error { return nil }

// Hijack hands the connection on once more, when this server ends too.
func (r resumed) Hijack() (net.Conn, *bufio.ReadWriter, error) { return r.Conn, nil, nil }
