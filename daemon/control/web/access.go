package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"hearthd/daemon/visitors"
)

const (
	sessionPath = "/session"
	metricsPath = "/metrics"
	maxLogin    = 1 << 10 // bytes

	// wireLimit bounds the time to receive a request and to send its answer. Requests of the
	// API that take longer set their own deadlines.
	wireLimit = 10 * time.Second

	// Limits for each session: a page makes about twenty requests when it is opened, and a
	// browser that restores its windows may open twenty pages; tuning by hand sends a few
	// requests a second.
	callsAtOnce, callsPerSecond = 500, 50
	// wrongPause is how long the answer to a wrong token takes, so that nobody can guess more than maxVisitors
	// tokens in that time.
	wrongPause = time.Second
)

// policy lets the page load and run only its own files, and keeps it out of frames. That of the
// document also allows its style. No text may be turned into markup (require-trusted-types-for).
const policy = "default-src 'none'; script-src 'self'; style-src 'none'; img-src 'self' data:; connect-src 'self'; " +
	"media-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// ServeHTTP first of all refuses requests that another page may have made the browser send.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(self)")
	setDeadlines(w)
	switch {
	case !s.known(r.Host):
		// Otherwise a stranger could let a name of theirs point here, and their page would have our origin.
		refuse(w, http.StatusMisdirectedRequest,
			"this console is not known by the name that was asked for; console.hosts names more")
	case r.URL.Path != "/" && !fromPage(r):
		refuse(w, http.StatusForbidden, "another page asked for this")
	case r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json":
		refuse(w, http.StatusUnsupportedMediaType, "want application/json")
	default:
		s.mux.ServeHTTP(w, r)
	}
}

// setDeadlines bounds the time for sending and receiving: a request that never ends, or an answer
// that nobody reads, would occupy one of few connections.
func setDeadlines(w http.ResponseWriter) {
	conn, limit := http.NewResponseController(w), time.Now().Add(wireLimit)
	// They fail for a connection that is closed.
	_ = conn.SetReadDeadline(limit)
	_ = conn.SetWriteDeadline(limit)
}

// known reports whether host, as a browser asks for it, is a name of this console. Every
// address is accepted, because no DNS is involved.
func (s *Server) known(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	return host == "localhost" || slices.Contains(s.opt.Hosts, host)
}

// fromPage reports whether r comes from the page itself, or from no page at all. Browsers that
// do not send Sec-Fetch-Site send Origin with every request that changes something (Fetch
// standard, and Fetch Metadata of the W3C).
func fromPage(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}

// caller is who sent a request that may pass.
type caller struct {
	// who identifies it for the limits: the mark of a session, or the address of a program.
	who     string
	session *session // nil: a program
}

// inside serves h only to those who are logged in or have a token. Requests of a session end with it.
func (s *Server) inside(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		g, ok := s.admitted(r)
		if !ok {
			if carried(r) != "" {
				pause(r)
			}
			refuse(w, http.StatusUnauthorized, "the token is needed; hearthctl console shows it")
			return
		}
		s.know(r.RemoteAddr)
		if !s.calls.take(g.who) {
			refuse(w, http.StatusTooManyRequests, "too many requests; wait a moment")
			return
		}
		if g.session != nil {
			ctx, done := s.sessions.within(r.Context(), g.session)
			defer done()
			r = r.WithContext(ctx)
		}
		h.ServeHTTP(w, r)
	})
}

// admitted says who sent r, if it carries the secret of a session or, as programs do, the token. Only that counts: a
// right one passes, however many wrong ones came from the same address.
func (s *Server) admitted(r *http.Request) (c caller, ok bool) {
	text := carried(r)
	if text == "" {
		return c, false
	}
	if same(text, s.opt.Token) || r.URL.Path == metricsPath && same(text, MetricsToken(s.opt.Token)) {
		return caller{who: visitors.Peer(r.RemoteAddr).String()}, true
	}
	if one := s.sessions.find(text, time.Now()); one != nil {
		return caller{who: one.mark, session: one}, true
	}
	return c, false
}

// sessionProtocol begins the name of a protocol that a WebSocket offers beside the control API. The rest of the
// name is the secret of the session, since a browser lets a page add nothing else to that request.
const sessionProtocol = "session."

// pause delays the answer to a wrong token. Wrong ones are not counted, because many people may share an address, and
// a right token must pass.
func pause(r *http.Request) {
	late := time.NewTimer(wrongPause)
	defer late.Stop()
	select {
	case <-late.C:
	case <-r.Context().Done():
	}
}

// carried is the session or token in r. It is never in a cookie, which a browser sends to every port of a host,
// whoever serves there, and with the requests of other pages.
func carried(r *http.Request) string {
	if text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return text
	}
	for _, p := range strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ",") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(p), sessionProtocol); ok {
			return text
		}
	}
	return ""
}

// MetricsToken is a token for /metrics only.
func MetricsToken(token string) string {
	m := hmac.New(sha256.New, []byte(token))
	m.Write([]byte("hearthd metrics"))
	return base32.StdEncoding.EncodeToString(m.Sum(nil))[:26]
}

func same(text, token string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(token)) == 1
}

// session tells a browser whether it is logged in.
func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	_, ok := s.admitted(r)
	if !ok && carried(r) != "" {
		pause(r)
	}
	tell(w, http.StatusOK, map[string]bool{"in": ok})
}

// login begins a session.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Token string `json:"token"`
	}
	err := json.NewDecoder(io.LimitReader(r.Body, maxLogin)).Decode(&body)
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, "want a token")
	case same(strings.TrimSpace(body.Token), s.opt.Token):
		secret, err := s.sessions.begin(time.Now())
		if err != nil {
			s.opt.Log.Warn("session not kept", "component", "console", "error", err)
		}
		tell(w, http.StatusOK, map[string]any{"in": true, "session": secret})
	default:
		pause(r)
		s.opt.Log.Warn("console token refused", "component", "console", "peer", visitors.Peer(r.RemoteAddr).Addr())
		refuse(w, http.StatusUnauthorized, "that is not the token; hearthctl console shows it")
	}
}

// logout ends the session of the request, here and not only in the browser.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if g, ok := s.admitted(r); ok && g.session != nil {
		if err := s.sessions.end(g.session); err != nil {
			s.opt.Log.Warn("end of session not kept", "component", "console", "error", err)
		}
	}
	tell(w, http.StatusOK, map[string]bool{"in": false})
}

func refuse(w http.ResponseWriter, code int, why string) {
	tell(w, code, map[string]string{"error": why})
}

// tell answers with v as JSON. It fails only for a client that hung up.
func tell(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}
