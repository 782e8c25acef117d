package dialogue

import (
	"context"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/event"
)

// situation is the state of the conversation between the box and the people in the room: a *window
// or a *busy.
type situation interface{ kind() kind }

// window is open while speech needs no wake phrase. Its zero value is closed: only the wake
// phrase, a wake word, a button or a text opens a turn.
type window struct {
	opening
	claim        *claim        // of the wake word that opened it, or nil
	conversation *conversation // that keeps it open, or nil
	chimeDue     bool          // its earcon is to be played as soon as nobody speaks
}

// busy is a turn, and the window beside it: one that was open when an announcement began stays
// open.
type busy struct {
	*turn
	window *window
}

// kind is one row of the table.
type kind int

const (
	resting kind = iota
	called
	contested
	questioning
	following
	conversing
	speaking // the window may have ended meanwhile
	answering
	announcing
	ringing
	kinds
)

func (k kind) String() string {
	return [kinds]string{
		"idle", "window, opened by a person", "window, another box may answer", "window, after a question",
		"window, after an answer", "window of a conversation", "somebody speaks to the box",
		"turn", "announcement or remark", "ringing",
	}[k]
}

// reaction is what the machine does.
type reaction string

const (
	ignores        reaction = "–"
	opens          reaction = "opens a window"
	cuts           reaction = "cuts the turn, opens a window"
	begins         reaction = "begins its turn"
	supersedes     reaction = "begins its turn instead"
	seeks          reaction = "looks for the wake phrase"
	listens        reaction = "listens"
	listensOrSeeks reaction = "listens, or looks for the wake phrase"
	ducks          reaction = "ducks the answer, or looks for the wake phrase"
	interrupts     reaction = "cuts the answer that is ducked, opens a window"
	says           reaction = "says it"
	waits          reaction = "waits"
	goesOn         reaction = "opens a window for an answer to its question, or for more"
	returns        reaction = "returns to what was before"
	closes         reaction = "closes it"
	complains      reaction = "closes it and says so"
	counts         reaction = "counts the silence"
	holds          reaction = "stops counting the silence"
	softly         reaction = "softly"
	aloud          reaction = "–"
)

// itsOwn stands for the state that the turn has reported.
const itsOwn event.State = "what it does"

// row says what each event does in one situation, as the method of the machine that takes
// the event looks it up. ARCHITECTURE.md shows the rows under these titles.
type row struct {
	shown        event.State `title:"is shown as"`                  // by state; Idle may be Muted or Faulted
	call         reaction    `title:"wake word or button"`          // by wakeWord and listen
	request      reaction    `title:"request"`                      // by begin
	onset        reaction    `title:"somebody begins to speak"`     // by onset
	sustained    reaction    `title:"and goes on"`                  // and so on
	announce     reaction    `title:"something is to be announced"` // by settle
	turnEnded    reaction    `title:"the turn ends"`
	windowEnded  reaction    `title:"the window ends"`
	secondPassed reaction    `title:"a second passes"`
	media        reaction    `title:"media play"` // by show
}

// table is the state machine.
var table = [kinds]row{
	// shown, call, request, onset, sustained, announce, turnEnded, windowEnded, secondPassed, media
	resting:     {event.Idle, opens, begins, seeks, ignores, says, ignores, ignores, ignores, aloud},
	called:      {event.Listening, opens, begins, listens, ignores, waits, ignores, complains, holds, softly},
	contested:   {event.Idle, opens, begins, listens, ignores, waits, ignores, closes, ignores, softly},
	questioning: {event.Listening, opens, begins, listens, ignores, waits, ignores, complains, ignores, softly},
	following:   {event.Idle, opens, begins, listens, ignores, says, ignores, closes, ignores, aloud},
	conversing:  {event.Idle, opens, begins, listens, ignores, says, ignores, closes, counts, softly},
	speaking:    {event.Listening, opens, begins, listensOrSeeks, ignores, waits, ignores, closes, holds, softly},
	answering:   {itsOwn, cuts, supersedes, ducks, interrupts, waits, goesOn, closes, holds, softly},
	announcing:  {itsOwn, cuts, supersedes, ducks, interrupts, waits, returns, closes, holds, softly},
	ringing:     {itsOwn, cuts, supersedes, ducks, interrupts, waits, returns, closes, holds, softly},
}

func (w *window) kind() kind {
	switch {
	case w.by == "":
		return resting
	case w.claim != nil && w.claim.pending:
		return contested
	case w.by == byQuestion:
		return questioning
	case w.byPerson():
		return called
	case w.conversation != nil:
		return conversing
	}
	return following
}

func (b *busy) kind() kind {
	switch b.Request.(type) {
	case *answer.Ring:
		return ringing
	case *answer.Announcement, *answer.Remark:
		return announcing
	}
	return answering
}

// What opens a window or a turn, beside the name of a wake word.
const (
	byButton   = "button"
	byPhrase   = "phrase"
	byBargeIn  = "barge_in"
	byRinging  = "ringing"
	byQuestion = "question"
	byFollowUp = "follow_up"
)

// opening is why speech needs no wake phrase, and the one route that its turn may take, or "".
// The zero value: it needs one.
type opening struct{ by, route string }

// byPerson reports whether a person is known to speak to the box, who is then told if that
// fails.
func (o opening) byPerson() bool { return o.by != "" && o.by != byFollowUp }

// turn is the current turn.
type turn struct {
	*answer.Turn
	state        event.State   // as reported last; empty: not yet
	conversation *conversation // that it is part of, or nil
	end          context.CancelCauseFunc
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

// conversation is a series of turns with a responder, between which the window stays open.
type conversation struct {
	route  string        // of its turns
	silent time.Duration // how long nobody had spoken, up to since
	since  time.Time     // when the silence began that is counted now; zero: none is
	nudged bool
	bye    bool // it says goodbye
}
