package web

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// told is what a server said of where it is.
type told struct {
	urls []string
	err  error
}

// running runs s until the test ends.
func running(t *testing.T, s *Server) <-chan told {
	t.Helper()
	news := make(chan told, 16)
	s.opt.Changed = func(urls []string, err error) { news <- told{urls, err} }
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
	return news
}

func TestTakenAddressIsTold(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := newServer(t, Options{})
	s.opt.Listen = l.Addr().String()
	if n := <-running(t, s); !errors.Is(n.err, syscall.EADDRINUSE) || n.urls != nil {
		t.Errorf("told %+v", n)
	}
}

func TestNamesOfTheHostAreNoAddressOfALoopback(t *testing.T) {
	s := newServer(t, Options{Hosts: append([]string{"hearth.example"}, Names()...)})
	news := <-running(t, s)
	if len(news.urls) != 2 || !strings.HasPrefix(news.urls[0], "http://127.0.0.1:") ||
		!strings.HasPrefix(news.urls[1], "http://hearth.example:") {
		t.Errorf("addresses %q", news.urls)
	}
}

// There are few connections: one whose request never comes whole does not keep its
// own, whoever it is.
func TestRequestThatStopsHalfwayIsLetGo(t *testing.T) {
	s := newServer(t, Options{Token: secret})
	at := strings.TrimSuffix(strings.TrimPrefix((<-running(t, s)).urls[0], "http://"), "/")
	for _, path := range []string{"/session", "/v1/ask", "/metrics", "/none"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			c, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, err = c.Write([]byte("POST " + path + " HTTP/1.1\r\nHost: " + at +
				"\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"))
			if err = errors.Join(err, c.SetReadDeadline(time.Now().Add(time.Minute))); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, c); err != nil {
				t.Errorf("it holds its connection: %v", err)
			}
		})
	}
}

// A peer that opens connections and says nothing, or half a request, shuts nobody out, though it has the address of
// everybody else; and who is in stays in.
func TestConnectionsOfOnePeerShutNobodyOut(t *testing.T) {
	s := newServer(t, Options{API: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "apiPaths")
	})})
	at := strings.TrimSuffix((<-running(t, s)).urls[0], "/")
	client := &http.Client{Transport: &http.Transport{}}
	status := func() string {
		res := get(t, client, at+"/v1/status")
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	crowd := func(say string) {
		for range 3 * maxVisitors {
			c, err := net.Dial("tcp", strings.TrimPrefix(at, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			_, _ = c.Write([]byte(say)) // it may be gone already
		}
	}
	crowd("")
	if got := status(); got != "apiPaths" {
		t.Errorf("behind a crowd: %q", got)
	}
	crowd("POST /session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{")
	crowd("GET /v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n")
	if got := status(); got != "apiPaths" {
		t.Errorf("behind crowds that speak: %q", got)
	}
}

func TestPageIsServedOverHTTPSFromFilesThatMayChange(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	first := writeCertificate(t, cert, key)
	secure := false
	s := newServer(t, Options{CertFile: cert, KeyFile: key, Token: secret,
		API: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { secure = r.TLS != nil })})
	news := <-running(t, s)
	if news.err != nil || len(news.urls) != 1 || !strings.HasPrefix(news.urls[0], "https://127.0.0.1:") {
		t.Fatalf("told %+v", news)
	}
	seen := func() string {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		res := get(t, client, news.urls[0]+"v1/status")
		defer res.Body.Close()
		return res.TLS.PeerCertificates[0].SerialNumber.String()
	}
	if got := seen(); got != first || !secure {
		t.Errorf("certificate %s, want %s; the API knows of it: %v", got, first, secure)
	}
	second := writeCertificate(t, cert, key)
	if err := os.Chtimes(cert, time.Time{}, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got := seen(); got != second {
		t.Errorf("after the files changed: certificate %s, want %s", got, second)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if got := seen(); got != second {
		t.Error("without its file the certificate is lost")
	}
}

// writeCertificate writes a new one for 127.0.0.1 and returns its number.
func writeCertificate(t *testing.T, cert, key string) string {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<60))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: serial, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der},
		key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return serial.String()
}

// get asks for url with the token.
func get(t *testing.T, client *http.Client, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
