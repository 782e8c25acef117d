package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

const (
	serviceSocket = "/run/hearthd/control.sock"

	dialLimit = 2 * time.Second
	// callLimit is for commands that hearthd carries out at once.
	callLimit = 10 * time.Second
	maxAnswer = 1 << 20 // bytes
)

// client calls the control API.
type client struct {
	socket string // empty for defaultSocket
	json   bool
}

// defaultSocket is where the service listens, or else the user's own daemon.
func defaultSocket() string {
	if own := os.Getenv("XDG_RUNTIME_DIR"); own != "" {
		if _, err := os.Stat(serviceSocket); errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(own, "hearthd", "control.sock")
		}
	}
	return serviceSocket
}

// open sends a request and returns the body of a good answer.
func (c *client) open(ctx context.Context, method, path string, body any) (io.ReadCloser, error) {
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://hearthd"+path, in)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	socket := c.socket
	if socket == "" {
		socket = defaultSocket()
	}
	dial := net.Dialer{Timeout: dialLimit}
	transport := &http.Transport{
		DisableKeepAlives: true, // hearthctl asks once
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dial.DialContext(ctx, "unix", socket)
		},
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return nil, explain(err, socket)
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	defer res.Body.Close()
	var failure struct {
		Error string `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&failure); err != nil || failure.Error == "" {
		return nil, fmt.Errorf("hearthd answered %s", res.Status)
	}
	return nil, errors.New(visible(failure.Error))
}

// explain says what a person can do about a daemon that does not answer.
func explain(err error, socket string) error {
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted")
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return errors.New("hearthd runs, but does not answer in time; try: journalctl -u hearthd")
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return &awayError{socket}
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("open %s: %w; run as root or join the group hearthd", socket, fs.ErrPermission)
	}
	return fmt.Errorf("call hearthd: %w", err)
}

// awayError is that of a daemon that does not run.
type awayError struct{ socket string }

func (e *awayError) Error() string {
	return fmt.Sprintf("hearthd does not run (nothing answers on %s); try: systemctl status hearthd", e.socket)
}

// request is one call of the API.
type request struct {
	method, path string
	body         any           // nil for none
	limit        time.Duration // for the whole call
}

// call sends r and decodes the answer into out. Then it prints it: as it came
// with --json, which shows more than this version of hearthctl knows, or else
// by plain. With a nil plain it prints nothing.
func (c *client) call(cmd *cobra.Command, r request, out any, plain func(w io.Writer)) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), r.limit)
	defer cancel()
	rc, err := c.open(ctx, r.method, r.path, r.body)
	if err != nil {
		return err
	}
	defer rc.Close()
	answer, err := io.ReadAll(io.LimitReader(rc, maxAnswer))
	if err != nil {
		return explain(err, c.socket)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	switch {
	case plain == nil:
		return nil
	case !c.json:
		plain(cmd.OutOrStdout())
		return nil
	}
	return printJSON(cmd.OutOrStdout(), json.RawMessage(answer))
}

// do sends a command that has no answer but that it was carried out.
func (c *client) do(cmd *cobra.Command, path string, body any) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), callLimit)
	defer cancel()
	rc, err := c.open(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	defer rc.Close()
	if c.json {
		return printJSON(cmd.OutOrStdout(), map[string]bool{"ok": true})
	}
	return nil
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
