package web

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const secret = "0123456789abcdefghijklmnop"

// newServer is a console whose API says that it was apiPaths.
func newServer(t testing.TB, o Options) *Server {
	t.Helper()
	o.Listen = "127.0.0.1:0"
	if o.Token == "" {
		o.Token = secret
	}
	if o.API == nil {
		o.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "apiPaths") })
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

// in is the header of a program that may come in.
const in = "Authorization: Bearer " + secret

// begin gives what a browser is given for the token.
func begin(t testing.TB, s *Server) string {
	t.Helper()
	var body struct {
		In      bool   `json:"in"`
		Session string `json:"session"`
	}
	got := ask(s, "POST", "/session", `{"token":" `+secret+`\n"}`)
	if err := json.Unmarshal(got.Body.Bytes(), &body); err != nil || got.Code != 200 || !body.In {
		t.Fatalf("the token: %d %s", got.Code, got.Body)
	}
	if cookies := got.Result().Cookies(); len(cookies) > 0 {
		t.Errorf("cookies %v, which every port of the host is given", cookies)
	}
	return body.Session
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
		{"another page that looks at the meter", "GET", "/v1/live",
			[]string{"Sec-Fetch-Site: cross-site", "Origin: https://example.com"}, 403},
		{"a form", "POST", "/v1/stop", []string{"Content-Type: text/plain"}, 415},
		{"a link to the page", "GET", "/", []string{"Sec-Fetch-Site: cross-site"}, 200},
		{"the token's place", "GET", "/v1/console", nil, 404},
		{"a copy of everything", "GET", "/v1/backup", nil, 404},
		{"a model", "POST", "/v1/wake/install", nil, 404},
		{"a folder above", "GET", "/../web.go", nil, 307},
		{"nothing", "GET", "/nothing", nil, 404},
		{"what is mounted", "GET", "/metrics", nil, 200},
	} {
		if got := ask(s, c.method, c.path, "{}", append(c.headers, in)...); got.Code != c.want {
			t.Errorf("%s: %d, want %d: %s", c.name, got.Code, c.want, got.Body)
		}
	}
}

func TestTokenIsNeededForAllButThePage(t *testing.T) {
	s := newServer(t, Options{})
	for path, want := range map[string]int{
		"/": 200, "/app.js": 200, "/session": 200, "/v1/status": 401, "/v1/live": 401, "/metrics": 401,
		"/v1/console": 404,
	} {
		if got := ask(s, "GET", path, ""); got.Code != want {
			t.Errorf("GET %s: %d, want %d", path, got.Code, want)
		}
	}
	if got := ask(s, "GET", "/metrics", "", in); got.Code != 200 {
		t.Errorf("with the token: %d", got.Code)
	}
	if got := ask(s, "POST", "/session", `{"token":"wrong"}`); got.Code != 401 ||
		strings.Contains(got.Body.String(), secret) {
		t.Errorf("wrong token: %d %s", got.Code, got.Body)
	}
	session := begin(t, s)
	for _, header := range []string{"Authorization: Bearer " + session, "Sec-WebSocket-Protocol: hearthd, session." +
		session} {
		if got := ask(s, "GET", "/v1/status", "", header); got.Code != 200 || got.Body.String() != "apiPaths" {
			t.Errorf("with %s: %d %s", header, got.Code, got.Body)
		}
	}
	if got := ask(s, "GET", "/v1/status", "", "Cookie: hearthd="+session); got.Code != 401 {
		t.Errorf("by a cookie: %d", got.Code)
	}
	other := newServer(t, Options{Token: "another" + secret})
	if got := ask(other, "GET", "/v1/status", "", "Authorization: Bearer "+session); got.Code != 401 {
		t.Errorf("the session of another token: %d", got.Code)
	}
}

func TestTokenOfTheMetricsOpensNothingElse(t *testing.T) {
	s := newServer(t, Options{})
	header := "Authorization: Bearer " + MetricsToken(secret)
	for path, want := range map[string]int{"/metrics": 200, "/v1/status": 401, "/v1/tools/run": 401, "/v1/live": 401} {
		if got := ask(s, "GET", path, "", header); got.Code != want {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
	if got := ask(s, "POST", "/session", `{"token":"`+MetricsToken(secret)+`"}`); got.Code != 401 {
		t.Errorf("it begins a session: %d", got.Code)
	}
}

// What was copied out of a browser is of no use once the person has logged out, and what goes on ends.
func TestLoggingOutEndsTheSessionEverywhere(t *testing.T) {
	for name, live := range map[string]string{"a socket": "/v1/live", "a stream": "/v1/events", "a call": "/v1/ask"} {
		t.Run(name, func(t *testing.T) {
			apiPaths, ended := make(chan struct{}), make(chan struct{})
			s := newServer(t, Options{API: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if r.URL.Path == live {
					close(apiPaths)
					<-r.Context().Done()
					close(ended)
				}
			})})
			session, other := "Authorization: Bearer "+begin(t, s), "Authorization: Bearer "+begin(t, s)
			go ask(s, "GET", live, "", session)
			<-apiPaths
			if got := ask(s, "DELETE", "/session", "", session); got.Code != 200 {
				t.Errorf("logging out: %d %s", got.Code, got.Body)
			}
			<-ended
			if got := ask(s, "GET", "/v1/status", "", session); got.Code != 401 {
				t.Errorf("afterwards: %d", got.Code)
			}
			if got := ask(s, "GET", "/v1/status", "", other); got.Code != 200 {
				t.Errorf("another session: %d", got.Code)
			}
		})
	}
}

func TestCallOfASessionEndsWithIt(t *testing.T) {
	var leave <-chan struct{}
	s := newServer(t, Options{Calls: func(_ http.ResponseWriter, _ *http.Request, l <-chan struct{}) { leave = l }})
	session := "Authorization: Bearer " + begin(t, s)
	if got := ask(s, "POST", "/v1/talk", "{}", session); got.Code != 200 || leave == nil {
		t.Fatalf("a call: %d", got.Code)
	}
	ask(s, "DELETE", "/session", "", session)
	<-leave
	if got := ask(s, "POST", "/v1/talk", "{}", in); got.Code != 200 || leave != nil {
		t.Errorf("a call of a program: %d, it ends with %v", got.Code, leave)
	}
}

func TestSessionsLastOverARestartAndEndedOnesDoNotComeBack(t *testing.T) {
	o := Options{Sessions: filepath.Join(t.TempDir(), "sessions")}
	s := newServer(t, o)
	stays, ends := begin(t, s), begin(t, s)
	ask(s, "DELETE", "/session", "", "Authorization: Bearer "+ends)
	if info, err := os.Stat(o.Sessions); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if text, err := os.ReadFile(o.Sessions); err != nil || strings.Contains(string(text), stays) {
		t.Errorf("the file has the session itself: %s, %v", text, err)
	}
	next := newServer(t, o)
	for session, want := range map[string]int{stays: 200, ends: 401} {
		if got := ask(next, "GET", "/v1/status", "", "Authorization: Bearer "+session); got.Code != want {
			t.Errorf("after a restart: %d, want %d", got.Code, want)
		}
	}
	if err := os.WriteFile(o.Sessions, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ask(newServer(t, o), "GET", "/v1/status", "", "Authorization: Bearer "+stays); got.Code != 401 {
		t.Errorf("of a file that cannot be read: %d", got.Code)
	}
}

func TestSessionEndsInTimeAndTheyAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Options{})
		first := "Authorization: Bearer " + begin(t, s)
		time.Sleep(sessionLength - time.Second)
		if got := ask(s, "GET", "/v1/status", "", first); got.Code != 200 {
			t.Errorf("before its end: %d", got.Code)
		}
		time.Sleep(time.Second)
		if got := ask(s, "GET", "/v1/status", "", first); got.Code != 401 {
			t.Errorf("at its end: %d", got.Code)
		}
		second := "Authorization: Bearer " + begin(t, s)
		for range maxSessions {
			time.Sleep(time.Second)
			begin(t, s)
		}
		if got := ask(s, "GET", "/v1/status", "", second); got.Code != 401 || len(s.sessions.list) != maxSessions {
			t.Errorf("the one that came first: %d, of %d", got.Code, len(s.sessions.list))
		}
	})
}

// All behind a proxy have one address, and so have all accounts of the box itself.
func TestWrongTokensOfAnAddressKeepNoRightOneOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Options{})
		session := begin(t, s)
		codes := map[int]int{}
		begun := time.Now()
		for range 1000 {
			codes[ask(s, "POST", "/session", `{"token":"wrong"}`).Code]++
			codes[ask(s, "GET", "/metrics", "", "Authorization: Bearer wrong").Code]++
			codes[ask(s, "GET", "/", "", "X-Forwarded-For: 10.0.0.1").Code]++
		}
		if codes[200] != 1000 || codes[401] != 2000 {
			t.Errorf("answers %v", codes)
		}
		if took := time.Since(begun); took != 2000*wrongPause { // of a clock of its own
			t.Errorf("2000 guesses took %v", took)
		}
		begun = time.Now()
		if got := ask(s, "GET", "/metrics", "", in); got.Code != 200 {
			t.Errorf("the right one after too many wrong ones: %d", got.Code)
		}
		if got := ask(s, "GET", "/v1/status", "", "Authorization: Bearer "+session); got.Code != 200 {
			t.Errorf("a session: %d", got.Code)
		}
		begin(t, s)
		if took := time.Since(begun); took != 0 {
			t.Errorf("the right ones took %v", took)
		}
	})
}

func TestRequestsOfASessionAreBoundedAndThoseOfOthersAreNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Options{})
		busy, other := "Authorization: Bearer "+begin(t, s), "Authorization: Bearer "+begin(t, s)
		codes := map[int]int{}
		for range callsAtOnce + 10 {
			codes[ask(s, "GET", "/v1/status", "", busy).Code]++
		}
		if codes[200] != callsAtOnce || codes[429] != 10 {
			t.Errorf("answers %v", codes)
		}
		if got := ask(s, "GET", "/v1/status", "", other); got.Code != 200 {
			t.Errorf("another session of the same address: %d", got.Code)
		}
	})
}

func TestRequestsOfAPeerAreBoundedAndThoseOfOthersAreNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimits(3, 1)
		a, b := "10.0.0.1/32", "10.0.0.2/32"
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
		for i := range 3 * maxCallers {
			l.take(strconv.Itoa(i))
		}
		if len(l.buckets) > maxCallers {
			t.Errorf("%d peers are kept", len(l.buckets))
		}
	})
}

func TestNewRefusesAShortTokenAndAMissingPart(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("made of nothing")
	}
	o := newServer(t, Options{}).opt
	o.Token = ""
	if _, err := New(o); err == nil {
		t.Error("without a token everybody may come in")
	}
	o.Token = "short"
	if _, err := New(o); err == nil || strings.Contains(err.Error(), "short\"") {
		t.Errorf("a short token: %v", err)
	}
}

func FuzzSession(f *testing.F) {
	s := newServer(f, Options{})
	good := begin(f, s)
	f.Add("Bearer ", "session.", "127.0.0.1")
	f.Add("Bearer AAAA", "a,session.b , session.", "[::1]:80")
	f.Fuzz(func(t *testing.T, authorization, protocols, host string) {
		s.known(host)
		r := httptest.NewRequest("GET", "http://127.0.0.1:4327/v1/status", nil)
		r.Header["Authorization"], r.Header["Sec-Websocket-Protocol"] = []string{authorization}, []string{protocols}
		all := authorization + protocols
		if _, in := s.admitted(r); in && !strings.Contains(all, good) && !strings.Contains(all, secret) {
			t.Errorf("%q and %q come in", authorization, protocols)
		}
	})
}
