package ears

import (
	"math"
	"sync/atomic"
)

const (
	// maxLevel bounds how far speech stands above the noise, in dB.
	maxLevel = 90
	// smooth is the share of the newest frame in the mean, which therefore takes 200 ms to follow:
	// longer than a click, shorter than a word.
	smooth = 0.1
	// fade is what the loudest mean loses per frame, in dB, so that a loud word is forgotten
	// after some seconds.
	fade = 0.1
)

// loudness is how far the speech of the last seconds was above the noise. That does not
// depend on the gain of the microphone, so boxes can compare it. Push belongs to one
// goroutine; any may call Level.
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
	l.top.Store(math.Float32bits(max(l.mean, l.level()-fade)))
}

// level is the loudest recent mean, in dB.
func (l *loudness) level() float32 { return math.Float32frombits(l.top.Load()) }
