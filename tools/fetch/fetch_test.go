package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	neturl "net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"hearthd/tools/phrase"
)

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestAnswerBeyondItsSizeIsRefused(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.CopyN(w, strings.NewReader(strings.Repeat("x", 101)), 101)
	})
	c := New(Options{})
	if _, err := c.Get(t.Context(), Request{URL: url, MaxBytes: 100}); !errors.Is(err, errTooLarge) {
		t.Errorf("%v", err)
	}
	if a, err := c.Get(t.Context(), Request{URL: url, MaxBytes: 101}); err != nil || len(a.Body) != 101 {
		t.Errorf("%v", err)
	}
}

func TestPackedAnswerIsMeasuredUnpacked(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := io.CopyN(z, zeros{}, 2<<20)
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packed.Bytes())
	})
	if _, err := New(Options{}).Get(t.Context(), Request{URL: url, MaxBytes: 1 << 20}); !errors.Is(err, errTooLarge) {
		t.Errorf("%v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestErrorsDoNotShowTheQuery(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for _, at := range []string{url + "/?api_key=hunter2", "http://127.0.0.1:1/?api_key=hunter2",
		"http://[::1/?api_key=hunter2"} {
		_, err := New(Options{}).Get(t.Context(), Request{URL: at})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

func TestKeyIsNotCarriedToAnotherHost(t *testing.T) {
	thief := serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("got key %q", r.Header.Get("X-Token")) })
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, thief, http.StatusFound) })
	_, err := New(Options{}).Get(t.Context(), Request{URL: url, KeyHeader: "X-Token", Key: "hunter2"})
	if err == nil || !strings.Contains(err.Error(), "redirect of a key") {
		t.Errorf("%v", err)
	}
}

func TestRedirectsAreFewAndNeverLeaveTLS(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })
	if _, err := New(Options{}).Get(t.Context(), Request{URL: url}); err == nil ||
		!strings.Contains(err.Error(), "redirects") {
		t.Errorf("%v", err)
	}
	from, _ := http.NewRequest(http.MethodGet, "https://a.example/", nil)
	to, _ := http.NewRequest(http.MethodGet, "http://a.example/", nil)
	if err := (Request{}).follow(to, []*http.Request{from}); err == nil {
		t.Error("followed from https to http")
	}
}

func TestAddressesInsideTheHouseAreRefusedWhateverTheirName(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("was asked") })
	c := New(Options{Outside: true})
	for _, at := range []string{url, strings.Replace(url, "127.0.0.1", "localhost", 1)} {
		if _, err := c.Get(t.Context(), Request{URL: at}); !errors.Is(err, ErrInside) {
			t.Errorf("%s: %v", at, err)
		}
	}
	for _, at := range []string{
		"10.1.2.3:80", "192.168.1.1:80", "169.254.169.254:80", "100.64.1.1:80", "0.0.0.0:80", "[::1]:80",
		"[fe80::1]:80",
		"[fd00::1]:80", "[::ffff:127.0.0.1]:80", "[64:ff9b::7f00:1]:80", "[::127.0.0.1]:80", "[2002:7f00:1::]:80",
		"[fec0::1]:80", "224.0.0.1:80", "255.255.255.255:80",
	} {
		if err := public(at); !errors.Is(err, ErrInside) {
			t.Errorf("%s: %v", at, err)
		}
	}
	for _, at := range []string{"93.184.216.34:443", "[2606:2800:220:1::1]:443"} {
		if err := public(at); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// abroad is a connection to a server of the test that looks as if it were outside.
type abroad struct{ net.Conn }

func (abroad) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(93, 184, 216, 34), Port: 80}
}

// fromAbroad is a client to which the server at url is outside, by whatever name; the others are as they are.
func fromAbroad(url string) *Client {
	c := New(Options{})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	c.direct.Proxy = func(*http.Request) (*neturl.URL, error) { return nil, nil }
	c.direct.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if _, p, _ := net.SplitHostPort(address); err == nil && p == port {
			conn = abroad{conn}
		}
		return conn, err
	}
	return c
}

func TestRedirectFromOutsideNeverLeadsIntoTheHouse(t *testing.T) {
	asked := ""
	inside := serve(t, func(w http.ResponseWriter, r *http.Request) { asked = r.URL.Path })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(inside, "http://"))
	for name, to := range map[string]string{
		"an address": inside + "/unlock", "a name": "http://localhost:" + port + "/unlock",
		"IPv6":         "http://[::1]:" + port + "/unlock",
		"IPv4 in IPv6": "http://[::ffff:127.0.0.1]:" + port + "/unlock", "a number": "http://2130706433:" + port +
			"/unlock",
		"short": "http://127.1:" + port + "/unlock", "any": "http://0.0.0.0:" + port + "/unlock",
		"a router": "http://192.168.1.1/reboot", "metadata": "http://169.254.169.254/latest",
		"itself, by a name that now leads here": "/again",
	} {
		t.Run(name, func(t *testing.T) {
			hops := 0
			feed := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if hops++; hops > 1 {
					t.Error("it was asked again, at an address inside")
				}
				http.Redirect(w, r, to, http.StatusFound)
			})
			c := fromAbroad(feed)
			if _, err := c.Get(t.Context(), Request{URL: inside + "/known"}); err != nil { // leaves a connection to it
				t.Fatal(err)
			}
			if a, err := c.Get(t.Context(),
				Request{URL: strings.Replace(feed, "127.0.0.1", "localhost", 1)}); err == nil {
				t.Errorf("%s was followed: %s", to, a.Body)
			} else if strings.Contains(to, "127.0.0.1") && !errors.Is(err, ErrInside) {
				t.Error(err)
			}
			if asked != "/known" {
				t.Errorf("%s was asked for inside", asked)
			}
		})
	}
}

func TestServiceOfTheHouseMaySendOnWithinIt(t *testing.T) {
	next := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") })
	first := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, next, http.StatusFound) })
	if a, err := New(Options{}).Get(t.Context(), Request{URL: first}); err != nil || string(a.Body) != "here" {
		t.Errorf("%v", err)
	}
}

// With IPv6 the things of a house have public addresses.
func TestNetworksOfThisMachineAreTheHouse(t *testing.T) {
	own := []net.Addr{
		&net.IPNet{IP: net.ParseIP("2003:db:1:2a01::5"), Mask: net.CIDRMask(64, 128)},
		&net.IPNet{IP: net.IPv4(80, 1, 2, 3), Mask: net.CIDRMask(24, 32)},
		&net.IPNet{IP: net.IPv4(81, 1, 2, 3), Mask: net.CIDRMask(0, 32)}, &net.UnixAddr{Name: "no address"},
	}
	for text, want := range map[string]bool{
		"2003:db:1:2a01::9": true, "2003:db:1:2aff::9": true, "2003:db:1:2b00::9": false, "2606:2800:220:1::1": false,
		"80.1.2.200": true, "80.1.3.200": false, "93.184.216.34": false,
	} {
		if err := apart(netip.MustParseAddr(text), own); errors.Is(err, ErrInside) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRefusalsAreToldInPlainSentences(t *testing.T) {
	for code, want := range map[int]string{
		401: "The weather service does not let me in.",
		403: "The weather service does not let me in.",
		404: "The weather service did not take the question.",
		429: "The weather service was asked too often. Please try again in seven seconds.",
		503: "The weather service is out of order right now.",
	} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			http.Error(w, "because", code)
		})
		_, err := New(Options{}).Get(t.Context(), Request{URL: url})
		var refused *StatusError
		if !errors.As(err, &refused) || refused.Code != code || refused.RetryAfter != 7*time.Second ||
			strings.TrimSpace(string(refused.Body)) != "because" {
			t.Errorf("%d: %+v", code, err)
		}
		if got := Failure(phrase.English(), "the weather service", err).Say; got != want {
			t.Errorf("%d: %q", code, got)
		}
	}
}

func TestSilenceAndAbsenceAreToldApart(t *testing.T) {
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	c := New(Options{})
	c.timeout = 50 * time.Millisecond
	_, err := c.Get(t.Context(), Request{URL: url})
	if got := Failure(phrase.English(), "the news", err).Say; got != "The news does not answer." {
		t.Errorf("%q %v", got, err)
	}
	_, err = New(Options{}).Get(t.Context(), Request{URL: "http://127.0.0.1:1"})
	if got := Failure(phrase.English(), "the news", err).Say; got != "I can't reach the news right now." {
		t.Errorf("%q %v", got, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, err = New(Options{}).Get(ctx, Request{URL: url})
	if got := Failure(phrase.English(), "the news", err).Say; got != "The news does not answer." {
		t.Errorf("%q %v", got, err)
	}
}

func TestAnswerThatIsNoJSONIsNotRepeated(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>secret</html>") })
	var v struct{}
	err := New(Options{}).JSON(t.Context(), Request{URL: url}, &v)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	if got := Failure(phrase.English(), "the weather service", err).Say; got != "The weather service gave an answer that I do not "+
		"understand." {
		t.Errorf("%q", got)
	}
}

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for text, want := range map[string]time.Duration{
			"": 0, "3": 3 * time.Second, "-1": 0, "soon": 0, "99999999999": 0,
			time.Now().Add(time.Minute).UTC().Format(http.TimeFormat): time.Minute,
		} {
			if got := retryAfter(text); got != want {
				t.Errorf("%q: %v", text, got)
			}
		}
	})
}

func TestCacheForgetsWithTimeAndSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCache[string, int](2, time.Minute)
		c.Put("a", 1)
		time.Sleep(time.Second)
		c.Put("b", 2)
		c.Put("c", 3)
		if _, ok := c.Get("a"); ok {
			t.Error("a is kept beyond the size")
		}
		if v, ok := c.Get("b"); !ok || v != 2 {
			t.Error("b is gone")
		}
		time.Sleep(time.Minute)
		if _, ok := c.Get("b"); ok {
			t.Error("b is fresh for ever")
		}
		if v, age, ok := c.Stale("b"); !ok || v != 2 || age != time.Minute {
			t.Errorf("b: %d, %v old", v, age)
		}
	})
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"a\tb\n\nc", "left \u202e right", "\xff\x00", strings.Repeat("word ", 100),
		strings.Repeat("ä", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Line(s, 80)
		if n := utf8.RuneCountInString(got); n > 82 || !utf8.ValidString(got) ||
			strings.ContainsAny(got, "\n\r\t\u202e\x00") {
			t.Errorf("%q (%d runes)", got, n)
		}
	})
}
