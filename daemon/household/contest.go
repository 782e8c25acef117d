package household

import (
	"encoding/json"
	"math"
	"time"

	"hearthd/daemon/mqtt/contract"
)

// The times of a contest, from the claim of this box. An answer waits for none
// longer than 250 ms, which the contract promises: limit leaves a busy machine a fifth.
const (
	// collect is how long the best claim waits for a better one: spotters hear a word
	// up to 100 ms apart, and a broker in the house takes a few more. When all boxes
	// have claimed, nobody waits.
	collect = 130 * time.Millisecond
	// patience is how long a box leaves it to a better one, which may be gone.
	patience = 170 * time.Millisecond
	// limit is when this box answers although the broker has said nothing.
	limit = 200 * time.Millisecond
	// silence is how long after that it may also be heard that this box listens,
	// although nobody has confirmed that it is the one.
	silence = 750 * time.Millisecond
	// late is how long after that verdict a contest stays open: who sees then that
	// another was first, and still listens, yields.
	late = 2 * time.Second
)

const (
	// scoreBands is how finely scores are told apart. Spotters are not that exact, and
	// a tenth more in one microphone says less than half the distance.
	scoreBands = 5
	// maxLevel bounds how far speech stands above the noise, in dB.
	maxLevel = 90
)

// Bid is how well this box heard that somebody calls.
type Bid struct {
	Busy  bool      // it answers or rings just now: what is said is probably about that
	Score float32   // of the wake word, 0 to 1
	Level float32   // of the speech above the noise, dB
	Since time.Time // what was heard began after that, by this box's own clock
}

// Verdict says who answers.
type Verdict struct {
	Won  bool
	Sure bool   // that this one answers is not only because the house is slow
	Box  string // that answers instead
}

type bid struct {
	Bid
	tell func(Verdict) // nil: it is settled, and the others are told
}

// call is a message of a box to the others: that it was called, or, with Take, that
// it answers.
type call struct {
	Version int     `json:"v"`
	Box     string  `json:"box"`
	Number  uint64  `json:"n"` // of the sender's contest
	Take    bool    `json:"take"`
	Busy    bool    `json:"busy,omitempty"`
	Score   float32 `json:"score"`
	Level   float32 `json:"level_db"`
}

// parseCall reads a message of another box, or this one's own.
func parseCall(payload []byte) (c call, ok bool) {
	if err := json.Unmarshal(payload, &c); err != nil || c.Box == "" || contract.Node(c.Box) != c.Box {
		return call{}, false
	}
	c.Score, c.Level = clamp(c.Score, 1), clamp(c.Level, maxLevel)
	return c, true
}

func clamp(v, top float32) float32 {
	if v != v {
		return 0
	}
	return min(max(v, 0), top)
}

// outranks reports whether c is to answer rather than o. It is a total order: two
// boxes that know the same claims come to the same end.
func (c *call) outranks(o *call) bool {
	band := func(c *call) int { return int(math.Round(float64(c.Score) * scoreBands)) }
	switch {
	case c.Busy != o.Busy:
		return c.Busy
	case band(c) != band(o):
		return band(c) > band(o)
	case c.Level != o.Level:
		return c.Level > o.Level
	}
	return c.Box < o.Box
}

// arbiter is the contests of one box, one at a time. It belongs to one goroutine.
//
// A box that was called claims, and the best claim that is known after a moment
// takes the turn. All boxes see the messages of one topic in one order, so that of
// two who take, for the claims crossed or came late, the first one answers and the
// other yields: both see the same first.
type arbiter struct {
	node  string
	peers func() int // boxes that are there beside this one
	post  func(call)
	timer *time.Timer // of the contest

	number  uint64 // of the newest contest
	contest *contest
	claims  map[string]arrival // the newest of each other box
	takes   map[string]time.Time
}

// arrival is a claim and when it came.
type arrival struct {
	call
	at time.Time
}

// contest is what this box is to learn the end of.
type contest struct {
	bid
	mine      call
	begun     time.Time
	collected time.Time // when all claims should be here
	took      bool
	told      time.Time // when this box answered because nobody had said otherwise; zero: not yet
	sure      bool      // and that is taken for settled
}

func newArbiter(node string, peers func() int, post func(call)) *arbiter {
	a := &arbiter{node: node, peers: peers, post: post, timer: time.NewTimer(time.Hour), claims: map[string]arrival{}, takes: map[string]time.Time{}}
	a.timer.Stop()
	return a
}

// open begins a contest.
func (a *arbiter) open(now time.Time, b bid) {
	a.close()
	a.forget(now)
	a.number++
	mine := call{
		Version: contract.Version, Box: a.node, Number: a.number,
		Busy: b.Busy, Score: clamp(b.Score, 1), Level: clamp(b.Level, maxLevel),
	}
	if b.tell == nil {
		mine.Take = true
		a.post(mine)
		return
	}
	for box, at := range a.takes {
		if !at.Before(b.Since) {
			b.tell(Verdict{Box: box})
			return
		}
	}
	a.contest = &contest{bid: b, mine: mine, begun: now, collected: now.Add(collect)}
	for _, c := range a.claims { // who heard it first has waited for this one already
		if first := c.at.Add(collect); !c.at.Before(b.Since) && first.Before(a.contest.collected) {
			a.contest.collected = first
		}
	}
	a.post(mine)
	a.weigh(now)
}

// hear takes a message of the house, this box's own among them.
func (a *arbiter) hear(now time.Time, c call) {
	switch {
	case c.Box == a.node:
		if c.Take && a.contest != nil && c.Number == a.contest.mine.Number {
			a.end(Verdict{Won: true, Sure: true})
		}
	case c.Take:
		a.remember(now, c)
		if a.contest != nil {
			a.end(Verdict{Box: c.Box})
		}
	default:
		a.remember(now, c)
		a.weigh(now)
	}
}

// maxBoxes bounds the boxes whose words are kept; a house has fewer.
const maxBoxes = 256

func (a *arbiter) remember(now time.Time, c call) {
	if len(a.claims) >= maxBoxes || len(a.takes) >= maxBoxes {
		a.forget(now)
	}
	if len(a.claims) >= maxBoxes || len(a.takes) >= maxBoxes {
		return
	}
	if c.Take {
		a.takes[c.Box] = now
		return
	}
	a.claims[c.Box] = arrival{c, now}
}

// keep is how long a box remembers what others said: longer than anybody speaks
// before it is known that they called.
const keep = time.Minute

func (a *arbiter) forget(now time.Time) {
	for box, c := range a.claims {
		if now.Sub(c.at) > keep {
			delete(a.claims, box)
		}
	}
	for box, at := range a.takes {
		if now.Sub(at) > keep {
			delete(a.takes, box)
		}
	}
}

// weigh does what is due.
func (a *arbiter) weigh(now time.Time) {
	c := a.contest
	if c == nil {
		return
	}
	rivals, best := a.rivals()
	since := now.Sub(c.begun)
	// Before anything else, for a box that was held up must still say that it answers.
	if !c.took && (since >= patience || best && (rivals >= a.peers() || !now.Before(c.collected))) {
		c.took = true
		take := c.mine
		take.Take = true
		a.post(take)
	}
	// What follows counts from the verdict: when this box was held up, the others have
	// perhaps said long ago what it has not read yet.
	switch {
	case c.told.IsZero() && since < limit:
	case c.told.IsZero():
		c.told = now
		c.tell(Verdict{Won: true})
	case now.Sub(c.told) >= late:
		a.contest = nil
		return
	case now.Sub(c.told) >= silence && !c.sure:
		c.sure = true
		c.tell(Verdict{Won: true, Sure: true})
	}
	a.timer.Reset(max(0, a.next(now).Sub(now)))
}

// next is when weigh has something to do again.
func (a *arbiter) next(now time.Time) time.Time {
	c := a.contest
	switch {
	case c.sure:
		return c.told.Add(late)
	case !c.told.IsZero():
		return c.told.Add(silence)
	case c.took:
		return c.begun.Add(limit)
	case now.Before(c.collected):
		return c.collected
	}
	return c.begun.Add(patience)
}

// rivals counts the claims of others in this contest, and tells whether this box's
// is the best.
func (a *arbiter) rivals() (n int, best bool) {
	best = true
	for _, r := range a.claims {
		if r.at.Before(a.contest.Since) {
			continue
		}
		n++
		best = best && a.contest.mine.outranks(&r.call)
	}
	return n, best
}

// end tells the verdict, unless it is known.
func (a *arbiter) end(v Verdict) {
	c := a.contest
	a.contest = nil
	a.timer.Stop()
	if !c.sure || !v.Won {
		c.tell(v)
	}
}

// close gives up the contest that is going on: this box answers.
func (a *arbiter) close() {
	if a.contest != nil {
		a.end(Verdict{Won: true, Sure: true})
	}
}
