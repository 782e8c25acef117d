package control

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"hearthd/daemon/api"
	"hearthd/daemon/event"
	"hearthd/daemon/timeline"
)

func TestSocketIsForOwnerAndGroupAndGoneAfterwards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Socket(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o660 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	newRig(t, l, nil).stop()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket outlives the server: %v", err)
	}
}

func TestStaleSocketIsReplacedAndALiveOneIsNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false) // as after kill -9
	dead.Close()
	l, err := Socket(path)
	if err != nil {
		t.Fatalf("stale socket: %v", err)
	}
	defer l.Close()
	if l, err := Socket(path); err == nil || !strings.Contains(err.Error(), "RUNTIME_DIRECTORY") {
		t.Errorf("live socket: %v, %v", l, err)
	}
	if c, err := net.Dial("unix", path); err != nil {
		t.Errorf("the live socket was pushed aside: %v", err)
	} else {
		c.Close()
	}
}

func TestNothingButASocketIsRemoved(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "hearthd.yaml")
	link, folder := filepath.Join(dir, "link"), filepath.Join(dir, "folder")
	err := errors.Join(os.WriteFile(file, []byte("node: kitchen\n"), 0o600), os.Symlink(file, link),
		os.Mkdir(folder, 0o700))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link, folder} {
		if _, err := Socket(path); err == nil || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), "not a socket") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if data, err := os.ReadFile(link); err != nil || !bytes.Equal(data, []byte("node: kitchen\n")) {
		t.Errorf("%q, %v", data, err)
	}
	missing := filepath.Join(dir, "missing", "s")
	if _, err := Socket(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing folder: %v", err)
	}
}

func TestConnectionsAreCappedAndTheirSlotsFreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		var open []net.Conn
		for range maxClients {
			open = append(open, r.dial())
		}
		synctest.Wait()
		code := 0
		go func() { code, _ = r.do("POST", "/v1/stop", "{}") }()
		synctest.Wait()
		if code != 0 {
			t.Fatalf("connection %d was served: %d", maxClients+1, code)
		}
		open[7].Close()
		synctest.Wait()
		if code != 200 {
			t.Errorf("answer %d after a slot was free", code)
		}
		for _, c := range open {
			c.Close()
		}
		r.CloseIdleConnections()
		synctest.Wait()
		for range 3 * maxClients { // as many as there are slots, again and again
			c := r.dial()
			synctest.Wait()
			c.Close()
		}
		synctest.Wait()
		if code, _ := r.do("POST", "/v1/stop", "{}"); code != 200 {
			t.Errorf("answer %d after the crowd has gone", code)
		}
		r.stop()
	})
}

// A listener that fails ends Run with an error instead of leaving a deaf server.
func TestListenerThatFailsEndsTheServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Socket(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	s, err := New(Options{
		Listener: l, Speaker: &fakeSpeaker{}, Bus: event.NewBus(), Log: slog.New(slog.DiscardHandler),
		Status: func(context.Context) (api.Status, error) { return api.Status{}, nil },
		Meter:  func(context.Context) <-chan api.Meter { return nil }, Wake: &fakeSpeaker{},
		Voices:   fakeVoices{},
		Withdraw: func(context.Context) error { return nil },
		Fleet:    func(context.Context) ([]api.Box, error) { return nil, nil },
		Memory:   &fakeMemory{}, Lists: lists, Tools: fakeTools{}, Configuration: fakeConfiguration{},
		Probe:     func(context.Context, string, bool) (api.Probed, error) { return api.Probed{}, nil },
		Thinkers:  func() []api.Thinker { return nil },
		Household: &fakeHousehold{}, Lines: fakeLog{}, Turns: noTurns, Sounds: &timeline.Sounds{},
		Console: func() api.Console { return api.Console{URLs: []string{"http://127.0.0.1:4327/"}} },
		Backup:  fakeBackup, Broker: func() (api.Broker, error) { return api.Broker{}, ErrNoBroker },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); !errors.Is(err, net.ErrClosed) ||
		!strings.HasPrefix(err.Error(), "serve control socket: ") {
		t.Errorf("Run returned %v", err)
	}
	if _, err := New(Options{}); err == nil {
		t.Error("a server was made of nothing")
	}
}
