package e2e

import (
	"context"
	"iter"
	"sync"

	"hearthd/audio"
	"hearthd/llm/tts"
)

// chorus is the voice of the tests. It synthesises each sentence once.
type chorus struct {
	engine tts.Engine

	mu    sync.Mutex
	known map[string][]audio.Chunk
}

func newChorus() *chorus {
	engine, err := tts.NewCommand(tts.Flite("slt"))
	if err != nil {
		panic(err) // the options are constant
	}
	return &chorus{engine: engine, known: map[string][]audio.Chunk{}}
}

// Speak implements tts.Engine.
func (c *chorus) Speak(ctx context.Context, text string) iter.Seq2[audio.Chunk, error] {
	return func(yield func(audio.Chunk, error) bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.known[text] == nil {
			var all []audio.Chunk
			for chunk, err := range c.engine.Speak(ctx, text) {
				if err != nil {
					yield(audio.Chunk{}, err)
					return
				}
				all = append(all, audio.Chunk{Rate: chunk.Rate, Samples: append([]int16(nil), chunk.Samples...)})
			}
			c.known[text] = all
		}
		for _, chunk := range c.known[text] {
			if !yield(chunk, nil) {
				return
			}
		}
	}
}
