package fetch

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestOldRadioServerIsUnderstood(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		conn.Read(make([]byte, 4096))
		io.WriteString(conn, "ICY 200 OK\r\nicy-name: One\r\nicy-metaint: 8192\r\n\r\nICY is sound")
	}()
	s, err := New(Options{}).Open(t.Context(), Request{URL: "http://" + l.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(s.Body)
	if err != nil || string(body) != "ICY is sound" || s.Header.Get("Icy-Metaint") != "8192" || !s.Inside {
		t.Errorf("%q, %v, %v", body, s.Header, err)
	}
	s.Body.Close()
}

func TestStreamOfARefusalIsNone(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	var status *StatusError
	if _, err := New(Options{}).Open(t.Context(), Request{URL: url}); !errors.As(err, &status) || status.Code != 403 {
		t.Error(err)
	}
}

// What somebody outside wrote into a playlist is asked for with Outside.
func TestRequestOfStrangersNeverLeadsIntoTheHouse(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("was asked") })
	for _, at := range []string{url, strings.Replace(url, "127.0.0.1", "localhost", 1)} {
		if _, err := New(Options{}).Open(t.Context(), Request{URL: at, Outside: true}); !errors.Is(err, ErrInside) {
			t.Errorf("%s: %v", at, err)
		}
	}
}
