package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearthd/llm/proc"
)

// transport opens the way to the server; end releases it, and may be called more than once.
func (s *server) transport(ctx context.Context) (t mcp.Transport, end func(), err error) {
	if s.URL == "" {
		return s.program(ctx)
	}
	client, err := s.http()
	if err != nil {
		return nil, nil, err
	}
	if u, _ := url.Parse(s.URL); strings.HasSuffix(u.Path, "/sse") {
		t = &mcp.SSEClientTransport{Endpoint: s.URL, HTTPClient: client, MaxEventSize: maxMessage}
		return t, client.CloseIdleConnections, nil
	}
	return &mcp.StreamableClientTransport{
		Endpoint: s.URL, HTTPClient: client, MaxEventSize: maxMessage,
	}, client.CloseIdleConnections, nil
}

// program starts a server that is a program. end closes its input, gives it time to exit, and
// ends its process group.
func (s *server) program(ctx context.Context) (mcp.Transport, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	env := proc.Inherit()
	if s.SecretIn != "" {
		env = append(env, s.SecretIn+"="+s.Secret)
	}
	cmd := proc.Group(ctx, s.Command, env)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, nil, fmt.Errorf("start server: %w", err)
	}
	// Not StdoutPipe, which must be read to its end before Wait.
	stdout, out := io.Pipe()
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, nil, fmt.Errorf("start server: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		out.CloseWithError(ending(proc.Finish(cmd)))
	}()
	end := sync.OnceFunc(func() {
		_ = stdin.Close()
		leave := time.NewTimer(leaveLimit)
		defer leave.Stop()
		select {
		case <-ended:
		case <-leave.C:
		}
		_ = stdout.Close() // who still writes is not read any more
		cancel()
		<-ended
	})
	return &mcp.IOTransport{Reader: stdout, Writer: stdin, MaxLineLength: maxMessage}, end, nil
}

// leaveLimit is how long a program may take to exit after its input is closed.
const leaveLimit = 2 * time.Second

// ending is what the reader of a program's output is told of its end.
func ending(err error) error {
	var status *exec.ExitError
	if err == nil || errors.As(err, &status) && status.ExitCode() == 0 {
		return io.EOF
	}
	return fmt.Errorf("the program ended: %w", err)
}

// http is a client that sends the secret, but only to the server's own host, and that bounds
// the size of messages.
func (s *server) http() (*http.Client, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, errors.New("parse address: it is not valid") // it may hold a key
	}
	base := &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, TLSHandshakeTimeout: 5 * time.Second,
		ResponseHeaderTimeout: s.Timeout + 5*time.Second, // a call's own deadline comes first, and says what it was
		IdleConnTimeout:       90 * time.Second, MaxIdleConnsPerHost: 2,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return &http.Client{
		Transport: &keyed{base: base, host: u.Host, server: &s.Server},
		CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			return errors.New("the server sends us elsewhere")
		},
	}, nil
}

// keyed adds the secret to requests and bounds the answers.
type keyed struct {
	base   *http.Transport
	host   string
	server *Server
}

func (k *keyed) CloseIdleConnections() { k.base.CloseIdleConnections() }

func (k *keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != k.host {
		return nil, errors.New("the server names an address of another host")
	}
	if k.server.Secret != "" {
		r = r.Clone(r.Context())
		if k.server.SecretIn == "" {
			r.Header.Set("Authorization", "Bearer "+k.server.Secret)
		} else {
			r.Header.Set(k.server.SecretIn, k.server.Secret)
		}
	}
	res, err := k.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	// The events of a stream are bounded one by one, by the library.
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		res.Body = http.MaxBytesReader(nil, res.Body, maxMessage)
	}
	return res, nil
}
