package web

import (
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const secret = "0123456789abcdefghijklmnop"

// newServer is a console whose API says that it was reached.
func newServer(t testing.TB, o Options) *Server {
	t.Helper()
	o.Listen = "127.0.0.1:0"
	if o.API == nil {
		o.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "reached") })
	}
	o.More = map[string]http.Handler{"/metrics": o.API}
	o.Changed = func([]string, error) {}
	o.Log = slog.New(slog.DiscardHandler)
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends one request; headers are "Name: value", and "Host: …" is the host.
func ask(s *Server, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:4327"+path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestOnlyThePageItselfReachesTheAPI(t *testing.T) {
	s := newServer(t, Options{Hosts: []string{"kitchen", "kitchen.local"}})
	for _, c := range []struct {
		name, method, path string
		headers            []string
		want               int
	}{
		{"the page", "POST", "/v1/stop", []string{"Sec-Fetch-Site: same-origin", "Origin: http://127.0.0.1:4327"}, 200},
		{"a program", "POST", "/v1/stop", nil, 200},
		{"an older browser", "POST", "/v1/stop", []string{"Origin: http://127.0.0.1:4327"}, 200},
		{"localhost", "GET", "/v1/status", []string{"Host: localhost:4327"}, 200},
		{"a tunnel", "GET", "/v1/status", []string{"Host: localhost:9000"}, 200},
		{"IPv6", "GET", "/v1/status", []string{"Host: [::1]:4327"}, 200},
		{"its name", "GET", "/v1/status", []string{"Host: Kitchen.local.:4327"}, 200},
		{"another name, which DNS may let point here", "GET", "/v1/status", []string{"Host: rebind.example:4327"}, 421},
		{"its name in another's", "GET", "/", []string{"Host: kitchen.local.example"}, 421},
		{"no name", "GET", "/", []string{"Host: "}, 421},
		{"another site", "POST", "/v1/stop", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"another port of this host", "POST", "/v1/stop", []string{"Sec-Fetch-Site: same-site"}, 403},
		{"an older browser on another page", "POST", "/v1/stop", []string{"Origin: https://example.com"}, 403},
		{"a page in a frame without an origin", "POST", "/v1/stop", []string{"Origin: null"}, 403},
		{"another page that reads", "GET", "/v1/status", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"another page that looks at the meter", "GET", "/v1/live", []string{"Sec-Fetch-Site: cross-site", "Origin: https://example.com"}, 403},
		{"a form", "POST", "/v1/stop", []string{"Content-Type: text/plain"}, 415},
		{"a link to the page", "GET", "/", []string{"Sec-Fetch-Site: cross-site"}, 200},
		{"the token's place", "GET", "/v1/console", nil, 404},
		{"a copy of everything", "GET", "/v1/backup", nil, 404},
		{"a model", "POST", "/v1/wake/install", nil, 404},
		{"a folder above", "GET", "/../web.go", nil, 307},
		{"nothing", "GET", "/nothing", nil, 404},
		{"what is mounted", "GET", "/metrics", nil, 200},
	} {
		if got := ask(s, c.method, c.path, "{}", c.headers...); got.Code != c.want {
			t.Errorf("%s: %d, want %d: %s", c.name, got.Code, c.want, got.Body)
		}
	}
}

func TestTokenIsNeededForAllButThePage(t *testing.T) {
	s := newServer(t, Options{Token: secret})
	for path, want := range map[string]int{
		"/": 200, "/app.js": 200, "/session": 200, "/v1/status": 401, "/v1/live": 401, "/metrics": 401, "/v1/console": 404,
	} {
		if got := ask(s, "GET", path, ""); got.Code != want {
			t.Errorf("GET %s: %d, want %d", path, got.Code, want)
		}
	}
	if got := ask(s, "GET", "/metrics", "", "Authorization: Bearer "+secret); got.Code != 200 {
		t.Errorf("with the token: %d", got.Code)
	}
	if got := ask(s, "POST", "/session", `{"token":"wrong"}`); got.Code != 401 || strings.Contains(got.Body.String(), secret) {
		t.Errorf("wrong token: %d %s", got.Code, got.Body)
	}
	in := ask(s, "POST", "/session", `{"token":" `+secret+`\n"}`)
	cookies := in.Result().Cookies()
	if in.Code != 200 || len(cookies) != 1 {
		t.Fatalf("the token: %d, %v", in.Code, cookies)
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure || c.Path != "/" || strings.Contains(c.Value, secret) {
		t.Errorf("cookie %+v", c)
	}
	session := "Cookie: " + c.Name + "=" + c.Value
	if got := ask(s, "GET", "/v1/status", "", session); got.Code != 200 || got.Body.String() != "reached" {
		t.Errorf("with a session: %d %s", got.Code, got.Body)
	}
	if got := ask(s, "DELETE", "/session", "", session); got.Result().Cookies()[0].MaxAge >= 0 {
		t.Error("the cookie outlives its end")
	}
	other := newServer(t, Options{Token: "another" + secret})
	if got := ask(other, "GET", "/v1/status", "", session); got.Code != 401 {
		t.Errorf("the session of another token: %d", got.Code)
	}
}

func TestSessionEndsAndCannotBeMade(t *testing.T) {
	s := newServer(t, Options{Token: secret})
	now := time.Now()
	good := s.newSession(now)
	if !s.holds(good, now.Add(sessionLength-time.Minute)) || s.holds(good, now.Add(sessionLength)) {
		t.Error("a session does not last as long as it should")
	}
	if s.newSession(now) == good {
		t.Error("two sessions are the same")
	}
	for i := range good {
		bad := []byte(good)
		bad[i] ^= 1
		if s.holds(string(bad), now) {
			t.Errorf("a session with another character %d holds", i)
		}
	}
}

func TestTokenCannotBeTriedOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Options{Token: secret})
		codes := map[int]int{}
		for range 20 {
			codes[ask(s, "POST", "/session", `{"token":"wrong"}`).Code]++
			codes[ask(s, "GET", "/metrics", "", "Authorization: Bearer wrong").Code]++
		}
		if codes[401]+codes[429] != 40 || codes[429] < 15 {
			t.Errorf("answers %v", codes)
		}
		if got := ask(s, "GET", "/metrics", "", "Authorization: Bearer "+secret); got.Code != 401 {
			t.Errorf("the right one after too many: %d", got.Code)
		}
		time.Sleep(time.Minute)
		if got := ask(s, "POST", "/session", `{"token":"`+secret+`"}`); got.Code != 200 {
			t.Errorf("a minute later: %d", got.Code)
		}
	})
}

func TestRequestsOfAPeerAreBoundedAndThoseOfOthersAreNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits(3, 1)
		a, b := netip.MustParsePrefix("10.0.0.1/32"), netip.MustParsePrefix("10.0.0.2/32")
		for i, want := range []bool{true, true, true, false} {
			if l.take(a) != want {
				t.Errorf("request %d: %v", i, !want)
			}
		}
		if !l.take(b) {
			t.Error("another peer pays for it")
		}
		time.Sleep(2 * time.Second)
		for i, want := range []bool{true, true, false} {
			if l.take(a) != want {
				t.Errorf("request %d after two seconds: %v", i, !want)
			}
		}
		for i := range 3 * maxPeers {
			l.take(netip.PrefixFrom(netip.AddrFrom4([4]byte{1, byte(i >> 16), byte(i >> 8), byte(i)}), 32))
		}
		if len(l.buckets) > maxPeers {
			t.Errorf("%d peers are kept", len(l.buckets))
		}
	})
}

func TestNewRefusesAShortTokenAndAMissingPart(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("made of nothing")
	}
	o := newServer(t, Options{}).opt
	o.Token = "short"
	if _, err := New(o); err == nil || strings.Contains(err.Error(), "short\"") {
		t.Errorf("a short token: %v", err)
	}
}

func FuzzSession(f *testing.F) {
	// A token of this process alone: what another one, which hands out the seeds, made
	// holds for it only.
	s := newServer(f, Options{Token: secret + rand.Text()})
	good := s.newSession(time.Now())
	f.Add(good, "127.0.0.1")
	f.Add("", "[::1]:80")
	f.Add("AAAA", "a:b:c")
	f.Fuzz(func(t *testing.T, session, host string) {
		if s.holds(session, time.Now()) && session != good {
			t.Errorf("%q holds", session)
		}
		s.known(host)
	})
}
