// Package stt turns speech into text. One type per engine: wyoming (a voice
// server), openai (any server with the OpenAI transcription endpoint), command
// (a program that is fed a WAV) and pocketsphinx (Debian's recogniser with a
// grammar). It must not import daemon, tools or vad.
//
// An engine runs no goroutine of its own between utterances; those of a Stream
// have ended when Close returns.
package stt

import (
	"context"
	"errors"

	"hearthd/audio"
	"hearthd/llm"
)

// Engine opens one Stream per utterance.
type Engine interface {
	// Open starts an utterance. ctx bounds the whole utterance: when it ends,
	// every call on the Stream returns.
	Open(ctx context.Context) (Stream, error)
}

// Stream takes the frames of one utterance and gives its transcript. It is
// used by one goroutine.
type Stream interface {
	// Write takes the next frame. It never waits for the recogniser.
	Write(f *audio.Frame) error
	// Finish says that the utterance is complete and waits for the transcript.
	Finish(ctx context.Context) (llm.Transcript, error)
	// Close gives up the utterance, if it is not finished, and frees all that
	// the stream holds. It may be called at any time, also twice.
	Close() error
}

// ErrNoPeek says that the words so far are not to be had, now or ever. The utterance goes on.
var ErrNoPeek = errors.New("the words so far are not known")

// Peeker is a Stream that can give the words so far while the utterance goes on.
type Peeker interface {
	Stream
	// Peek gives the transcript that Finish would give of what was written up to
	// now, and costs as much. The utterance stays open. The error may be ErrNoPeek.
	// Where several recognisers hear, early is called, at most once and before Peek
	// returns, with the words of one while another is waited for.
	Peek(ctx context.Context, early func(llm.Transcript)) (llm.Transcript, error)
}
