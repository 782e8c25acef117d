// Package web serves the console to browsers: the page, which is embedded, and the
// control API behind the checks that a browser needs. It knows who may come in, and
// nothing of what the API does. Run's goroutine waits for those of the HTTP server. It
// keeps only the sessions and the counters of the limits. It must import nothing of
// hearthd but the control API and the bounds on visitors.
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hearthd/daemon/visitors"
)

// retryPause is the pause before an address that is in use is tried again.
const retryPause = 10 * time.Second

// maxVisitors bounds the connections that are open at once: twenty tabs of a browser, each with a WebSocket, and as
// many again for strangers.
const maxVisitors = 128

// minToken is the shortest token, in bytes.
const minToken = 16

// Options are what the console works with.
type Options struct {
	Listen string // HOST:PORT
	// Hosts are names, in lower case, by which a browser may reach the page, beside addresses
	// and localhost.
	Hosts []string
	Token string // what opens the console
	// Sessions is the file of the logged-in browsers; empty: their sessions end with the process.
	Sessions string
	// CertFile and KeyFile are for https; empty: http.
	CertFile, KeyFile string
	API               http.Handler // the control API
	// More are further paths behind the same checks, such as /metrics.
	More map[string]http.Handler
	// Calls handles POST /v1/talk. A call that it starts ends when leave is closed. It may be nil.
	Calls func(w http.ResponseWriter, r *http.Request, leave <-chan struct{})
	// Changed is called with the addresses of the page, or with the reason why there is none.
	Changed func(urls []string, err error)
	Log     *slog.Logger
}

// Server is the console.
type Server struct {
	opt   Options
	calls *limits // requests of each session
	cert  *certificate
	mux   *http.ServeMux
	door  atomic.Pointer[visitors.Listener] // of the open server, if it is

	sessions *sessions
}

// New checks the options and reads the sessions and the certificate.
func New(opt Options) (*Server, error) {
	if opt.Listen == "" || opt.API == nil || opt.Changed == nil || opt.Log == nil {
		return nil, errors.New("new console: a part is missing")
	}
	if len(opt.Token) < minToken {
		return nil, fmt.Errorf("new console: the token has less than %d characters", minToken)
	}
	s := &Server{opt: opt, calls: newLimits(callsAtOnce, callsPerSecond)}
	var err error
	if s.sessions, err = openSessions(opt.Sessions, opt.Token, time.Now()); err != nil {
		opt.Log.Warn("sessions lost", "component", "console", "error", err)
	}
	if opt.CertFile != "" {
		s.cert = &certificate{files: [2]string{opt.CertFile, opt.KeyFile}}
		if _, err := s.cert.get(nil); err != nil {
			return nil, fmt.Errorf("new console: %w", err)
		}
	}
	s.mux = s.routes()
	return s, nil
}

// Run serves until ctx ends. If the address cannot be opened it tries again.
func (s *Server) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := s.serve(ctx)
		if ctx.Err() != nil {
			return nil
		}
		s.opt.Changed(nil, err)
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
	return nil
}

func (s *Server) serve(ctx context.Context) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.opt.Listen)
	if err != nil {
		return err
	}
	s.opt.Changed(s.urls(l.Addr()), nil)
	var secure *tls.Config
	if s.cert != nil {
		secure = &tls.Config{GetCertificate: s.cert.get, MinVersion: tls.VersionTLS12}
	}
	door := visitors.New(l, maxVisitors)
	s.door.Store(door)
	return visitors.Serve(ctx, door, secure, s, s.opt.Log.With("component", "console"))
}

// know marks a connection that has shown a session or a token: it will not give way to strangers.
func (s *Server) know(address string) {
	if door := s.door.Load(); door != nil {
		door.Know(address)
	}
}

// urls are the addresses of the page; if it listens on every address, one for each address of
// this host. The names of this host are not among them if it listens on loopback only.
func (s *Server) urls(at net.Addr) []string {
	scheme := "http://"
	if s.cert != nil {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return nil // cannot happen: net made the address
	}
	ip := net.ParseIP(host)
	var list []string
	for _, name := range s.opt.Hosts {
		if !ip.IsLoopback() || !slices.Contains(Names(), name) {
			list = append(list, scheme+net.JoinHostPort(name, port)+"/")
		}
	}
	if ip == nil || !ip.IsUnspecified() {
		return append([]string{scheme + net.JoinHostPort(host, port) + "/"}, list...)
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return list
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			list = append(list, scheme+net.JoinHostPort(n.IP.String(), port)+"/")
		}
	}
	return list
}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	routePage(mux)
	mux.HandleFunc("GET "+sessionPath, s.session)
	mux.HandleFunc("POST "+sessionPath, s.login)
	mux.HandleFunc("DELETE "+sessionPath, s.logout)
	for _, path := range apiPaths() {
		mux.Handle(path, s.inside(s.opt.API))
	}
	for path, h := range s.opt.More {
		mux.Handle(path, s.inside(h))
	}
	if s.opt.Calls != nil {
		mux.Handle("POST /v1/talk", s.inside(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var over chan struct{} // nil for a program, which hangs up itself
			if g, _ := s.admitted(r); g.session != nil {
				over = g.session.over
			}
			s.opt.Calls(w, r, over)
		})))
	}
	return mux
}

// apiPaths are the paths of the API for the page and for programs that have the token. What
// tells the token, copies the whole state or installs what somebody names is only on the control
// socket.
func apiPaths() []string {
	return []string{
		"/v1/status", "/v1/live", "/v1/events", "/v1/meter", "/v1/turns", "/v1/turns/{turn}/sound",
		"/v1/turns/erase", "/v1/log", "/v1/config", "/v1/reload", "/v1/ask", "/v1/say", "/v1/announce",
		"/v1/listen", "/v1/stop", "/v1/mute", "/v1/volume", "/v1/policy", "/v1/dnd", "/v1/timers", "/v1/media",
		"/v1/timers/cancel", "/v1/lists", "/v1/memory", "/v1/memory/forget", "/v1/thinkers", "/v1/devices",
		"/v1/devices/entrance", "/v1/tools", "/v1/tools/run", "/v1/intents/try", "/v1/hearing",
		"/v1/engines", "/v1/engines/install",
	}
}

// Names are the names by which this host may be known in the local network.
func Names() []string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return nil
	}
	name = strings.ToLower(name)
	return []string{name, name + ".local"}
}
