package dialogue

import (
	"context"
	"errors"
	"slices"
	"time"

	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
)

// Why the loop ends a turn; the texts are outcomes of the turn's document.
var (
	errInterrupted = errors.New("interrupted")
	errSuperseded  = errors.New("superseded")
	errStopped     = errors.New("stopped")
)

// request is what a turn is to answer.
type request struct {
	source string       // "voice", "text" or "announcement"
	by     string       // what opened the turn
	person string       // who asks; empty: the household
	route  string       // the one that it may take, "" for any
	text   string       // transcript
	sound  []int16      // what a person recorded, mono at audio.Rate, or nil
	remark string       // of an announcement: what the responder is to say of its own
	says   announcement // or else this

	up       *spoken.Upload // the utterance on its way to a responder, or nil
	tape     []int16        // the utterance, for the owner, or nil
	question *question      // that it may answer, or nil
	names    string         // the question that it says to answer, where it is written
	level    float32        // of the utterance, as vad.Signal tells it
	ringing  bool           // something that has been heard rings

	waited    time.Duration // for the house
	speechEnd time.Time     // zero but for voice
	ended     time.Time     // zero but for voice

	done chan<- *event.Turn // cap 1; gets the document with its words, if not nil
}

// turn is one turn from its request to the end of its answer.
type turn struct {
	event.Header
	req   request
	begun time.Time
	talk  *talk // that it is part of, or nil
	end   context.CancelCauseFunc
	over  chan struct{} // closed when its goroutine has left the conversation
}

// report is what a turn's goroutine tells the loop.
type report struct {
	turn  *turn
	state event.State // the turn moved, if the rest is nil
	asks  *question   // the turn is about to ask
	doc   *event.Turn // the turn ended
}

// begin starts a turn; the one that is going on is superseded, and what a person
// asks closes the window.
func (m *machine) begin(ctx context.Context, req request) {
	if old := m.turn; old != nil {
		m.cancelTurn(errSuperseded)
		m.sayAgain(old)
	}
	if req.source != "announcement" {
		req.question = m.answers(&req)
		req.ringing = m.ring != nil && m.ring.heard()
	}
	now := time.Now()
	m.lastTurn++
	if m.opt.Number != nil {
		m.lastTurn = m.opt.Number()
	}
	if m.session == 0 || now.After(m.sessionEnd) {
		m.session = m.lastTurn
		m.d.outside.Store(false)
	}
	tctx, end := context.WithCancelCause(ctx)
	t := &turn{
		Header: event.Header{Session: m.session, Turn: m.lastTurn},
		req:    req, begun: now, talk: m.talk, end: end, over: make(chan struct{}),
	}
	if req.tape != nil {
		m.opt.Sounds.Keep(t.Header.Turn, req.tape)
	}
	m.opt.Voice.Wake()
	before := m.previous
	m.turn, m.previous = t, t.over
	if req.source != "announcement" {
		m.disarm()
		m.opt.Bus.Publish(&event.Woken{Header: t.Header, By: req.by, WaitedMS: req.waited.Milliseconds()})
		if req.source == "voice" {
			m.move(event.Listening)
		}
		m.opt.Bus.Publish(&event.Heard{Header: t.Header, Text: m.opt.words(req.text)})
		m.move(event.Thinking)
	}
	m.wg.Go(func() {
		defer end(nil)
		m.d.answer(tctx, t, before)
	})
}

// sayAgain lets an announcement wait that was cut by somebody who did not ask for
// silence.
func (m *machine) sayAgain(t *turn) {
	if a := t.req.says; t.req.source == "announcement" && a.ring == nil && t.req.remark == "" {
		m.waiting = slices.Insert(m.waiting, 0, a)
	}
}

// cancelTurn ends the turn that is going on, with the speaker cut at once, and
// returns how much of its answer was played.
func (m *machine) cancelTurn(why error) time.Duration {
	played := m.opt.Voice.Cut(func() { m.turn.end(why) })
	if r := m.turn.req.says.ring; r != nil && r == m.ring { // nobody ended it: it goes on later
		m.waiting = slices.Insert(m.waiting, 0, announcement{ring: r})
	}
	m.turn = nil
	return played
}

// report takes what a turn's goroutine says. A turn that is not the current one
// only gets its document.
func (m *machine) report(ctx context.Context, r report) {
	current := r.turn == m.turn
	if r.doc == nil {
		switch {
		case !current:
		case r.asks != nil:
			m.question = r.asks
		default:
			m.move(r.state)
		}
		return
	}
	m.finish(r.turn, r.doc)
	if !current {
		return
	}
	m.turn = nil
	if r.turn.req.says.ring == m.ring { // it is over
		m.ring = nil
	}
	if m.await(r.turn) {
		m.listenForAnswer(ctx)
		return
	}
	if !m.keepTalking(r.turn, r.doc) && r.turn.req.source == "voice" && r.doc.Reason != notAddressed { // talk of the room opens no window
		m.arm(opening{by: "follow_up", route: r.turn.req.route}, m.opt.FollowUp)
	}
	m.rest(ctx)
}

// finish publishes the document of a turn. The one who asked gets the words,
// whatever the log may show.
func (m *machine) finish(t *turn, doc *event.Turn) {
	m.sessionEnd = time.Now().Add(sessionIdle)
	words := *doc
	if !m.opt.Transcripts {
		doc.Transcript, doc.Answer, doc.Question = "", "", ""
	}
	m.opt.Bus.Publish(doc)
	if t.req.done != nil {
		words.Header = doc.Header
		t.req.done <- &words
	}
}

// words returns text if words may leave the machine.
func (o *Options) words(text string) string {
	if o.Transcripts {
		return text
	}
	return ""
}
