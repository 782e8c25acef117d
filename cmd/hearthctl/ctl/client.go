// Package ctl is what the commands of hearthctl have in common: a client of the control
// API, and printing on a terminal. It runs no goroutine, and must not import the daemon.
package ctl

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

	"hearthd/daemon/refusal"

	"github.com/spf13/cobra"
)

const (
	ServiceSocket = "/run/hearthd/control.sock"

	dialLimit = 2 * time.Second
	// callLimit suits commands that hearthd carries out at once.
	callLimit = 10 * time.Second
	maxAnswer = 1 << 20 // bytes
)

// Client calls the control API.
type Client struct {
	Version string // of hearthctl
	Socket  string // empty for that of defaultSocket
	JSON    bool
}

// defaultSocket is where the service listens, or else the user's own daemon. A service that does not run has no socket.
func defaultSocket() string {
	own := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "hearthd", "control.sock")
	if filepath.IsAbs(own) && !Exists(ServiceSocket) && (Exists(own) || !Exists(ConfigFile)) {
		return own
	}
	return ServiceSocket
}

// errUnbegun says that hearthd ends and has done nothing of a request.
var errUnbegun = errors.New("hearthd is shutting down")

// againAfter is how long a hearthd that ends may go on to take requests.
const againAfter = 100 * time.Millisecond

// Open sends a GET, or posts a body, and returns the body of a successful answer. What hearthd did not begin because it
// was ending is asked again: the socket is systemd's, where it waits for the next one.
func (c *Client) Open(ctx context.Context, path string, body any) (io.ReadCloser, error) {
	for {
		rc, err := c.openOnce(ctx, path, body)
		if !errors.Is(err, errUnbegun) {
			return rc, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(againAfter):
		}
	}
}

func (c *Client) openOnce(ctx context.Context, path string, body any) (io.ReadCloser, error) {
	method, data := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://hearthd"+path, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	socket := cmp.Or(c.Socket, defaultSocket())
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
	if res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") != "" {
		return nil, errUnbegun
	}
	var failure refusal.Failure
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&failure); err != nil || failure.Error == "" {
		return nil, fmt.Errorf("hearthd answered %s", res.Status)
	}
	return nil, errors.New(Visible(failure.Error))
}

// explain says what a person can do about a daemon that does not answer.
func explain(err error, socket string) error {
	switch {
	case errors.Is(err, context.Canceled):
		return ErrInterrupted
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return errors.New("hearthd runs, but does not answer in time; try: journalctl -u hearthd")
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED),
		// The socket is systemd's, which hangs up when hearthd does not start.
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return &AwayError{socket}
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("open %s: %w; use sudo, or join the group (sudo adduser NAME hearthd) and log in again",
			socket, fs.ErrPermission)
	}
	return fmt.Errorf("call hearthd: %w", err)
}

// AwayError says that the daemon does not run.
type AwayError struct{ Socket string }

func (e *AwayError) Error() string {
	return fmt.Sprintf("hearthd does not run (nothing answers on %s); sudo hearthctl doctor says why", e.Socket)
}

// Request is one call of the API: a GET, or a POST if it has a body.
type Request struct {
	Path  string
	Body  any
	Limit time.Duration // for the whole call; 0: callLimit
}

// Ask sends r and decodes the answer into out, unless out is nil.
func (c *Client) Ask(ctx context.Context, r Request, out any) error {
	_, err := c.answer(ctx, r, out)
	return err
}

// Back waits until hearthd, which restarts, answers r.
func (c *Client) Back(ctx context.Context, r Request) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for c.Ask(ctx, r, nil) != nil {
		select {
		case <-ctx.Done():
			return errors.New("hearthd does not answer after its restart; try: journalctl -u hearthd")
		case <-tick.C:
		}
	}
	return nil
}

// answer asks too, and returns the answer as it came.
func (c *Client) answer(ctx context.Context, r Request, out any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.Limit, callLimit))
	defer cancel()
	rc, err := c.Open(ctx, r.Path, r.Body)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	answer, err := io.ReadAll(io.LimitReader(rc, maxAnswer))
	if err != nil {
		return nil, explain(err, c.Socket)
	}
	if out == nil {
		return answer, nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	return answer, nil
}

// Call sends r and prints the answer: unchanged with --json, which shows more than this version of
// hearthctl knows, otherwise by plain.
func (c *Client) Call(cmd *cobra.Command, r Request, out any, plain func(w io.Writer)) error {
	answer, err := c.answer(cmd.Context(), r, out)
	if err != nil {
		return err
	}
	return c.Print(cmd, answer, plain)
}

// Show makes cmd take no arguments, send r and print the answer, by plain or as JSON.
func Show[T any](c *Client, cmd *cobra.Command, r Request, plain func(io.Writer, T)) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var answer T
		return c.Call(cmd, r, &answer, func(w io.Writer) { plain(w, answer) })
	}
	return cmd
}

// Order makes cmd take no arguments and have hearthd carry out what body says.
func Order(c *Client, cmd *cobra.Command, path string, body any) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return c.Do(cmd, path, body) }
	return cmd
}

// Do sends a command whose answer only says that it was carried out.
func (c *Client) Do(cmd *cobra.Command, path string, body any) error {
	if err := c.Ask(cmd.Context(), Request{Path: path, Body: body}, nil); err != nil {
		return err
	}
	return c.Print(cmd, map[string]bool{"ok": true}, func(io.Writer) {})
}

// Say has the speaker say a text.
func (c *Client) Say(ctx context.Context, text string) error {
	return c.Ask(ctx, Request{Path: "/v1/say", Body: map[string]string{"text": text}}, nil)
}

// Print prints v: as JSON, or else by plain.
func (c *Client) Print(cmd *cobra.Command, v any, plain func(w io.Writer)) error {
	if c.JSON {
		return PrintJSON(cmd.OutOrStdout(), v)
	}
	plain(cmd.OutOrStdout())
	return nil
}
