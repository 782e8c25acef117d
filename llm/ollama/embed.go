package ollama

import (
	"context"
	"fmt"

	"github.com/ollama/ollama/api"

	"hearthd/llm"
)

const (
	// maxEmbed bounds the texts of one request, and maxDimensions the vectors of
	// the answer.
	maxEmbed      = 256
	maxDimensions = 8192
)

// Embed gives the vector of each text, all of one length, by the model of c, which
// is an embedding model. Its errors are those of Chat.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 || len(texts) > maxEmbed {
		return nil, fmt.Errorf("embed %d texts: want 1 to %d", len(texts), maxEmbed)
	}
	ctx, call := newCall(ctx, c.http, c.opt.HeaderTimeout, c.opt.IdleTimeout)
	defer call.end()
	truncate := true
	got, err := call.client(c.base).Embed(ctx, &api.EmbedRequest{
		Model: c.opt.Model, Input: texts, Truncate: &truncate, KeepAlive: &api.Duration{Duration: c.opt.KeepAlive},
	})
	if err = call.verdict(ctx, err); err != nil {
		return nil, fmt.Errorf("embed with %q: %w", c.opt.Model, err)
	}
	if len(got.Embeddings) != len(texts) {
		return nil, fmt.Errorf("embed with %q: %w: %d vectors for %d texts", c.opt.Model, llm.ErrBroken,
			len(got.Embeddings), len(texts))
	}
	for _, v := range got.Embeddings {
		if len(v) == 0 || len(v) > maxDimensions || len(v) != len(got.Embeddings[0]) {
			return nil, fmt.Errorf("embed with %q: %w: a vector of %d dimensions", c.opt.Model, llm.ErrBroken, len(v))
		}
	}
	return got.Embeddings, nil
}
