// Package tts turns text into speech. One type per engine: wyoming (a voice
// server), openai (any server with the OpenAI speech endpoint) and command (a
// program that writes a WAV, such as flite or espeak-ng). It must not import
// daemon, tools or vad. Engines run no goroutine between calls.
package tts

import (
	"context"
	"iter"

	"hearthd/audio"
)

// Engine speaks one sentence at a time.
type Engine interface {
	// Speak yields the speech for text as it is made, in chunks of one rate.
	// The sequence ends after the first error. To stop ranging, or to end ctx,
	// stops the engine; nothing is left running when the range has ended.
	Speak(ctx context.Context, text string) iter.Seq2[audio.Chunk, error]
}
