package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"hearthd/audio/device/testcard"
)

// stopLimit is how long the daemon may take to stop after SIGTERM.
const stopLimit = 5 * time.Second

// House is a home with one running hearthd: the real program with folders, a
// broker port and a virtual sound card of its own.
type House struct {
	dir    string
	port   string
	daemon *exec.Cmd
	exited chan error
	api    *http.Client
}

// NewHouse chooses a port; what the daemon writes goes below dir. It starts
// nothing.
func NewHouse(dir string) (*House, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err := errors.Join(err, l.Close()); err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	h := &House{dir: dir, port: port, exited: make(chan error, 1)}
	h.api = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, "run", "control.sock"))
		},
	}}
	return h, nil
}

// Port is where the daemon's own broker listens, on loopback.
func (h *House) Port() string { return h.port }

// LogPath names the file with the daemon's log.
func (h *House) LogPath() string { return filepath.Join(h.dir, "hearthd.log") }

// Process is the running daemon.
func (h *House) Process() *os.Process { return h.daemon.Process }

// Start runs the daemon as production does, but for folders, port and card. env
// holds further variables, such as HEARTHD_AUDIO_VOLUME=50.
func (h *House) Start(bin string, card *testcard.Card, env ...string) error {
	log, err := os.OpenFile(h.LogPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open log of hearthd: %w", err)
	}
	defer log.Close()
	h.daemon = exec.Command(bin, "run")
	h.daemon.Stdout, h.daemon.Stderr = log, log
	h.daemon.Env = append(os.Environ(), card.Environ()...)
	h.daemon.Env = append(h.daemon.Env,
		"STATE_DIRECTORY="+filepath.Join(h.dir, "state"), "RUNTIME_DIRECTORY="+filepath.Join(h.dir, "run"),
		"HEARTHD_NODE=demo", "HEARTHD_LOG_TRANSCRIPTS=true", "HEARTHD_MQTT_LISTEN=127.0.0.1:"+h.port)
	h.daemon.Env = append(h.daemon.Env, env...)
	if err := h.daemon.Start(); err != nil {
		return fmt.Errorf("start %s: %w", bin, err)
	}
	go func() { h.exited <- h.daemon.Wait() }()
	return nil
}

// Call asks the control API.
func (h *House) Call(ctx context.Context, method, path string, body, out any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://hearthd"+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	res, err := h.api.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
		return fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text)
	}
	return json.NewDecoder(res.Body).Decode(out)
}

// Status is what tests and the demo read of the daemon's status.
type Status struct {
	State  string `json:"state"`
	Frames uint64 `json:"frames"`
	Broker string `json:"broker"`
	Muted  bool   `json:"muted"`
	Volume int    `json:"volume"`
	Timers []struct {
		Label string `json:"label"`
	} `json:"timers"`
	Conditions []struct {
		Code string `json:"code"`
		Text string `json:"text"`
	} `json:"conditions"`
}

// Await asks for the status until good is content.
func (h *House) Await(ctx context.Context, good func(Status) bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		var s Status
		last = h.Call(ctx, http.MethodGet, "/v1/status", nil, &s)
		if last == nil && good(s) {
			return nil
		}
		select {
		case err := <-h.exited:
			h.exited <- err
			return fmt.Errorf("hearthd ended: %v\n%s", err, h.Tail())
		case <-ctx.Done():
			return fmt.Errorf("wait for hearthd: %w (last answer: %v)\n%s", ctx.Err(), last, h.Tail())
		case <-tick.C:
		}
	}
}

// Tail is the end of the daemon's log.
func (h *House) Tail() string {
	text, err := os.ReadFile(h.LogPath())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// Events calls take with each event, as JSON, until ctx ends.
func (h *House) Events(ctx context.Context, take func([]byte)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://hearthd/v1/events", nil)
	if err != nil {
		return err
	}
	res, err := h.api.Do(req)
	if err != nil {
		return err
	}
	go func() {
		defer res.Body.Close()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
				take(bytes.Clone(data))
			}
		}
	}()
	return nil
}

// Stop ends the daemon as systemd does and says whether it ended well.
func (h *House) Stop() error {
	if h.daemon == nil || h.daemon.Process == nil {
		return nil
	}
	if err := h.daemon.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop hearthd: %w", err)
	}
	select {
	case err := <-h.exited:
		if err != nil {
			return fmt.Errorf("hearthd ended badly: %w\n%s", err, h.Tail())
		}
		return nil
	case <-time.After(stopLimit):
		return errors.Join(fmt.Errorf("hearthd did not end within %v", stopLimit), h.daemon.Process.Kill())
	}
}
