package ctl_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/rigs/ctltest"
)

func TestWhyNobodyAnswersIsSaid(t *testing.T) {
	c := &ctl.Client{Socket: filepath.Join(t.TempDir(), "s")}
	var away *ctl.AwayError
	if err := c.Ask(t.Context(), ctl.Request{Path: "/v1/status"}, nil); !errors.As(err, &away) ||
		away.Socket != c.Socket {
		t.Errorf("no socket: %v", err)
	}
	f := ctltest.NewFake(t)
	c.Socket = f.Path
	f.Answer("/v1/status", 409, "{\"error\":\"muted\\u001b[2J\"}")
	if err := c.Ask(t.Context(), ctl.Request{Path: "/v1/status"}, nil); err == nil || err.Error() != "muted [2J" {
		t.Errorf("refused: %v", err)
	}
	f.Answer("/v1/status", 502, "<html>")
	if err := c.Ask(t.Context(), ctl.Request{Path: "/v1/status"}, nil); err == nil ||
		err.Error() != "hearthd answered 502 Bad Gateway" {
		t.Errorf("no JSON: %v", err)
	}
	f.Hang("/v1/status", "{")
	slow := ctl.Request{Path: "/v1/status", Limit: 50 * time.Millisecond}
	if err := c.Ask(t.Context(), slow, nil); err == nil || !strings.Contains(err.Error(), "does not answer in time") {
		t.Errorf("too slow: %v", err)
	}
	if os.Geteuid() != 0 { // who may open everything
		if err := os.Chmod(f.Path, 0); err != nil {
			t.Fatal(err)
		}
		if err := c.Ask(t.Context(), ctl.Request{Path: "/v1/status"}, nil); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("not allowed: %v", err)
		}
	}
}

// systemd holds the socket, and drops who waits there when hearthd cannot start.
func TestASocketWithNobodyBehindItSaysThatHearthdDoesNotRun(t *testing.T) {
	c := &ctl.Client{Socket: filepath.Join(t.TempDir(), "s")}
	l, err := net.Listen("unix", c.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if conn, err := l.Accept(); err == nil {
			conn.Read(make([]byte, 1)) // what is left unread resets the connection
			conn.Close()
		}
	}()
	var away *ctl.AwayError
	if err := c.Ask(t.Context(), ctl.Request{Path: "/v1/status"}, nil); !errors.As(err, &away) {
		t.Error(err)
	}
}

func TestStreamGivesItsEventsAndItsEnd(t *testing.T) {
	var got []string
	for e, err := range ctl.ReadStream(strings.NewReader(": hearthd\n\nevent: missed\ndata: 7\n\n: \n\ndata: " +
		"{\"a\":1}\n\n")) {
		if err != nil {
			got = append(got, err.Error())
			break
		}
		got = append(got, e.Name+"|"+string(e.Data))
	}
	if want := "missed|7, |{\"a\":1}, hearthd has ended the stream"; strings.Join(got, ", ") != want {
		t.Errorf("%q", got)
	}
	long := "data: " + strings.Repeat("x", ctl.MaxEvent)
	for _, err := range ctl.ReadStream(strings.NewReader(long)) {
		if err == nil {
			t.Error("an event without a bound")
		}
	}
}

func TestWhatOthersWroteMovesNoCursor(t *testing.T) {
	if got := ctl.Visible("a\x1b]52;c;x\x07\r\nb\u0085é"); got != "a ]52;c;x   b é" {
		t.Errorf("%q", got)
	}
}

// A request that meets a hearthd which is being restarted is for the next one, if nothing was done of it.
func TestWhatHearthdDidNotBeginAtItsEndIsAskedAgain(t *testing.T) {
	c := &ctl.Client{Socket: filepath.Join(t.TempDir(), "s")}
	l, err := net.Listen("unix", c.Socket)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path == "/v1/begun" || asked == 1 {
			if asked == 1 {
				w.Header().Set("Retry-After", "1")
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		io.WriteString(w, `{"error":"hearthd is shutting down","answer":"done"}`)
	})}
	defer srv.Close()
	go srv.Serve(l)
	var out struct{ Answer string }
	if err := c.Ask(t.Context(), ctl.Request{Path: "/v1/ask"}, &out); err != nil || out.Answer != "done" || asked != 2 {
		t.Errorf("asked %d times: %+v, %v", asked, out, err)
	}
	if err := c.Ask(t.Context(), ctl.Request{Path: "/v1/begun"}, nil); err == nil || asked != 3 {
		t.Errorf("what may have been done was asked again: %v, %d", err, asked)
	}
}
