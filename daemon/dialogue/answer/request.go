package answer

import (
	"context"
	"errors"
	"time"

	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/llm"
)

// Request is what a turn is to answer: a *Spoken or a *Written one, or what nobody has
// asked for just now, an *Announcement, a *Ring or a *Remark.
type Request interface {
	// origin is where it comes from, and what opened its turn.
	origin() (source, by string)
}

// Query is what a person asks.
type Query struct {
	Text    string
	Person  string    // who asks; empty: the household
	Answers *Question // that it may answer, or nil
	Ringing bool      // something rings that has been heard
}

// Spoken is the request of an utterance.
type Spoken struct {
	Query
	By     string         // what opened the turn
	Route  string         // the one that it may take, "" for any
	Sound  []int16        // what a person recorded, mono at audio.Rate, or nil
	Upload *spoken.Upload // the utterance on its way to a responder, or nil
	Level  float32        // of the utterance, as in vad.Signal
	Unsure bool           // its words are a guess, and are read back first
	Faint  bool           // its words are read back before something that does harm
	Rival  bool           // its words are read back before something changes: others are about as likely

	HeardBy string        // the recogniser, where there are several
	Speaker <-chan string // gets whose voice it is, which becomes the Person; nil: nobody looks

	Waited    time.Duration // for the other boxes
	SpeechEnd time.Time     // when the last voiced sample was captured
	Ended     time.Time     // when it was decided that the utterance is over
}

// speakerWait bounds the wait for who speaks, which is mostly known before the words are.
const speakerWait = 150 * time.Millisecond

// who is the person whose voice it is, or empty: it is not known, or not in time.
func (s *Spoken) who(ctx context.Context) string {
	if s.Speaker == nil {
		return ""
	}
	late := time.NewTimer(speakerWait)
	defer late.Stop()
	select {
	case who := <-s.Speaker:
		return who
	case <-late.C:
	case <-ctx.Done():
	}
	return ""
}

// Written is a request that was typed.
type Written struct {
	Query
	Names string             // the question that it names as the one it answers
	Done  chan<- *event.Turn // cap 1; gets the document with its words
}

// Announcement is something to say that nobody asked for just now.
type Announcement struct {
	Text    string
	Chime   bool         // it begins with an earcon
	Urgent  bool         // it goes before those that are not
	At      time.Time    // when it begins, at the earliest
	Sound   []int16      // mono at audio.Rate, after the text; or nil
	Sources []llm.Source // what the text rests on
	Foreign bool         // words of the text may be from outside the house
	Done    chan<- bool  // cap 1; gets whether all of it was heard; or nil
}

// Remark is what a responder is to say unasked.
type Remark struct{ Instructions string }

// origin is how the words came, and what opened the turn, for its document.
func (s *Spoken) origin() (source, by string)     { return "voice", s.By }
func (*Written) origin() (source, by string)      { return "text", "text" }
func (*Announcement) origin() (source, by string) { return "announcement", "announcement" }
func (*Ring) origin() (source, by string)         { return "announcement", "announcement" }
func (*Remark) origin() (source, by string)       { return "announcement", "announcement" }

// Turn is one turn from its request to the end of its answer.
type Turn struct {
	event.Header
	Request Request
	Begun   time.Time
	Over    chan struct{} // closed when its goroutine has left the conversation
}

// Report is what a turn's goroutine tells the loop: *Moved, *Asks or, at last, *Ended.
type Report interface{ Of() *Turn }

// Moved says that the turn moved to a state.
type Moved struct {
	*Turn
	To event.State
}

// Asks says that the turn is about to ask a question.
type Asks struct {
	*Turn
	Question *Question
}

// Ended says that the turn has ended, with its document.
type Ended struct {
	*Turn
	Doc *event.Turn
}

// Of is the turn that reports.
func (t *Turn) Of() *Turn { return t }

// Why the loop ends a turn; the texts are outcomes of the turn's document.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrSuperseded  = errors.New("superseded")
	ErrStopped     = errors.New("stopped")
)
