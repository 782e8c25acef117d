package visitors

import (
	"bytes"
	"context"
	"crypto/tls"
	logger "log"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	idleLimit = time.Minute
	maxHeader = 16 << 10 // bytes
)

// HeaderLimit is how long a client may take to send the header of a request.
const HeaderLimit = 5 * time.Second

// DrainLimit is for answers that are being written when Serve ends. Requests and streams end
// with the context; what is left are clients that neither send nor read.
const DrainLimit = 500 * time.Millisecond

// Serve answers requests on l with h until ctx ends, by TLS if secure is not nil; requests, streams
// and hijacked connections end with it. It closes l, which bounds the connections, and waits for
// every goroutine of the server.
func Serve(ctx context.Context, l net.Listener, secure *tls.Config, h http.Handler, log *slog.Logger) error {
	if secure != nil {
		l = tls.NewListener(l, secure) // outermost, because requests recognise TLS by their connection
	}
	var clients sync.WaitGroup // one for each connection of the server, and one for each request
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			clients.Add(1) // the connection counts already
			defer clients.Done()
			h.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: HeaderLimit,
		IdleTimeout:       idleLimit,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          logger.New(complaints{log}, "", 0),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnState: func(_ net.Conn, now http.ConnState) {
			switch now {
			case http.StateNew:
				clients.Add(1)
			case http.StateClosed, http.StateHijacked:
				clients.Done()
			}
		},
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		srv.Close()
		clients.Wait()
		return err
	case <-ctx.Done():
	}
	dctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), DrainLimit)
	defer cancel()
	if err := srv.Shutdown(dctx); err != nil {
		srv.Close() // cuts off the clients that the limit found
	}
	<-served
	clients.Wait()
	return nil
}

// complaints logs what the server reports: panics of handlers and trouble with the socket. A
// browser that ends a connection because it does not trust the certificate is no trouble.
type complaints struct{ log *slog.Logger }

func (c complaints) Write(text []byte) (int, error) {
	level := slog.LevelWarn
	if bytes.HasPrefix(text, []byte("http: TLS handshake error")) {
		level = slog.LevelDebug
	}
	c.log.Log(context.Background(), level, string(bytes.TrimSpace(text)))
	return len(text), nil
}
