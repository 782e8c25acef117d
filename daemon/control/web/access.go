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

	// wireLimit is how long a request may take to come and its answer to be taken. What
	// takes longer, in the API, sets deadlines of its own.
	wireLimit = 10 * time.Second

	// A page that is opened asks for about twenty things at once, and a browser that goes
	// on where it ended opens twenty pages; who tunes by hand sends a few a second.
	callsAtOnce, callsPerSecond = 500, 50
	// wrongPause is how long the answer to a wrong token takes: maxVisitors guesses in that time are all that
	// can be made, by whomever.
	wrongPause = time.Second
)

// policy lets the page load and run nothing but its own files, and stands in no
// frame. The document's own adds its style. Nothing turns a text into markup (require-trusted-types-for).
const policy = "default-src 'none'; script-src 'self'; style-src 'none'; img-src 'self' data:; connect-src 'self'; media-src 'self' blob:; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// ServeHTTP checks what a browser may have been made to do by another page, before
// anything else looks at the request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(self)")
	hasten(w)
	switch {
	case !s.known(r.Host):
		// A name that somebody else's DNS lets point here would make their page ours.
		refuse(w, http.StatusMisdirectedRequest, "this console is not known by the name that was asked for; console.hosts names more")
	case r.URL.Path != "/" && !ofPage(r):
		refuse(w, http.StatusForbidden, "another page asked for this")
	case r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json":
		refuse(w, http.StatusUnsupportedMediaType, "want application/json")
	default:
		s.mux.ServeHTTP(w, r)
	}
}

// hasten bounds the time of a request on its way, whoever asks: one that never comes
// whole, like an answer that nobody reads, would hold one of few connections.
func hasten(w http.ResponseWriter) {
	conn, limit := http.NewResponseController(w), time.Now().Add(wireLimit)
	// They fail for a connection that is closed.
	_ = conn.SetReadDeadline(limit)
	_ = conn.SetWriteDeadline(limit)
}

// known reports whether host, as a browser asks for it, is one of ours. An address
// is: nobody's DNS is asked for it.
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

// ofPage reports whether r comes from the page itself, or from no page at all:
// browsers that do not send Sec-Fetch-Site send Origin with whatever changes
// something (Fetch standard, and Fetch Metadata of the W3C).
func ofPage(r *http.Request) bool {
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

// guest is who may come in.
type guest struct {
	// who is counted: a session, or the address of a program that has a token.
	who     string
	session *session // nil: a program
}

// inside lets h see only who may come in. What goes on in a session ends with it.
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

// admitted tells who r is from, if it carries a session, or a token itself, as programs do. Nothing is looked at
// but what it carries: whoever is right comes in, however many behind the same address were wrong.
func (s *Server) admitted(r *http.Request) (g guest, ok bool) {
	text := carried(r)
	if text == "" {
		return g, false
	}
	if same(text, s.opt.Token) || r.URL.Path == metricsPath && same(text, MetricsToken(s.opt.Token)) {
		return guest{who: visitors.Peer(r.RemoteAddr).String()}, true
	}
	if one := s.sessions.find(text, time.Now()); one != nil {
		return guest{who: one.mark, session: one}, true
	}
	return g, false
}

// sessionProtocol begins the protocol that a WebSocket names beside control.PageProtocol: its session, since a
// browser lets a page add nothing else to that request.
const sessionProtocol = "session."

// pause keeps the answer to a wrong token back. Wrong ones are not counted: behind one address may be many, and who
// is right comes in.
func pause(r *http.Request) {
	late := time.NewTimer(wrongPause)
	defer late.Stop()
	select {
	case <-late.C:
	case <-r.Context().Done():
	}
}

// carried is the session or token in r. It never comes by a cookie, which a browser gives to every port of a host,
// whoever serves there, and adds to what other pages ask for.
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

// MetricsToken is what lets a program see /metrics and nothing else.
func MetricsToken(token string) string {
	m := hmac.New(sha256.New, []byte(token))
	m.Write([]byte("hearthd metrics"))
	return base32.StdEncoding.EncodeToString(m.Sum(nil))[:26]
}

func same(text, token string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(token)) == 1
}

// session says whether who asks may come in.
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

// logout ends the session that asks for it, here and not only in the browser.
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
