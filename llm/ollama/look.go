package ollama

import (
	"context"
	"fmt"
	"slices"

	"github.com/ollama/ollama/api"

	"hearthd/llm"
)

// Version is that of the server. Its errors are those of Ready.
func (c *Client) Version(ctx context.Context) (string, error) {
	ctx, call := newCall(ctx, c.http, readyTimeout, readyTimeout)
	defer call.end()
	v, err := call.client(c.base).Version(ctx)
	if err = call.verdict(ctx, err); err != nil {
		return "", fmt.Errorf("ask version: %w", err)
	}
	return clip(v), nil
}

// Loaded reports whether the model is in the server's memory, and how large it is
// there, in bytes.
func (c *Client) Loaded(ctx context.Context) (loaded bool, size int64, err error) {
	ctx, call := newCall(ctx, c.http, readyTimeout, readyTimeout)
	defer call.end()
	list, err := call.client(c.base).ListRunning(ctx)
	if err = call.verdict(ctx, err); err != nil {
		return false, 0, fmt.Errorf("list loaded models: %w", err)
	}
	i := slices.IndexFunc(list.Models, func(m api.ProcessModelResponse) bool {
		return m.Name == c.opt.Model || m.Name == c.opt.Model+":latest"
	})
	if i < 0 {
		return false, 0, nil
	}
	return true, list.Models[i].Size, nil
}

// Unload takes the model out of the server's memory.
func (c *Client) Unload(ctx context.Context) error {
	wire, err := c.wire(llm.Request{})
	if err != nil {
		return err
	}
	wire.KeepAlive = &api.Duration{}
	if err := c.stream(ctx, wire, func(llm.Delta) bool { return true }); err != nil {
		return fmt.Errorf("unload %q: %w", c.opt.Model, err)
	}
	return nil
}
