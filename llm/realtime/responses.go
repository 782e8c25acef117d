package realtime

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"hearthd/llm"
)

const (
	// createLimit bounds the wait for the response that runs to end before the next
	// may begin, and for that one to begin.
	createLimit = 10 * time.Second
	// maxRounds bounds the responses of one turn: each may call tools and so make
	// the next necessary.
	maxRounds = 10

	statusCompleted = "completed"
	statusFailed    = "failed"
	statusShort     = "incomplete"
)

var (
	errBusy   = errors.New("the response before did not end")
	errShort  = errors.New("the service broke its answer off")
	errRounds = errors.New("the service calls tools without end")
	errMute   = fmt.Errorf("%w: the service began no response", errLost)
)

// create is a response that is wanted for a turn.
type create struct {
	turn   *Turn
	params *responseParams
}

// response is an answer of the service, or a part of one that calls tools.
type response struct {
	id          string
	turn        *Turn
	cut         bool            // it was cancelled: what still comes from it is dropped
	done        bool            // nothing more comes of it
	called      map[string]bool // calls that were accepted; true: the service waits for the output
	unannounced []item          // calls of which no item was announced
	spoken      bool            // all it began to say has come, and it calls nothing; it may still say more
}

// created takes the response that has begun. One that nobody wants any more, or
// ever did, is cancelled.
func (l *loop) created(id string) {
	c := l.creating
	l.creating = nil
	l.wait()
	r := &response{id: id, called: map[string]bool{}}
	if c != nil {
		r.turn = c.turn
	}
	if l.known = append(l.known, r); len(l.known) > maxKnown {
		l.known = l.known[1:]
	}
	l.active = r
	if !l.awaited(r.turn) {
		l.cancel(r)
	}
}

// awaited reports whether t still waits for an answer, or for more of one.
func (l *loop) awaited(t *Turn) bool { return t != nil && t == l.turn && !t.ended() }

// find looks at the newest first: not every server gives its responses ids.
func (l *loop) find(id string) *response {
	for _, r := range slices.Backward(l.known) {
		if r.id == id {
			return r
		}
	}
	return nil
}

// live is the response with that id, if what it sends may still be played.
func (l *loop) live(id string) *response {
	if r := l.find(id); r != nil && !r.cut && r.turn == l.turn {
		return r
	}
	return nil
}

func (l *loop) audio(e *incoming) {
	r := l.live(e.ResponseID)
	if r == nil {
		return
	}
	data, err := base64.StdEncoding.DecodeString(e.Delta)
	if err == nil && len(data)%2 != 0 {
		err = errors.New("half a sample")
	}
	if err != nil {
		l.failed = fmt.Errorf("the service sent audio that cannot be decoded: %w", err)
		return
	}
	samples := make([]int16, len(data)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	r.spoken = false
	r.turn.sounds(e.ItemID, e.Content, len(samples))
	r.turn.push(llm.Delta{Audio: samples})
}

// done takes the end of a response, and those calls that only the end mentions.
func (l *loop) done(a *answer) {
	r := l.find(a.ID)
	if r == nil || r.done {
		l.next() // the wanted response may have waited for one that was not known here
		return
	}
	for i := range a.Output {
		l.item(r, &a.Output[i])
	}
	if a.Status == statusCompleted {
		for i := range r.unannounced {
			l.call(r, &r.unannounced[i])
		}
	}
	r.done = true
	if l.active == r {
		l.active = nil
	}
	if a.Usage != nil {
		l.spent(r, a.Usage.sum())
	}
	if a.Status == statusFailed {
		l.fail(r.turn, l.s.opt.failure(&a.Details.Error))
	}
	if a.Status == statusShort && l.awaited(r.turn) {
		r.turn.end(fmt.Errorf("%w: %s", errShort, l.s.opt.name(a.Details.Reason)))
	}
	l.settle(r)
	l.next()
}

// whole reports whether everything of an answer came but the message of its end: the response has
// said all that it began to say, and has called nothing.
func (l *loop) whole(t *Turn) bool {
	r := l.active
	return l.awaited(t) && r != nil && r.turn == t && r.spoken && len(r.called) == 0 && len(r.unannounced) == 0
}

// spent reports the cost of r, even if nobody wants its answer any more. Time is paid by whoever
// opened the line, because it passes between the responses too.
func (l *loop) spent(r *response, u Usage) {
	cost := l.s.opt.Prices.cost(u)
	if l.s.opt.Open == nil {
		l.pay(cost)
	}
	if l.awaited(r.turn) {
		in, out := u.tokens()
		r.turn.push(llm.Delta{Usage: &llm.Usage{PromptTokens: in, OutputTokens: out, Cost: cost}})
	}
}

// settle goes on when a response has ended and all its calls have an output.
func (l *loop) settle(r *response) {
	if !r.done || r.owes() || r.cut || !l.awaited(r.turn) {
		return
	}
	if len(r.called) == 0 {
		l.s.opt.verdict(nil)
		r.turn.end(nil)
		return
	}
	l.want(&create{turn: r.turn})
}

// want requests a response as soon as no other runs.
func (l *loop) want(c *create) {
	if c.turn.rounds++; c.turn.rounds > maxRounds {
		c.turn.end(errRounds)
		return
	}
	l.wanted = c
	l.patience.Reset(createLimit)
	l.next()
}

// next requests the response that is wanted, if its turn is still the current one.
func (l *loop) next() {
	c := l.wanted
	if c == nil || l.active != nil || l.creating != nil {
		return
	}
	l.wanted = nil
	if !l.awaited(c.turn) {
		return
	}
	l.creating = c
	l.patience.Reset(createLimit)
	l.send(outgoing{Type: "response.create", Event: eventCreate, Response: c.params})
}

// wait restarts the time limit for what is still waited for.
func (l *loop) wait() {
	if l.wanted == nil && l.creating == nil {
		l.patience.Stop()
		return
	}
	l.patience.Reset(createLimit)
}

// late gives up what was waited for.
func (l *loop) late() {
	switch {
	case l.creating != nil:
		l.failed = errMute
	case l.wanted != nil:
		l.s.log.Warn("a response is dropped, the one before does not end", "component", "responder")
		l.fail(l.wanted.turn, errBusy)
		l.wanted = nil
	}
}

// fail ends t, if it is awaited, because of the service. The verdict is sent first, so that it is
// there for whoever sees the end.
func (l *loop) fail(t *Turn, why error) {
	if l.awaited(t) {
		l.s.opt.verdict(why)
		t.end(why)
	}
}
