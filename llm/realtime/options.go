package realtime

import (
	"context"
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
	// how the service detects that a person has ended: semantic_vad or server_vad; empty: it does not
	Detection string
	// Reasoning is how much the model thinks: minimal, low, medium, high or xhigh; empty: its default,
	// or a model that does not.
	Reasoning string
	Prices    Prices
	// Open opens the line to a service of another protocol, in sessions that know their persona from
	// the start and are replaced when it changes, and pays for their time with Spent; nil: the service
	// speaks this one.
	Open func(ctx context.Context, o *Options, p *Persona) (Line, error)
	// Spent is called with the cost of each response and each transcript; it must not block.
	Spent func(money float64)
	Log   *slog.Logger
	// verdict is called with how a turn ended at the service; it must not block.
	verdict func(error)
	// unwritten is called with the reason why what people say is not transcribed; it must not
	// block.
	unwritten func(error)
	Via       *http.Client // of tests; nil: the default one
}

// Persona is how the service is told to behave, and what it may call.
type Persona struct {
	Instructions string
	Tools        []llm.ToolSpec
	History      []llm.Message // of the conversation that goes on, oldest first
}
