package answer

import (
	"errors"
	"slices"
	"sync"
	"time"

	"hearthd/daemon/queue"
)

// Ringing is how ended timers and alarms ring: the earcon and a sentence, again
// and again and louder, until somebody ends it.
type Ringing struct {
	Limit  time.Duration // then it gives up
	Pause  time.Duration // between two rounds, in which a person can be heard
	Volume int           // percent that it rises to, unless the speaker's is higher
	Timers timers
	// Enders are the tools that a person may ask for without a wake word while it rings.
	Enders []string
}

// timers are what rings.
type timers interface {
	// Spoken is what is said of those with these ids, all together.
	Spoken(ids []int64) string
	// Ended is called with those that no longer ring. It must not block.
	Ended(ids []int64)
	// GaveUp is Ended for those that nobody has stopped; mute: the speaker was not there.
	GaveUp(ids []int64, mute bool)
	// Unheard says what nobody has heard ringing, and Told that somebody knows of it now.
	Unheard() string
	Told()
}

// ringRounds is how many rounds the volume takes to rise, from ringStart of it on.
const (
	ringRounds = 5
	ringStart  = 0.6
)

func (o *Ringing) check() error {
	if o.Limit <= 0 || o.Pause <= 0 || o.Timers == nil || o.Volume < 0 || o.Volume > 100 {
		return errors.New("new dialogue: ringing needs a limit, a pause, a volume and timers")
	}
	return nil
}

// level is the volume of a round, in percent, for a speaker at volume.
func (o *Ringing) level(round, volume int) int {
	top := max(o.Volume, volume)
	low := int(float64(top) * ringStart)
	return low + (top-low)*min(round, ringRounds-1)/(ringRounds-1)
}

// Ring is what rings. The loop has one at most, and whatever ends meanwhile joins it; the goroutine
// of the turn in which it sounds plays what ids name.
type Ring struct {
	limit time.Duration
	more  queue.Bell // something joined

	mu    sync.Mutex
	ids   []int64
	once  []int64 // those of them that stop once they have been said
	begun bool    // it may have been heard
	over  bool    // nothing can join any more
	heard bool    // the speaker has played it
	round int
	until time.Time
}

// Add lets ids ring until the limit, and those in once until they have been said, unless r is over.
func (r *Ring) Add(ids, once []int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return false
	}
	for _, id := range slices.Concat(ids, once) {
		if !slices.Contains(r.ids, id) {
			r.ids = append(r.ids, id)
		}
	}
	r.once = append(r.once, once...)
	if r.begun {
		r.until = time.Now().Add(r.limit)
	}
	r.more.Ring()
	return true
}

// Remove takes ids out, or all of them for nil, and returns those that were in.
func (r *Ring) Remove(ids []int64) (gone []int64, empty bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids = slices.DeleteFunc(r.ids, func(id int64) bool {
		if ids != nil && !slices.Contains(ids, id) {
			return false
		}
		gone = append(gone, id)
		return true
	})
	return gone, len(r.ids) == 0
}

// next begins a round. Not ok: it is over, and ids are those that rang until the
// limit.
func (r *Ring) next() (ids []int64, round int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun {
		r.begun, r.until = true, time.Now().Add(r.limit)
	}
	if len(r.ids) == 0 || !time.Now().Before(r.until) {
		ids, r.ids, r.over = r.ids, nil, true
		return ids, 0, false
	}
	r.round++
	return slices.Clone(r.ids), r.round - 1, true
}

// said removes those of ids that were to be said only once.
func (r *Ring) said(ids []int64) (gone []int64, empty bool) {
	r.mu.Lock()
	once := slices.Clone(r.once)
	r.mu.Unlock()
	return r.Remove(slices.DeleteFunc(ids, func(id int64) bool { return !slices.Contains(once, id) }))
}

// Heard reports whether it may have been heard.
func (r *Ring) Heard() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begun
}
