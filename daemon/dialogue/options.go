package dialogue

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/daemon/voice"
	"hearthd/llm/stt"
)

// Wake engines, as Options.Wake names them.
const (
	WakePhrase = "phrase"
	WakeButton = "button"
	WakeOff    = "off"
)

const (
	// listenWindow is how long a turn that a person opened waits for speech.
	listenWindow = 8 * time.Second
	// sessionIdle ends a session (DESIGN §4, memory: 1 h).
	sessionIdle = time.Hour
	// maxWaiting bounds what waits to be said, beside the timers.
	maxWaiting = 64
	// maxUtterances bounds the recognisers that run at once: one listens while
	// another may still be deciding.
	maxUtterances = 2
	// frameQueue holds what a person says while the recogniser is being opened.
	frameQueue = 4 * time.Second / audio.FrameDuration
	// sttLimit bounds the wait for a transcript after the end of an utterance.
	sttLimit = 10 * time.Second
	// saveLimit bounds the wait for the disk, well below signalQueue.
	saveLimit = time.Second
	// beat is how often the loop shows that it turns when nothing happens.
	beat = time.Second
)

// matcher tells of words what they are the beginning of.
type matcher interface {
	// Completeness tells of the words before a pause whether they are a whole
	// request, or the beginning of one. Neither: it cannot be told.
	Completeness(text string) (whole, begun bool)
	// Wake reports whether text begins with the wake phrase, and what follows it.
	Wake(text string) (rest string, ok bool)
}

// responder is who answers by speech, as far as the loop has to do with it.
type responder interface {
	// Wanted reports whether what a person is about to say may go there. It does not
	// block.
	Wanted() bool
	// Prepare connects, because somebody is about to speak. It does not block.
	Prepare()
	// Open begins a turn there.
	Open(ctx context.Context) (spoken.Turn, error)
	// Converses reports whether it keeps the window open until it has said goodbye.
	Converses() bool
	// Leave disconnects, because the conversation is over.
	Leave()
}

// listener is the front end. None of the calls may block.
type listener interface {
	// DiscardOpen discards what is open: a person asks to be heard now.
	DiscardOpen()
	// EndAfter tells how much silence ends this pause of an utterance.
	EndAfter(utterance uint64, silence time.Duration)
	// FullDuplex reports whether speech may interrupt an answer now.
	FullDuplex() bool
	// SetMuted closes or opens the microphone.
	SetMuted(muted bool)
}

// settings are what people chose.
type settings interface {
	Muted() bool
	SetMuted(ctx context.Context, muted bool) error
	Volume() int // percent
	SetVolume(ctx context.Context, percent int) error
	// Quiet reports whether nothing but what is urgent may be announced now, and until
	// when; empty: until somebody says so.
	Quiet() (until string, quiet bool)
}

// recordings keep what turns were asked by, as it was heard.
type recordings interface {
	On() bool
	// Keep copies samples, mono at audio.Rate. It does not block.
	Keep(turn uint64, samples []int16)
}

// contest decides between the boxes that heard the same.
type contest interface {
	// Contend asks whether this box answers what b describes, or another one that
	// heard it too. False: it does. Otherwise tell is called within a moment, and again
	// if the verdict changes, by a goroutine that may wait for it.
	Contend(b Bid, tell func(Verdict)) bool
}

// health is told after each use whether the recogniser works. It must not block.
type health interface{ Heard(err error) }

// Options are the parts that the machine works with.
type Options struct {
	Log        *slog.Logger
	Bus        *event.Bus
	Recogniser stt.Engine
	Matcher    matcher
	Answers    *answer.Answerer
	Responder  responder // that of Answers, or nil
	Voice      *voice.Voice
	Inbox      *Inbox // what is heard
	Ears       listener
	Settings   settings
	Health     health
	Contest    contest    // nil: there are no other boxes
	Sounds     recordings // given the utterance that begins a turn, while it is on; nil: nobody records
	Activity   *Activity  // is told of the state; nil: nobody wants to know

	Wake        string         // WakePhrase, WakeButton or WakeOff
	Blind       bool           // no detector runs: an utterance begins with its window; with WakeButton
	FollowUp    time.Duration  // after an answer, how long no wake phrase is needed
	Chime       bool           // earcon when a turn is opened without words
	Transcripts bool           // words may appear in events and log
	People      []string       // who may be told apart
	Turns       *atomic.Uint64 // the highest turn id that was ever given, of all machines
}

func (opt *Options) check() error {
	switch {
	case opt.Log == nil || opt.Bus == nil || opt.Recogniser == nil || opt.Matcher == nil || opt.Answers == nil ||
		opt.Voice == nil || opt.Inbox == nil || opt.Ears == nil || opt.Settings == nil ||
		opt.Health == nil || opt.Turns == nil:
		return errors.New("new dialogue: a part is missing")
	case opt.Blind && opt.Wake == WakePhrase:
		return errors.New("new dialogue: without a detector no phrase can be heard")
	case opt.Wake != WakePhrase && opt.Wake != WakeButton && opt.Wake != WakeOff:
		return errors.New("new dialogue: unknown wake engine " + opt.Wake)
	}
	return nil
}

// words returns text if words may leave the machine.
func (o *Options) words(text string) string {
	if o.Transcripts {
		return text
	}
	return ""
}
