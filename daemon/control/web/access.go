package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	sessionPath = "/session"
	// sessionLength is how long a browser stays in.
	sessionLength = 30 * 24 * time.Hour
	maxLogin      = 1 << 10 // bytes

	// wireLimit is how long a request may take to come and its answer to be taken. What
	// takes longer, in the API, sets deadlines of its own.
	wireLimit = 10 * time.Second

	// A page that is opened asks for about twenty things at once, and a browser that goes
	// on where it ended opens twenty pages; who tunes by hand sends a few a second.
	callsAtOnce, callsPerSecond = 500, 50
	// A person mistypes a token now and then.
	triesAtOnce, triesPerSecond = 5, 0.2
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
	case !s.calls.take(peer(r)):
		refuse(w, http.StatusTooManyRequests, "too many requests; wait a moment")
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

// peer is who is counted: an address, or the network of one of IPv6, which a host
// may take any address of.
func peer(r *http.Request) netip.Prefix {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	ip, bits := at.Addr().Unmap(), 32
	if ip.Is6() {
		bits = 64
	}
	p, err := ip.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // the number of bits fits
	}
	return p
}

// inside lets h see only who may come in.
func (s *Server) inside(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if !s.admitted(r) {
			refuse(w, http.StatusUnauthorized, "the token is needed; hearthctl console shows it")
			return
		}
		h.ServeHTTP(w, r)
	})
}

// admitted reports whether r carries a session, or the token itself, as programs do.
func (s *Server) admitted(r *http.Request) bool {
	if s.opt.Token == "" {
		return true
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.bears(r, token)
	}
	c, err := r.Cookie(s.cookie())
	return err == nil && s.holds(c.Value, time.Now())
}

// bears reports whether r may come in with token. A wrong one counts as an attempt.
func (s *Server) bears(r *http.Request, token string) bool {
	who := peer(r)
	if !s.tries.left(who) {
		return false
	}
	if s.is(token) {
		return true
	}
	s.tries.take(who)
	return false
}

func (s *Server) is(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.opt.Token)) == 1
}

// cookie is bound to this host, and with https to that (RFC 6265bis, 4.1.3).
func (s *Server) cookie() string {
	if s.cert != nil {
		return "__Host-hearthd"
	}
	return "hearthd"
}

// A session is when it ends, eight bytes that differ, and the mark of both, which
// only this server can make: nothing is kept of it.
const sessionBytes = 8 + 8 + sha256.Size

func (s *Server) newSession(now time.Time) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(now.Add(sessionLength).Unix()))
	b = append(b, rand.Text()[:8]...)
	return base64.RawURLEncoding.EncodeToString(s.mark(b))
}

func (s *Server) mark(b []byte) []byte {
	m := hmac.New(sha256.New, s.key[:])
	m.Write(b)
	return m.Sum(b)
}

func (s *Server) holds(session string, now time.Time) bool {
	b, err := base64.RawURLEncoding.DecodeString(session)
	if err != nil || len(b) != sessionBytes || !hmac.Equal(b, s.mark(b[:16:16])) {
		return false
	}
	return now.Unix() < int64(binary.BigEndian.Uint64(b))
}

// session says whether who asks may come in.
func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	tell(w, http.StatusOK, map[string]bool{"in": s.admitted(r), "token": s.opt.Token != ""})
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Token string `json:"token"`
	}
	err := json.NewDecoder(io.LimitReader(r.Body, maxLogin)).Decode(&body)
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, "want a token")
	case s.opt.Token == "":
		refuse(w, http.StatusConflict, "no token is needed here")
	case !s.tries.take(peer(r)):
		refuse(w, http.StatusTooManyRequests, "too many attempts; wait a moment")
	case !s.is(strings.TrimSpace(body.Token)):
		s.opt.Log.Warn("console token refused", "component", "console", "peer", peer(r).Addr())
		refuse(w, http.StatusUnauthorized, "that is not the token; hearthctl console shows it")
	default:
		s.setCookie(w, s.newSession(time.Now()), int(sessionLength.Seconds()))
		tell(w, http.StatusOK, map[string]bool{"in": true, "token": true})
	}
}

func (s *Server) logout(w http.ResponseWriter, _ *http.Request) {
	s.setCookie(w, "", -1)
	tell(w, http.StatusOK, map[string]bool{"in": false, "token": true})
}

func (s *Server) setCookie(w http.ResponseWriter, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie(), Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: s.cert != nil, SameSite: http.SameSiteStrictMode,
	})
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
