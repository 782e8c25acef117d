package ears

import (
	"math"
	"sync/atomic"
)

const (
	// maxLevel bounds how far speech stands above the noise, in dB.
	maxLevel = 90
	// smooth is the share of the newest frame in the mean, which follows in 200 ms:
	// longer than a click, shorter than a word.
	smooth = 0.1
	// fade is what the loudest mean loses per frame, in dB: nothing is left of a loud
	// word after some seconds.
	fade = 0.1
)

// loudness is how far the speech of the last seconds stood above the noise. It does
// not depend on the gain of the microphone, which boxes have different ones of. Push
// belongs to one goroutine; Level may be asked by any.
type loudness struct {
	mean float32
	top  atomic.Uint32 // float32 bits, dB
}

// Push takes the next frame, in dB above the noise.
func (l *loudness) Push(db float32) {
	if db != db { // NaN
		db = 0
	}
	l.mean += smooth * (min(max(db, 0), maxLevel) - l.mean)
	l.top.Store(math.Float32bits(max(l.mean, l.Level()-fade)))
}

// Level is the loudest of what was pushed lately, in dB.
func (l *loudness) Level() float32 { return math.Float32frombits(l.top.Load()) }
