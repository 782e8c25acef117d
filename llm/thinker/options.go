package thinker

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"hearthd/llm"
	"hearthd/tools"
)

// chat asks a model. The sequence ends with an error, or after a Delta with the usage; nothing
// follows when ctx has ended. The ids of calls are unique.
type chat interface {
	Chat(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error]
}

// toolbox runs tools. Run returns exactly one outcome in every case, asks the person where a call
// requires it, and returns soon after ctx ended. It is called from several goroutines.
type toolbox interface {
	Specs() []llm.ToolSpec
	Run(ctx context.Context, call tools.Call) tools.Outcome
}

// recaller returns what the memory knows, as a text block, or "": about a person, and what may help
// with a request, with the number of notes in it. It never makes a turn fail and returns soon after
// ctx ended.
type recaller interface {
	Known(ctx context.Context, person string) string
	Recall(ctx context.Context, person, text string) (block string, notes int)
}

// keeper keeps answers for reuse.
type keeper interface {
	Answer(ctx context.Context, key string) (a Kept, ok bool)
	KeepAnswer(ctx context.Context, key, domain string, a Kept, ttl time.Duration)
}

// sayings knows how people ask for tools.
type sayings interface {
	// Wordings are the shares of the terms that people use, by tool. Version changes with them.
	Wordings() map[string]map[string]float64
	Version() uint64
	// Terms are the terms of a request.
	Terms(text string) []string
}

// Kept is an answer with its sources.
type Kept struct {
	Text    string
	Sources []llm.Source
}

// Model is what a domain asks for.
type Model struct {
	Provider string
	Tier     Tier
}

// Chats are the models that domains may ask for.
type Chats map[Model]chat

// Options says what to think with. Chat and Tools are needed.
type Options struct {
	Chat    chat  // serves every domain for which Chats has nothing
	Chats   Chats // may be nil
	Tools   toolbox
	Sayings sayings  // nil: tools are known only by their specifications
	Domains []Domain // none: Fallback alone, with every tool
	Prompts Prompts
	Book    tools.Book // the sentences that are said without a model
	// Language is that of the answers, whose abbreviations are written out; "": English.
	Language string
	// Meanings are for routing; nil: by words alone. The caller runs them.
	Meanings *Meanings
	Memory   recaller // nil: nothing is recalled
	Answers  keeper   // nil: nothing is kept
	// Depends lists everything on which an answer to a person may depend beside its question, the
	// tools and the day: place, units, language, versions, what they said about themselves. It is
	// part of the key of a kept answer. With an error nothing is kept.
	Depends func(ctx context.Context, person string) (string, error)
	// Announce says text when no turn is waiting for it: the result of a background job.
	Announce func(ctx context.Context, a Kept)
	// MaxTokens bounds the estimated length of a prompt: system prompt, tools, what is recalled and
	// conversation. The model's context must also have room for an answer. Zero: 8,000.
	MaxTokens   int
	MaxMessages int            // of the conversation; zero: 20
	Location    *time.Location // of the household; nil: the system's
	Log         *slog.Logger
}
