package realtime

import (
	"log/slog"
	"net/http"

	"hearthd/llm"
)

// Options say which service, and as whom.
type Options struct {
	URL         string // base, such as https://api.openai.com/v1
	Key         string // empty: none is sent
	Model       string
	Voice       string // empty: the service's default
	Transcriber string // model that writes down what people say; empty: nothing is written down
	Language    string // of people, ISO 639-1; empty: any
	// by which the service tells when a person has ended: semantic_vad or server_vad; empty: it does not
	Detection string
	Prices    Prices
	// Spent is told what each response and each transcript cost, by the session's loop:
	// it must not block.
	Spent func(money float64)
	Log   *slog.Logger
	// verdict is told how a turn ended at the service; it must not block.
	verdict func(error)
	// unwritten is told why nothing of what people say is written down; it must not block.
	unwritten func(error)
	via       *http.Client // of tests; nil: the default one
}

// Persona is what the service is told about itself, and what it may call.
type Persona struct {
	Instructions string
	Tools        []llm.ToolSpec
	History      []llm.Message // of the conversation that goes on, oldest first
}
