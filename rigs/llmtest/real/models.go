package real

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"hearthd/rigs/llmtest/gguf"
)

// Create gives the server a scripted model.
func (s *Server) Create(ctx context.Context, name string, script gguf.Script, thinking bool) error {
	return s.create(ctx, name, gguf.Template(thinking), func(w io.Writer) error { return gguf.Write(w, script) })
}

// CreateEmbedder gives the server an embedding model.
func (s *Server) CreateEmbedder(ctx context.Context, name string, concepts [][]string) error {
	return s.create(ctx, name, "", func(w io.Writer) error { return gguf.WriteEmbedder(w, concepts) })
}

// create uploads a model and makes it known, as Ollama's docs/api.md describes it.
func (s *Server) create(ctx context.Context, name, template string, write func(io.Writer) error) error {
	var file bytes.Buffer
	if err := write(&file); err != nil {
		return err
	}
	sum := sha256.Sum256(file.Bytes())
	digest := "sha256:" + hex.EncodeToString(sum[:])
	if err := s.do(ctx, http.MethodPost, "/api/blobs/"+digest, &file); err != nil {
		return fmt.Errorf("upload model %q: %w", name, err)
	}
	want := map[string]any{
		"model": name, "files": map[string]string{"model.gguf": digest}, "stream": false,
		// More threads than cores to spare make a tiny model a hundred times slower.
		"parameters": map[string]any{"num_thread": 1},
	}
	if template != "" {
		want["template"] = template
	}
	return s.ask(ctx, http.MethodPost, "/api/create", want)
}

// Delete takes a model away again.
func (s *Server) Delete(ctx context.Context, name string) error {
	return s.ask(ctx, http.MethodDelete, "/api/delete", map[string]string{"model": name})
}

func (s *Server) ask(ctx context.Context, method, path string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.do(ctx, method, path, bytes.NewReader(b))
}
