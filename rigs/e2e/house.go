package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hearthd/rigs/testcard"
)

// stopLimit is how long the daemon may take to stop after SIGTERM. It gives its own parts 4 s, and ends badly if they
// take longer; on a busy machine it needs more before it hears of the signal, and to close its store.
const stopLimit = 45 * time.Second

// House is a home with one running hearthd: the real program with folders, a
// broker port and a virtual sound card of its own.
type House struct {
	dir    string
	port   string
	api    *http.Client
	daemon *exec.Cmd
	exited chan struct{} // closed when daemon has ended
	ended  error         // what Wait returned; read after exited
}

// NewHouse chooses a port; what the daemon writes goes below dir. It starts
// nothing.
func NewHouse(dir string) (*House, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	h := &House{dir: dir, port: port}
	h.api = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", h.Socket())
		},
	}}
	return h, nil
}

// freePort is a port of loopback on which nobody listens. It lies below those that the
// kernel gives out (ip(7), ip_local_port_range), of which another process may have got
// it by the time that it is used.
func freePort() (string, error) {
	var err error
	for range 100 {
		port := strconv.Itoa(20_000 + rand.N(10_000))
		var l net.Listener
		if l, err = net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			return port, l.Close()
		}
	}
	return "", fmt.Errorf("find a free port: %w", err)
}

// Socket names the control socket.
func (h *House) Socket() string { return filepath.Join(h.dir, "run", "control.sock") }

// ConfigPath names the configuration file. Start makes an empty one if there is
// none, so that nothing of the machine's own configuration takes part.
func (h *House) ConfigPath() string { return filepath.Join(h.dir, "hearthd.yaml") }

// LogPath names the file with the daemon's log.
func (h *House) LogPath() string { return filepath.Join(h.dir, "hearthd.log") }

// Process is the running daemon.
func (h *House) Process() *os.Process { return h.daemon.Process }

// Start runs the daemon as production does, but for folders, port and card. env
// holds further variables, such as HEARTHD_AUDIO_VOLUME=50; later ones win. A
// daemon that was started before must have ended.
func (h *House) Start(bin string, card *testcard.Card, env ...string) error {
	config, err := os.OpenFile(h.ConfigPath(), os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("make configuration: %w", err)
	}
	if err := config.Close(); err != nil {
		return fmt.Errorf("make configuration: %w", err)
	}
	log, err := os.OpenFile(h.LogPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open log of hearthd: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(bin, "run", "--config", h.ConfigPath())
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), card.Environ()...)
	cmd.Env = append(cmd.Env,
		"STATE_DIRECTORY="+filepath.Join(h.dir, "state"), "RUNTIME_DIRECTORY="+filepath.Join(h.dir, "run"),
		"HEARTHD_NODE=demo", "HEARTHD_LOG_TRANSCRIPTS=true", "HEARTHD_MQTT_LISTEN=127.0.0.1:"+h.port,
		"HEARTHD_CONSOLE_LISTEN=127.0.0.1:0")
	cmd.Env = append(cmd.Env, env...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", bin, err)
	}
	exited := make(chan struct{})
	h.daemon, h.exited = cmd, exited
	go func() {
		h.ended = cmd.Wait()
		close(exited)
	}()
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

// Console is the address of the web console, and its token.
func (h *House) Console(ctx context.Context) (url, token string, err error) {
	var c struct {
		URLs    []string `json:"urls"`
		Token   string   `json:"token"`
		Problem string   `json:"problem"`
	}
	if err := h.Call(ctx, http.MethodGet, "/v1/console", nil, &c); err != nil {
		return "", "", err
	}
	if len(c.URLs) == 0 {
		return "", "", fmt.Errorf("there is no console: %s", c.Problem)
	}
	return c.URLs[0], c.Token, nil
}

// Broker is how to join the daemon's own broker.
type Broker struct{ Host, Port, User, Password string }

// Broker tells how to join the daemon's own broker.
func (h *House) Broker(ctx context.Context) (b Broker, err error) {
	err = h.Call(ctx, http.MethodGet, "/v1/mqtt/client", nil, &b)
	return b, err
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
		case <-h.exited:
			return fmt.Errorf("hearthd ended: %v\n%s", h.ended, h.Tail())
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

// Exited is closed when the daemon that was started last has ended.
func (h *House) Exited() <-chan struct{} { return h.exited }

// Running reports whether a daemon was started and has not ended.
func (h *House) Running() bool {
	if h.daemon == nil {
		return false
	}
	select {
	case <-h.exited:
		return false
	default:
		return true
	}
}

// Stop ends the daemon as systemd does and says whether it ended well.
func (h *House) Stop() error {
	if h.daemon == nil {
		return nil
	}
	if h.Running() {
		// It may end by itself just now; what it ended with tells.
		if err := h.daemon.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("stop hearthd: %w", err)
		}
	}
	select {
	case <-h.exited:
	case <-time.After(stopLimit):
		return errors.Join(fmt.Errorf("hearthd did not end within %v\n%s", stopLimit, h.Tail()), h.Kill())
	}
	h.api.CloseIdleConnections()
	if h.ended != nil {
		return fmt.Errorf("hearthd ended badly: %w\n%s", h.ended, h.Tail())
	}
	return nil
}

// Kill ends the daemon as a power cut does and waits until it is gone.
func (h *House) Kill() error {
	if err := h.daemon.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill hearthd: %w", err)
	}
	<-h.exited
	h.api.CloseIdleConnections()
	return nil
}
