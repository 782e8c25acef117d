package timeline

import (
	"slices"
	"sync"
	"time"

	"hearthd/audio"
)

const (
	// maxSamples bounds all utterances that are kept together, four minutes or 8 MB, on a
	// box that may have 512 MB, and maxAge how long one is kept.
	maxSamples = 4 * 60 * audio.Rate
	maxAge     = 24 * time.Hour

	// sweep is how often it is seen to what is too old.
	sweep = 10 * time.Minute
)

// Sounds keeps what the last turns were asked by, as it was heard, where the owner
// wants that. It is in memory only: a card is spared, and a box that is taken away
// has forgotten. Every method may be called by any goroutine.
type Sounds struct {
	mu      sync.Mutex
	limit   int // utterances; 0: none is kept
	list    []sound
	samples int // of all
}

type sound struct {
	turn    uint64
	at      time.Time
	samples []int16
}

// Limit sets how many utterances are kept; what is too much goes at once.
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

// Keep copies the samples of the utterance that began a turn, mono at audio.Rate.
func (s *Sounds) Keep(turn uint64, samples []int16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.list = append(s.list, sound{turn, now, slices.Clone(samples)})
	s.samples += len(samples)
	s.bound(now)
}

// bound drops the oldest while there are too many, and what is too old.
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

// Erase drops the sound of one turn, or with 0 all, and returns how many it were.
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

// Sound is a copy of what the turn was asked by.
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

// turns are those of which there is a sound.
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
