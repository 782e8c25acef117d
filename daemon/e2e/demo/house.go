package main

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

// house is the running daemon with its subscriber.
type house struct {
	dir    string
	port   string
	daemon *exec.Cmd
	exited chan error
	log    *os.File
	mqtt   *exec.Cmd
	api    *http.Client
}

// newHouse chooses folders and a port and starts nothing.
func newHouse(dir string) (*house, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err := errors.Join(err, l.Close()); err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	h := &house{dir: dir, port: port, exited: make(chan error, 1)}
	h.api = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, "run", "control.sock"))
		},
	}}
	return h, nil
}

// start runs the daemon as production does, but for folders, port and card.
func (h *house) start(bin string, card *testcard.Card, extra []string) error {
	var err error
	if h.log, err = os.Create(filepath.Join(h.dir, "hearthd.log")); err != nil {
		return err
	}
	h.daemon = exec.Command(bin, "run")
	h.daemon.Stdout, h.daemon.Stderr = h.log, h.log
	h.daemon.Env = append(os.Environ(), card.Environ()...)
	h.daemon.Env = append(h.daemon.Env,
		"STATE_DIRECTORY="+filepath.Join(h.dir, "state"), "RUNTIME_DIRECTORY="+filepath.Join(h.dir, "run"),
		"HEARTHD_NODE=demo", "HEARTHD_LOG_TRANSCRIPTS=true", "HEARTHD_MQTT_LISTEN=127.0.0.1:"+h.port)
	h.daemon.Env = append(h.daemon.Env, extra...)
	if err := h.daemon.Start(); err != nil {
		return fmt.Errorf("start %s: %w", bin, err)
	}
	go func() { h.exited <- h.daemon.Wait() }()
	return nil
}

// subscribe shows the MQTT messages as any client in the house sees them.
func (h *house) subscribe(ctx context.Context, show func(line string)) error {
	h.mqtt = exec.CommandContext(ctx, "mosquitto_sub", "-h", "127.0.0.1", "-p", h.port, "-t", "hearth/demo/#", "-v")
	out, err := h.mqtt.StdoutPipe()
	if err != nil {
		return err
	}
	if err := h.mqtt.Start(); err != nil {
		return fmt.Errorf("start mosquitto_sub: %w", err)
	}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			show(lines.Text())
		}
	}()
	return nil
}

// call asks the control API.
func (h *house) call(ctx context.Context, method, path string, body, out any) error {
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

// status is what the demo reads of the daemon's status.
type status struct {
	State  string `json:"state"`
	Frames uint64 `json:"frames"`
	Broker string `json:"broker"`
	Timers []struct {
		Label string `json:"label"`
	} `json:"timers"`
}

// await asks for the status until good is content.
func (h *house) await(ctx context.Context, good func(status) bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		var s status
		last = h.call(ctx, http.MethodGet, "/v1/status", nil, &s)
		if last == nil && good(s) {
			return nil
		}
		select {
		case err := <-h.exited:
			h.exited <- err
			return fmt.Errorf("hearthd ended: %v\n%s", err, h.tail())
		case <-ctx.Done():
			return fmt.Errorf("wait for hearthd: %w (last answer: %v)\n%s", ctx.Err(), last, h.tail())
		case <-tick.C:
		}
	}
}

// tail is the end of the daemon's log.
func (h *house) tail() string {
	text, err := os.ReadFile(h.log.Name())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// events calls take with each event, as JSON, until ctx ends.
func (h *house) events(ctx context.Context, take func([]byte)) error {
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

// stop ends the daemon as systemd does and says whether it ended well.
func (h *house) stop() error {
	if h.daemon == nil || h.daemon.Process == nil {
		return nil
	}
	if err := h.daemon.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop hearthd: %w", err)
	}
	select {
	case err := <-h.exited:
		if err != nil {
			return fmt.Errorf("hearthd ended badly: %w\n%s", err, h.tail())
		}
		return nil
	case <-time.After(stopLimit):
		return errors.Join(fmt.Errorf("hearthd did not end within %v", stopLimit), h.daemon.Process.Kill())
	}
}
