package dialogue

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"hearthd/audio/cue"
	"hearthd/daemon/event"
)

// Ringing is how ended timers and alarms ring: the earcon and a sentence, again
// and again and louder, until somebody ends it.
type Ringing struct {
	Limit  time.Duration // then it gives up
	Pause  time.Duration // between two rounds, in which one can be heard
	Volume int           // percent that it rises to, unless the speaker's is higher
	// Text is what is said of those with these ids, all together.
	Text func(ids []int64) string
	// Ended is told which of them do not ring any more. It must not block.
	Ended func(ids []int64)
	// Enders are the tools that whoever speaks while it rings may ask for without
	// a wake word.
	Enders []string
}

// ringRounds is how many rounds the volume takes to rise, from ringStart of it on.
const (
	ringRounds = 5
	ringStart  = 0.6
)

func (o *Ringing) check() error {
	if o.Limit <= 0 || o.Pause <= 0 || o.Text == nil || o.Ended == nil || o.Volume < 0 || o.Volume > 100 {
		return errors.New("new dialogue: ringing needs a limit, a pause, a volume, a text and somebody who is told")
	}
	return nil
}

// level is the volume of a round, in percent, for a speaker at volume.
func (o *Ringing) level(round, volume int) int {
	top := max(o.Volume, volume)
	low := int(float64(top) * ringStart)
	return low + (top-low)*min(round, ringRounds-1)/(ringRounds-1)
}

// ring is what rings. The loop has one at most, and whatever ends meanwhile joins
// it; the goroutine of the turn in which it sounds goes by its ids.
type ring struct {
	more chan struct{} // holds one: something joined

	mu    sync.Mutex
	ids   []int64
	once  []int64 // those of them that do not ring on when they have been said
	begun bool    // it may have been heard
	over  bool    // nothing can join any more
	round int
	until time.Time
}

// add lets ids ring on until limit, and those in once until they have been said,
// unless r is over.
func (r *ring) add(ids, once []int64, limit time.Duration) bool {
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
		r.until = time.Now().Add(limit)
	}
	select {
	case r.more <- struct{}{}:
	default:
	}
	return true
}

// remove takes ids out, all of them for nil, and gives those that were in.
func (r *ring) remove(ids []int64) (gone []int64, empty bool) {
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
func (r *ring) next(limit time.Duration) (ids []int64, round int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun {
		r.begun, r.until = true, time.Now().Add(limit)
	}
	if len(r.ids) == 0 || !time.Now().Before(r.until) {
		ids, r.ids, r.over = r.ids, nil, true
		return ids, 0, false
	}
	r.round++
	return slices.Clone(r.ids), r.round - 1, true
}

// said takes out what does not ring on, of ids that have been said.
func (r *ring) said(ids []int64) (gone []int64, empty bool) {
	r.mu.Lock()
	once := slices.Clone(r.once)
	r.mu.Unlock()
	return r.remove(slices.DeleteFunc(ids, func(id int64) bool { return !slices.Contains(once, id) }))
}

func (r *ring) heard() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begun
}

// Ring lets what has these ids ring, together with what rings already, until Stop,
// Silence or the limit; those in once only until they have been said. It waits for
// the turn that is going on.
func (d *Dialogue) Ring(ctx context.Context, ids, once []int64) error {
	return d.run(ctx, func(ctx context.Context, m *machine) error {
		if m.ring != nil && m.ring.add(ids, once, m.opt.Ringing.Limit) {
			return nil
		}
		m.ring = &ring{more: make(chan struct{}, 1)}
		m.ring.add(ids, once, m.opt.Ringing.Limit)
		return m.announce(ctx, announcement{ring: m.ring})
	})
}

// ringEnded tells that ids do not ring any more.
func (d *Dialogue) ringEnded(h event.Header, ids []int64, reason string) {
	if len(ids) > 0 {
		d.opt.Bus.Publish(&event.RingEnded{Header: h, Timers: ids, Reason: reason})
		d.opt.Ringing.Ended(ids)
	}
}

// Silence ends the ringing of those with these ids, of all for nil, and gives
// those that rang, or were about to.
func (d *Dialogue) Silence(ctx context.Context, ids []int64) ([]int64, error) {
	var gone []int64
	err := d.run(ctx, func(ctx context.Context, m *machine) error {
		gone = m.silence(ids, "silenced")
		m.restIfIdle(ctx)
		return nil
	})
	return gone, err
}

// silence takes ids out of what rings, which ends with the last of them.
func (m *machine) silence(ids []int64, reason string) []int64 {
	r := m.ring
	if r == nil {
		return nil
	}
	gone, empty := r.remove(ids)
	m.d.ringEnded(m.header(), gone, reason)
	if !empty {
		return gone
	}
	m.ring = nil
	m.waiting = slices.DeleteFunc(m.waiting, func(a announcement) bool { return a.ring == r })
	if m.turn != nil && m.turn.req.says.ring == r {
		m.cancelTurn(errStopped)
	}
	return gone
}

// quell ends what rings if that has been heard.
func (m *machine) quell() bool {
	if m.ring == nil || !m.ring.heard() {
		return false
	}
	m.silence(nil, "stopped")
	return true
}

// endsRinging reports whether text, which nobody addressed to the box, asks it to
// end what rings.
func (m *machine) endsRinging(text string) bool {
	if m.ring == nil || !m.ring.heard() {
		return false
	}
	call, _, ok := m.opt.Matcher.MatchRinging(text)
	return ok && slices.Contains(m.opt.Ringing.Enders, call.Name)
}

// ring sounds one round after the other.
func (a *answer) ring(ctx context.Context, r *ring) {
	o := &a.d.opt.Ringing
	defer a.d.opt.Voice.Raise(nil)
	pause := time.NewTimer(o.Pause)
	defer pause.Stop()
	for again := false; ; again = true {
		select {
		case <-r.more: // what joined before is said now
		default:
		}
		if ctx.Err() != nil {
			return
		}
		ids, round, ok := r.next(o.Limit)
		if !ok {
			a.d.ringEnded(a.t.Header, ids, "limit")
			return
		}
		if again {
			a.speech = a.d.opt.Voice.Begin()
		}
		a.d.opt.Voice.Raise(func(volume int) int { return o.level(round, volume) })
		a.round(ctx, o.Text(ids))
		if ctx.Err() != nil {
			return
		}
		told, empty := r.said(ids)
		a.d.ringEnded(a.t.Header, told, "told")
		if empty {
			continue
		}
		pause.Reset(o.Pause)
		select {
		case <-ctx.Done():
			return
		case <-r.more:
		case <-pause.C:
		}
	}
}

// round sounds once.
func (a *answer) round(ctx context.Context, text string) {
	ctx, cancel := context.WithTimeout(ctx, turnLimit)
	defer cancel()
	a.cue(ctx, cue.Timer)
	a.say(ctx, line{text: text})
	if err := a.speech.Drain(ctx); err != nil && ctx.Err() == nil {
		a.d.opt.Log.WarnContext(ctx, "play ringing", "component", "voice", "error", err)
	}
}
