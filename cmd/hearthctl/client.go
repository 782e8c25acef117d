package main

import (
	"bytes"
	"cmp"
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
	version string // of hearthctl
	socket  string // empty for defaultSocket
	json    bool
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

// open asks with a GET, or posts a body, and returns that of a good answer.
func (c *client) open(ctx context.Context, path string, body any) (io.ReadCloser, error) {
	if body == nil {
		return c.send(ctx, http.MethodGet, path, nil)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	return c.send(ctx, http.MethodPost, path, bytes.NewReader(data))
}

func (c *client) send(ctx context.Context, method, path string, in io.Reader) (io.ReadCloser, error) {
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

// request is one call of the API: a GET, or a POST if it has a body.
type request struct {
	path  string
	body  any
	limit time.Duration // for the whole call; 0: callLimit
}

// ask sends r and decodes the answer into out, unless that is nil.
func (c *client) ask(ctx context.Context, r request, out any) error {
	_, err := c.answer(ctx, r, out)
	return err
}

// answer asks too, and returns the answer as it came.
func (c *client) answer(ctx context.Context, r request, out any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.limit, callLimit))
	defer cancel()
	rc, err := c.open(ctx, r.path, r.body)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	answer, err := io.ReadAll(io.LimitReader(rc, maxAnswer))
	if err != nil {
		return nil, explain(err, c.socket)
	}
	if out == nil {
		return answer, nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	return answer, nil
}

// call asks, and prints the answer: as it came with --json, which shows more than this
// version of hearthctl knows, or else by plain.
func (c *client) call(cmd *cobra.Command, r request, out any, plain func(w io.Writer)) error {
	answer, err := c.answer(cmd.Context(), r, out)
	if err != nil {
		return err
	}
	return c.print(cmd, answer, plain)
}

// do sends a command that has no answer but that it was carried out.
func (c *client) do(cmd *cobra.Command, path string, body any) error {
	if err := c.ask(cmd.Context(), request{path: path, body: body}, nil); err != nil {
		return err
	}
	return c.print(cmd, map[string]bool{"ok": true}, func(io.Writer) {})
}

// say has the speaker say a text.
func (c *client) say(ctx context.Context, text string) error {
	return c.ask(ctx, request{path: "/v1/say", body: map[string]string{"text": text}}, nil)
}

// print prints v: as JSON, or else by plain.
func (c *client) print(cmd *cobra.Command, v any, plain func(w io.Writer)) error {
	if c.json {
		return printJSON(cmd.OutOrStdout(), v)
	}
	plain(cmd.OutOrStdout())
	return nil
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
