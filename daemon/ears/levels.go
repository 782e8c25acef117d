package ears

import (
	"sync/atomic"
	"time"

	"hearthd/audio"
)

// levelsEvery is how often the conditions of the microphone's level are looked at.
const levelsEvery = time.Second

// levels watches whether the microphone is silent or overdriven. Push belongs to the listen
// goroutine.
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

// lag reports whether sound keeps being lost. A check that finds some lost adds lagStep to the
// score, any other takes 1 off. So a front end that is one percent too slow, which loses some in
// every other check, counts as late, and ten seconds in which a model uses the whole machine do
// not.
type lag struct {
	dropped uint64 // at the last check
	score   int
	is      bool
}

const (
	lagStep = 3
	lagLate = 36 // 12 checks in a row
	lagMost = 60 // it is over after a minute without loss
)

// late is one check; dropped counts the samples that were lost since the start.
func (l *lag) late(dropped uint64) bool {
	if dropped != l.dropped {
		l.score = min(l.score+lagStep, lagMost)
	} else {
		l.score = max(l.score-1, 0)
	}
	l.dropped = dropped
	l.is = l.score >= lagLate || l.is && l.score > 0
	return l.is
}
