package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// Ollama is a server that speaks the part of Ollama's HTTP protocol that a chat
// client uses: /api/chat and /api/show. It refuses what Ollama v0.24 refuses,
// with the same status and text, and answers what its script says. Handlers run
// in the goroutines of net/http; all methods may be called from any goroutine.
type Ollama struct {
	URL string

	tb     testing.TB
	model  string
	script func(OllamaRequest) []OllamaChunk
	aborts chan struct{}

	mu       sync.Mutex
	requests []OllamaRequest
}

// OllamaRequest is the body of a request to /api/chat, read without the help of
// Ollama's own types. A pointer is nil where the client left the field out.
type OllamaRequest struct {
	Model     string          `json:"model"`
	Messages  []OllamaMessage `json:"messages"`
	Stream    *bool           `json:"stream"`
	KeepAlive json.RawMessage `json:"keep_alive"`
	Think     *bool           `json:"think"`
	Tools     []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Options map[string]any `json:"options"`
}

// OllamaMessage is one message on the wire.
type OllamaMessage struct {
	Role       string       `json:"role"`
	Content    string       `json:"content"`
	Thinking   string       `json:"thinking,omitempty"`
	ToolCalls  []OllamaCall `json:"tool_calls,omitempty"`
	ToolName   string       `json:"tool_name,omitempty"`
	ToolCallID string       `json:"tool_call_id,omitempty"`
}

// OllamaCall is a tool call on the wire. Arguments must be a JSON object.
type OllamaCall struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Index     int             `json:"index"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// NewOllama starts a server that has one model. It is closed when the test ends.
// The script is called for each chat request that passes the checks; nil answers
// everything with "Ready.".
func NewOllama(tb testing.TB, model string, script func(OllamaRequest) []OllamaChunk) *Ollama {
	return NewOllamaOn(tb, nil, model, script)
}

// NewOllamaOn is NewOllama with a listener, which nil makes one of the network.
func NewOllamaOn(tb testing.TB, l net.Listener, model string, script func(OllamaRequest) []OllamaChunk) *Ollama {
	if script == nil {
		script = func(OllamaRequest) []OllamaChunk { return OllamaSay("Ready.") }
	}
	o := &Ollama{tb: tb, model: model, script: script, aborts: make(chan struct{}, 16)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/chat", o.chat)
	mux.HandleFunc("POST /api/show", o.show)
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter,
		_ *http.Request) {
		o.write(w, map[string]string{"version": "0.24.0"})
	})
	mux.HandleFunc("GET /api/ps", o.loaded)
	o.URL = serveOn(tb, l, mux)
	return o
}

// Requests are the chat requests that passed the checks, oldest first.
func (o *Ollama) Requests() []OllamaRequest {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.requests)
}

// Aborts delivers one value for each client that went away while the script
// stalled.
func (o *Ollama) Aborts() <-chan struct{} { return o.aborts }

func (o *Ollama) show(w http.ResponseWriter, r *http.Request) {
	var req struct{ Model string }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		o.refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if req.Model != o.model {
		o.refuse(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
		return
	}
	o.write(w, map[string]any{
		"details":      map[string]any{"format": "gguf", "family": "llama"},
		"model_info":   map[string]any{"general.architecture": "llama"},
		"capabilities": []string{"completion", "tools"},
		"modified_at":  time.Now(),
	})
}

// loaded tells that the model is in memory from the first request on that loads it, until
// one that says that it shall not be kept.
func (o *Ollama) loaded(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	models := []map[string]any{}
	if n := len(o.requests); n > 0 && string(o.requests[n-1].KeepAlive) != `"0s"` {
		models = append(models, map[string]any{"name": o.model, "model": o.model, "size": 1 << 20})
	}
	o.write(w, map[string]any{"models": models})
}

func (o *Ollama) chat(w http.ResponseWriter, r *http.Request) {
	var req OllamaRequest
	err := json.NewDecoder(r.Body).Decode(&req)
	switch {
	case err == io.EOF:
		o.refuse(w, http.StatusBadRequest, "missing request body")
	case err != nil:
		o.refuse(w, http.StatusBadRequest, err.Error())
	case req.Model == "":
		o.refuse(w, http.StatusBadRequest, "model is required")
	case req.Model != o.model:
		o.refuse(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
	case req.Think != nil && *req.Think:
		o.refuse(w, http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", req.Model))
	case badKeepAlive(req.KeepAlive):
		o.refuse(w, http.StatusBadRequest, "time: invalid duration "+string(req.KeepAlive))
	default:
		o.mu.Lock()
		o.requests = append(o.requests, req)
		o.mu.Unlock()
		o.answer(w, r, req)
	}
}

// badKeepAlive reports whether Ollama would refuse v: it takes seconds or a Go
// duration.
func badKeepAlive(v json.RawMessage) bool {
	if len(v) == 0 {
		return false
	}
	var seconds float64
	if json.Unmarshal(v, &seconds) == nil {
		return false
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return true
	}
	_, err := time.ParseDuration(s)
	return err != nil
}

func (o *Ollama) answer(w http.ResponseWriter, r *http.Request, req OllamaRequest) {
	if len(req.Messages) == 0 { // a request to load the model, or to unload it
		reason := "load"
		if k := string(req.KeepAlive); k == "0" || k == `"0s"` {
			reason = "unload"
		}
		o.write(w, chunk{Model: req.Model, Message: OllamaMessage{Role: "assistant"}, Done: true, DoneReason: reason})
		return
	}
	for _, c := range o.script(req) {
		if c.play == nil {
			c.chunk.Model, c.chunk.Message.Role = req.Model, "assistant"
			o.line(w, c.chunk)
			continue
		}
		if !c.play(o, w, r) {
			return
		}
	}
}

// line writes v as one line and sends it off.
func (o *Ollama) line(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	o.encode(w, v)
	if err := http.NewResponseController(w).Flush(); err != nil {
		o.tb.Logf("flush: %v", err)
	}
}

func (o *Ollama) write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	o.encode(w, v)
}

func (o *Ollama) refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	o.encode(w, map[string]string{"error": text})
}

// encode writes v as JSON. The client may be gone: that is for the test to judge.
func (o *Ollama) encode(w io.Writer, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		o.tb.Logf("write answer: %v", err)
	}
}
