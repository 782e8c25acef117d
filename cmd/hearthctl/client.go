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
)

const (
	dialLimit = 2 * time.Second
	maxAnswer = 1 << 20 // bytes
)

// client calls the control API.
type client struct {
	socket string
	json   bool
}

// defaultSocket is where the service listens, or else the user's own daemon.
func defaultSocket() string {
	const service = "/run/hearthd/control.sock"
	if own := os.Getenv("XDG_RUNTIME_DIR"); own != "" {
		if _, err := os.Stat(service); errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(own, "hearthd", "control.sock")
		}
	}
	return service
}

func (c *client) http() *http.Client {
	dial := net.Dialer{Timeout: dialLimit}
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dial.DialContext(ctx, "unix", c.socket)
		},
	}}
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
	res, err := c.http().Do(req)
	if err != nil {
		return nil, c.explain(err)
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
	return nil, errors.New(failure.Error)
}

// explain says what a person can do about a socket that does not answer.
func (c *client) explain(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("hearthd does not run (nothing answers on %s); try: systemctl status hearthd", c.socket)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("open %s: permission denied; run as root or join the group hearthd", c.socket)
	}
	return fmt.Errorf("call hearthd: %w", err)
}

// call sends a request and decodes the answer into out, if that is not nil.
func (c *client) call(ctx context.Context, method, path string, body, out any) error {
	rc, err := c.open(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer rc.Close()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(rc, maxAnswer)).Decode(out); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

// print writes v as JSON when that was asked for, or else calls plain.
func (c *client) print(w io.Writer, v any, plain func()) error {
	if !c.json {
		plain()
		return nil
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// do sends a command that has no answer but that it was carried out.
func (c *client) do(ctx context.Context, w io.Writer, path string, body any) error {
	if err := c.call(ctx, http.MethodPost, path, body, nil); err != nil {
		return err
	}
	return c.print(w, map[string]bool{"ok": true}, func() {})
}
