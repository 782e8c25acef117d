// Package wake says what an acoustic wake-word spotter is. The engines live in
// packages below this one; a wake phrase that is read off the transcript needs
// none. It runs no goroutine, keeps no buffer, and imports audio only.
package wake

import (
	"fmt"

	"hearthd/audio"
)

// Detection is one wake word that was heard.
type Detection struct {
	Name     string         // of the wake word, as the config spells it
	Score    float32        // confidence, 0 to 1
	Position audio.Position // end of the wake word in the stream
}

// MaxWords bounds the words of a spotter that listens in this process.
const MaxWords = 16

// Spotter listens for wake words. It must see the continuous stream: audio that
// a gate has cut lowers its scores.
type Spotter interface {
	// Push takes the next frame, which begins at position at, and returns what
	// was heard as of its end, mostly nothing. f is borrowed until the call
	// returns, the result until the next call. It allocates nothing.
	Push(f *audio.Frame, at audio.Position) []Detection
	// Reset forgets the stream: what comes next does not continue it.
	Reset()
	fmt.Stringer // what it is, and its words
}
