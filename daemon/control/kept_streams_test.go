package control

import (
	"bufio"
	"errors"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"hearthd/daemon/event"
)

// shelf keeps connections as systemd does.
type shelf struct {
	t    *testing.T
	kept chan net.Conn
}

func (s *shelf) keep(c syscall.Conn) error {
	f, err := c.(*net.UnixConn).File()
	if err != nil {
		return err
	}
	defer f.Close()
	copied, err := net.FileConn(f)
	if err == nil {
		s.t.Cleanup(func() { copied.Close() })
		s.kept <- copied
	}
	return err
}

func (r *rig) expect(lines *bufio.Scanner, want string) {
	r.t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), want) {
			return
		}
	}
	r.t.Fatalf("the stream ended without %s: %v", want, lines.Err())
}

func TestStreamOfEventsGoesOnWithTheNextServers(t *testing.T) {
	s := &shelf{t, make(chan net.Conn, 1)}
	keep := func(o *Options) { o.Keep = s.keep }
	first := onSocket(t, keep)
	lines := first.stream()
	first.bus.Publish(&event.VolumeChanged{Percent: 11})
	first.expect(lines, `"percent":11`)
	first.stop()
	// Twice, for what is resumed must be kept too.
	for _, percent := range []string{"12", "13"} {
		next := onSocket(t, keep, func(o *Options) { o.Kept = []net.Conn{<-s.kept} })
		next.expect(lines, ": hearthd")
		next.bus.Publish(&event.VolumeChanged{Percent: int(percent[1]-'0') + 10})
		next.expect(lines, `"percent":`+percent)
		next.stop()
	}
}

func TestStreamThatNobodyKeepsEnds(t *testing.T) {
	r := onSocket(t, func(o *Options) { o.Keep = func(syscall.Conn) error { return errors.New("full") } })
	lines := r.stream()
	r.stop()
	for lines.Scan() {
	}
	if err := lines.Err(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the stream ended with %v", err)
	}
}

func TestStreamThatItsReaderLeftIsNotKept(t *testing.T) {
	s := &shelf{t, make(chan net.Conn, 1)}
	r := onSocket(t, func(o *Options) { o.Keep = s.keep })
	res, err := r.Get("http://hearthd/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	for subscribed := true; subscribed; _, subscribed = r.bus.Missed()["control"] {
		runtime.Gosched()
	}
	r.stop()
	if len(s.kept) != 0 {
		t.Error("a stream without a reader was kept")
	}
}
