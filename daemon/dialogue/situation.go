package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/dialogue/spoken"
)

// situation is what goes on between the box and the people in the room: idle, a *window or
// a *busy. What may be so in any of them (muted, no microphone, what waits to be said, what
// rings, a question that waits) is a field of the machine.
type situation interface{ name() name }

// idle: a turn is opened by the wake phrase, a wake word, a button or a text.
type idle struct{}

// window: what is said needs no wake phrase.
type window struct {
	opening
	called *claim // of the wake word that opened it, or nil
	talk   *talk  // the conversation with a responder that keeps it open, or nil
}

// busy: a turn goes on.
type busy struct {
	*turn
	beneath *window // open beneath what nobody asked for, or nil
}

// name is that of a row of the table.
type name string

const (
	nothing   name = "idle"
	opened    name = "window, opened by a person"
	contested name = "window, another box may answer"
	questions name = "window, after a question"
	follows   name = "window, after an answer"
	talks     name = "window of a talk"
	answers   name = "turn"
	announces name = "announcement or remark"
	rings     name = "ringing"
)

func (idle) name() name { return nothing }

func (w *window) name() name {
	switch {
	case w.called != nil && w.called.pending:
		return contested
	case w.by == byQuestion:
		return questions
	case w.byHand():
		return opened
	case w.talk != nil:
		return talks
	}
	return follows
}

func (b *busy) name() name {
	switch b.Request.(type) {
	case *answer.Ring:
		return rings
	case *answer.Announcement, *answer.Remark:
		return announces
	}
	return answers
}

// happening is what the machine reacts to, a column of the table.
type happening int

const (
	onCall happening = iota
	onRequest
	onSpeech
	onAnnounce
	onTimeout
	onBeat
	happenings
)

func (h happening) String() string {
	return [happenings]string{
		"wake word or button", "request", "somebody begins to speak", "something is to be announced", "the window ends",
		"a second passes",
	}[h]
}

// reaction is what the machine does.
type reaction string

const (
	ignores    reaction = "–"
	opens      reaction = "opens a window"
	cuts       reaction = "cuts the turn, opens a window"
	begins     reaction = "begins its turn"
	supersedes reaction = "begins its turn instead"
	seeks      reaction = "looks for the wake phrase"
	listens    reaction = "listens"
	hides      reaction = "listens, and does not show it"
	ducks      reaction = "ducks the answer, or looks for the wake phrase"
	says       reaction = "says it, unless somebody speaks"
	waits      reaction = "waits"
	closes     reaction = "closes it"
	complains  reaction = "closes it and says so"
	counts     reaction = "counts the silence"
	holds      reaction = "stops counting the silence"
)

// table says for each situation which events do what. ARCHITECTURE.md shows it.
var table = []struct {
	in   name
	does [happenings]reaction
}{
	{nothing, [...]reaction{opens, begins, seeks, says, ignores, ignores}},
	{opened, [...]reaction{opens, begins, listens, says, complains, ignores}},
	{contested, [...]reaction{opens, begins, hides, waits, complains, ignores}},
	{questions, [...]reaction{opens, begins, listens, says, complains, ignores}},
	{follows, [...]reaction{opens, begins, listens, says, closes, ignores}},
	{talks, [...]reaction{opens, begins, listens, says, closes, counts}},
	{answers, [...]reaction{cuts, supersedes, ducks, waits, closes, holds}},
	{announces, [...]reaction{cuts, supersedes, ducks, waits, closes, holds}},
	{rings, [...]reaction{cuts, supersedes, ducks, waits, closes, holds}},
}

// byQuestion is what opened a window in which a question is answered.
const byQuestion = "question"

// opening is what made the wake phrase unnecessary, and the one route that the
// turn may take then. Zero: nothing did.
type opening struct{ by, route string }

// byHand reports whether a person asked to be heard now, and is told if that
// fails.
func (o opening) byHand() bool { return o.by != "" && o.by != "follow_up" }

// turn is the turn that goes on, as the loop knows it.
type turn struct {
	*answer.Turn
	talk *talk // that it is part of, or nil
	end  context.CancelCauseFunc
}

// spoken is the request of an utterance, or nil.
func (t *turn) spoken() *answer.Spoken {
	s, _ := t.Request.(*answer.Spoken)
	return s
}

// route is the one that the turn may take, "" for any.
func (t *turn) route() string {
	if s := t.spoken(); s != nil {
		return s.Route
	}
	return ""
}

// upload is the utterance on its way to a responder, or nil.
func (t *turn) upload() *spoken.Upload {
	if s := t.spoken(); s != nil {
		return s.Upload
	}
	return nil
}

// talk is a conversation with a responder whose window stays open.
type talk struct {
	route  string        // of its turns
	silent time.Duration // since a person spoke last, up to since
	since  time.Time     // when the silence that lasts began; zero: none does
	nudged bool
	bye    bool
}
