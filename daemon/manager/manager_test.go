package manager

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"testing"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/systemd"
)

// mute are turns that do not answer before ctx ends.
type mute struct{}

func (mute) Beats() uint64 { return 0 }
func (mute) State(ctx context.Context) (event.State, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func TestStoppingIsToldWhateverTheDaemonIsDoing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	bus := event.NewBus()
	m := &Manager{opt: Options{
		Notifier: systemd.NewNotifier(path), Turns: mute{},
		Bus: bus, Conditions: health.New(bus), Log: slog.New(slog.DiscardHandler),
	}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.narrate(ctx); err != nil {
		t.Fatal(err)
	}
	if err := socket.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	n, err := socket.Read(b)
	if err != nil || string(b[:n]) != "STOPPING=1" {
		t.Errorf("told %q, %v", b[:n], err)
	}
}
