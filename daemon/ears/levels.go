package ears

import (
	"sync/atomic"
	"time"

	"hearthd/audio"
)

// levelsEvery is how often the conditions of the microphone's level are looked at.
const levelsEvery = time.Second

// levels watches whether what the microphone gives can be worked with. push
// belongs to the listen goroutine.
type levels struct {
	monitor          *audio.Monitor
	silent, clipping atomic.Bool
}

func newLevels() *levels { return &levels{monitor: audio.NewMonitor()} }

func (l *levels) String() string { return l.monitor.String() }

// Push takes the next frame of the device.
func (l *levels) Push(f *audio.Frame) {
	l.monitor.Push(f)
	r := l.monitor.Reading()
	l.silent.Store(r.Silent)
	l.clipping.Store(r.Clipping)
}

// lag tells whether sound has been lost for long. A look that finds some lost counts
// lagMore, another one takes 1 back: a front end that is a hundredth too slow loses some
// in every other look, and ten seconds in which a model takes the whole machine pass.
type lag struct {
	dropped uint64 // as of the last look
	score   int
	is      bool
}

const (
	lagMore  = 3
	lagBegin = 36 // 12 looks in a row
	lagMost  = 60 // a minute until it counts as over
)

// late takes the samples that were lost since the start.
func (l *lag) late(dropped uint64) bool {
	if dropped != l.dropped {
		l.score = min(l.score+lagMore, lagMost)
	} else {
		l.score = max(l.score-1, 0)
	}
	l.dropped = dropped
	l.is = l.score >= lagBegin || l.is && l.score > 0
	return l.is
}
