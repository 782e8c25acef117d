package peer

import (
	"encoding/json"
	"math"
	"time"

	"hearthd/daemon/mqtt/contract"
)

// The times of a contest, counted from the claim of this box. No answer waits longer than
// the 250 ms that the contract promises: limit leaves a busy machine a fifth of that.
const (
	// collect is how long the best claim waits for a better one. Spotters hear a word up to
	// 100 ms apart, and a broker in the house adds a few. If all boxes have claimed before,
	// nobody waits any longer.
	collect = 130 * time.Millisecond
	// patience is how long a box waits for a better one to take the turn, which may have gone
	// offline.
	patience = 170 * time.Millisecond
	// limit is when this box answers although the broker has said nothing.
	limit = 200 * time.Millisecond
	// silence is how long after that verdict it counts as certain, although nobody has
	// confirmed it, and may be shown.
	silence = 750 * time.Millisecond
	// late is how long after that verdict the contest stays open: if this box sees by then
	// that another took the turn first, and is still listening, it yields.
	late = 2 * time.Second
)

const (
	// scoreBands is the number of bands into which scores are rounded. Spotters are not more
	// exact, and a tenth more in one microphone says less than half the distance.
	scoreBands = 5
	// maxLevel bounds the level of speech above the noise, in dB.
	maxLevel = 90
)

// Bid describes how well this box heard a wake word.
type Bid struct {
	Busy  bool      // it is answering or ringing, which the person probably speaks about
	Score float32   // of the wake word, 0 to 1
	Level float32   // of the speech above the noise, dB
	Since time.Time // the wake word began after that, by the clock of this box
}

// Verdict says who answers.
type Verdict struct {
	Won  bool
	Sure bool   // it is not only that the others were slow
	Box  string // the box that answers instead
}

type bid struct {
	Bid
	tell func(Verdict) // nil: this box answers in any case, and the others are told
}

// call is a message of a box to the others: a claim, that it heard the wake word, or, with
// Take, that it answers.
type call struct {
	Version int     `json:"v"`
	Box     string  `json:"box"`
	Number  uint64  `json:"n"` // of the contest of the sender
	Take    bool    `json:"take"`
	Busy    bool    `json:"busy,omitempty"`
	Score   float32 `json:"score"`
	Level   float32 `json:"level_db"`
}

// parseCall reads a message, from another box or this one.
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

// outranks reports whether the box of c should answer rather than that of o. It is a total
// order, so boxes that know the same claims come to the same result.
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

// arbiter holds the contests of one box, one at a time. It belongs to one goroutine.
//
// A box that hears the wake word claims, and a moment later the box with the best known
// claim takes the turn. Two boxes may both take it, if claims crossed or came late. All
// boxes see the messages of one topic in the same order, so both see the same first taker:
// that one answers, and the other yields.
type arbiter struct {
	node  string
	peers func() int // other boxes that are online
	post  func(call)
	timer *time.Timer // of the contest

	number  uint64 // of the newest contest
	contest *contest
	claims  map[string]arrival // the newest claim of each other box
	takes   map[string]time.Time
}

// arrival is a claim and when it came.
type arrival struct {
	call
	at time.Time
}

// contest is an open contest in which this box has claimed.
type contest struct {
	bid
	mine      call
	begun     time.Time
	collected time.Time // when all claims should be here
	took      bool
	told      time.Time // when this box answered because nobody objected; zero: not yet
	sure      bool      // that is now certain
}

func newArbiter(node string, peers func() int, post func(call)) *arbiter {
	a := &arbiter{
		node: node, peers: peers, post: post, timer: time.NewTimer(time.Hour),
		claims: map[string]arrival{}, takes: map[string]time.Time{},
	}
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
	for _, c := range a.claims { // a box that heard it earlier has been waiting since then
		if first := c.at.Add(collect); !c.at.Before(b.Since) && first.Before(a.contest.collected) {
			a.contest.collected = first
		}
	}
	a.post(mine)
	a.weigh(now)
}

// hear takes a message; this box sees its own, too.
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

// maxBoxes bounds the boxes that are remembered; a house has fewer.
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

// keep is how long messages of others are remembered: longer than anybody speaks before it is
// known that they said the wake word.
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

// weigh does what is due now.
func (a *arbiter) weigh(now time.Time) {
	c := a.contest
	if c == nil {
		return
	}
	rivals, best := a.rivals()
	since := now.Sub(c.begun)
	// This comes first, because a box that was held up must still say that it answers.
	if !c.took && (since >= patience || best && (rivals >= a.peers() || !now.Before(c.collected))) {
		c.took = true
		take := c.mine
		take.Take = true
		a.post(take)
	}
	// The rest counts from the verdict: if this box was held up, the others may have answered
	// long ago in messages that it has not read yet.
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

// next is when weigh is due again.
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

// rivals counts the claims of others in this contest, and reports whether this box has the
// best one.
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

// end closes the contest and reports the verdict, unless it was reported already.
func (a *arbiter) end(v Verdict) {
	c := a.contest
	a.contest = nil
	a.timer.Stop()
	if !c.sure || !v.Won {
		c.tell(v)
	}
}

// close ends an open contest: this box answers.
func (a *arbiter) close() {
	if a.contest != nil {
		a.end(Verdict{Won: true, Sure: true})
	}
}
