package timeline

import (
	"slices"
	"sync"
	"time"

	"hearthd/audio"
)

const (
	// maxSamples bounds all recordings together, to four minutes or 8 MB, on a box that may
	// have 512 MB. maxAge is how long one is kept.
	maxSamples = 4 * 60 * audio.Rate
	maxAge     = 24 * time.Hour

	// sweep is how often recordings that are too old are dropped.
	sweep = 10 * time.Minute
)

// Sounds keeps recordings of the last requests, if the owner wants that. They are in memory only,
// which spares the memory card, and a thief of the box gets none. It is safe for use by several
// goroutines.
type Sounds struct {
	mu      sync.Mutex
	limit   int // recordings; 0: none is kept
	list    []sound
	samples int // of all
}

type sound struct {
	turn    uint64
	at      time.Time
	samples []int16
}

// Limit sets how many recordings are kept; any more are dropped at once.
func (s *Sounds) Limit(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = n
	s.bound(time.Now())
}

// On reports whether any are kept.
func (s *Sounds) On() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limit > 0
}

// Keep copies the samples of the request of a turn, mono at audio.Rate.
func (s *Sounds) Keep(turn uint64, samples []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.list = append(s.list, sound{turn, now, slices.Clone(samples)})
	s.samples += len(samples)
	s.bound(now)
}

// bound drops the oldest recordings while there are too many, and those that are too old.
func (s *Sounds) bound(now time.Time) {
	n := 0
	for _, one := range s.list {
		if len(s.list)-n <= s.limit && s.samples <= maxSamples && now.Sub(one.at) < maxAge {
			break
		}
		s.samples -= len(one.samples)
		n++
	}
	s.list = slices.Delete(s.list, 0, n)
}

// Erase drops the recording of one turn, or with 0 all, and returns how many it has dropped.
func (s *Sounds) Erase(turn uint64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.list)
	s.list = slices.DeleteFunc(s.list, func(one sound) bool {
		gone := turn == 0 || one.turn == turn
		if gone {
			s.samples -= len(one.samples)
		}
		return gone
	})
	return before - len(s.list)
}

// Sound is a copy of the recording of a turn.
func (s *Sounds) Sound(turn uint64) (samples []int16, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bound(time.Now())
	i := slices.IndexFunc(s.list, func(one sound) bool { return one.turn == turn })
	if i < 0 {
		return nil, false
	}
	return slices.Clone(s.list[i].samples), true
}

// turns are those that have a recording.
func (s *Sounds) turns() map[uint64]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bound(time.Now())
	have := make(map[uint64]bool, len(s.list))
	for _, one := range s.list {
		have[one.turn] = true
	}
	return have
}
