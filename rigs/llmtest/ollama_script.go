package llmtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// OllamaChunk is one step of a scripted answer: a line of the stream, or a
// misbehaviour. The functions below make them.
type OllamaChunk struct {
	chunk chunk
	// play misbehaves and reports whether the answer goes on.
	play func(*Ollama, http.ResponseWriter, *http.Request) bool
}

// chunk is one line of the stream of /api/chat. Durations are nanoseconds.
type chunk struct {
	Model           string        `json:"model"`
	CreatedAt       time.Time     `json:"created_at"`
	Message         OllamaMessage `json:"message"`
	Done            bool          `json:"done"`
	DoneReason      string        `json:"done_reason,omitempty"`
	LoadDuration    time.Duration `json:"load_duration,omitempty"`
	PromptEvalCount int           `json:"prompt_eval_count,omitempty"`
	EvalCount       int           `json:"eval_count,omitempty"`
}

// OllamaSay is a whole answer: one line for each piece and the line that ends it.
func OllamaSay(pieces ...string) []OllamaChunk {
	var cs []OllamaChunk
	for _, p := range pieces {
		cs = append(cs, OllamaText(p))
	}
	return append(cs, OllamaDone(10, len(pieces), 0))
}

// OllamaText is a line that carries text.
func OllamaText(text string) OllamaChunk {
	return OllamaChunk{chunk: chunk{Message: OllamaMessage{Content: text}}}
}

// OllamaThought is a line that carries what a thinking model mutters.
func OllamaThought(text string) OllamaChunk {
	return OllamaChunk{chunk: chunk{Message: OllamaMessage{Thinking: text}}}
}

// OllamaTool is a line that carries the index-th tool call of an answer; args is
// a JSON object.
func OllamaTool(index int, name, args string) OllamaChunk {
	var call OllamaCall
	call.Function.Index, call.Function.Name = index, name
	call.Function.Arguments = json.RawMessage(args)
	return OllamaChunk{chunk: chunk{Message: OllamaMessage{ToolCalls: []OllamaCall{call}}}}
}

// OllamaDone is the line that ends an answer and says what it cost.
func OllamaDone(prompt, output int, load time.Duration) OllamaChunk {
	return OllamaChunk{chunk: chunk{
		Done: true, DoneReason: "stop",
		PromptEvalCount: prompt, EvalCount: output, LoadDuration: load,
	}}
}

// OllamaError is the error object that Ollama sends in the middle of a stream,
// for instance when its runner died.
func OllamaError(text string) OllamaChunk {
	return OllamaChunk{play: func(o *Ollama, w http.ResponseWriter, _ *http.Request) bool {
		o.line(w, map[string]string{"error": text})
		return false
	}}
}

// OllamaStatus answers with an HTTP status and a body of plain text, or of JSON
// when it is an object. It must be the first chunk.
func OllamaStatus(status int, body string) OllamaChunk {
	return OllamaChunk{play: func(o *Ollama, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		if _, err := io.WriteString(w, body); err != nil {
			o.tb.Logf("write status: %v", err)
		}
		return false
	}}
}

// OllamaRaw is a line as it stands, valid or not.
func OllamaRaw(line string) OllamaChunk {
	return OllamaChunk{play: func(o *Ollama, w http.ResponseWriter, _ *http.Request) bool {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			o.tb.Logf("write line: %v", err)
		}
		return true
	}}
}

// OllamaCut closes the connection in the middle of the stream.
func OllamaCut() OllamaChunk {
	return OllamaChunk{play: func(_ *Ollama, w http.ResponseWriter, _ *http.Request) bool {
		panic(http.ErrAbortHandler)
	}}
}

// OllamaStall says nothing more until the client goes away, which Aborts then
// reports.
func OllamaStall() OllamaChunk {
	return OllamaChunk{play: func(o *Ollama, w http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		o.abort()
		return false
	}}
}

// OllamaEndless writes one line that does not end until the client goes away,
// which Aborts then reports.
func OllamaEndless() OllamaChunk {
	return OllamaChunk{play: func(o *Ollama, w http.ResponseWriter, r *http.Request) bool {
		piece := bytes.Repeat([]byte("la "), 10_000)
		_, err := io.WriteString(w, `{"message":{"role":"assistant","content":"`)
		for err == nil {
			_, err = w.Write(piece)
		}
		o.abort()
		return false
	}}
}

// abort notes that a client went away. Beyond the 16 that fit, nobody counts.
func (o *Ollama) abort() {
	select {
	case o.aborts <- struct{}{}:
	default:
	}
}
