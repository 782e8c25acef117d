package dialogue

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"hearthd/daemon/dialogue/answer"
	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/daemon/peer"
	"hearthd/daemon/voice"
	"hearthd/llm/stt"
	"hearthd/tools/phrase"
)

// Wake engines.
const (
	WakePhrase = "phrase"
	WakeButton = "button"
	WakeOff    = "off"
)

// speechToText turns utterances into words.
type speechToText interface {
	stt.Engine
	// Heard is called after each utterance with whether it worked. It must not block.
	Heard(err error)
}

// matcher knows how requests begin.
type matcher interface {
	// Completeness reports whether the words before a pause are a whole request, or the
	// beginning of one. If neither is true, it is not known.
	Completeness(text string) (whole, begun bool)
	// Wake reports whether text begins with the wake phrase, and what follows it.
	Wake(text string) (rest string, ok bool)
}

// responder answers by speech; this is what the loop needs of it.
type responder interface {
	// Wanted reports whether what a person is about to say may go there. It does not block.
	Wanted() bool
	// Prepare connects, because somebody is about to speak. It does not block.
	Prepare()
	// Open begins a turn at the responder, of a person who began with by: a wake word, or something else.
	Open(ctx context.Context, by string) (spoken.Turn, error)
	// Converses reports whether it holds conversations: the window then stays open until it
	// has said goodbye.
	Converses() bool
	// Leave disconnects, because the conversation is over.
	Leave()
}

// frontEnd cuts what the microphone hears into utterances. None of the calls may block.
type frontEnd interface {
	// DiscardOpen discards the utterance that is open: a person asks to be heard now.
	DiscardOpen()
	// EndAfter sets how much silence ends the utterance in this pause.
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
	// Quiet reports whether only urgent announcements are allowed now, and until when. An
	// empty time means until somebody changes that.
	Quiet() (until string, quiet bool)
}

// recordings keep the sound of requests.
type recordings interface {
	// On reports whether they do so now.
	On() bool
	// Keep copies samples, mono at audio.Rate. It does not block.
	Keep(turn uint64, samples []int16)
}

// voices tell people by their voices.
type voices interface {
	// Who is the person who speaks in samples, mono at audio.Rate, or empty: it is not known. It keeps none of them.
	Who(ctx context.Context, samples []int16) string
}

// peers are the other boxes.
type peers interface {
	// Contend asks which box answers the call that b describes. False: this one does.
	// Otherwise another goroutine, which may be kept waiting, calls tell within a moment, and
	// again if the verdict changes.
	Contend(b peer.Bid, tell func(peer.Verdict)) bool
}

// Wake says how turns are opened.
type Wake struct {
	Engine     string        // WakePhrase, WakeButton or WakeOff
	NoDetector bool          // no detector runs, so an utterance begins with its window; not with WakePhrase
	FollowUp   time.Duration // for how long no wake phrase is needed after an answer
	Chime      bool          // an earcon says that the box listens
}

func (w *Wake) check() error {
	switch {
	case w.NoDetector && w.Engine == WakePhrase:
		return errors.New("new dialogue: without a detector no phrase can be heard")
	case w.Engine != WakePhrase && w.Engine != WakeButton && w.Engine != WakeOff:
		return errors.New("new dialogue: unknown wake engine " + w.Engine)
	}
	return nil
}

// Options are the parts that the machine works with.
type Options struct {
	Log        *slog.Logger
	Bus        *event.Bus
	Book       *phrase.Book // the sentences that are said
	Inbox      *Inbox       // what the front end hears
	Ears       frontEnd
	Recogniser speechToText
	Matcher    matcher
	Answers    *answer.Answerer
	Responder  responder // that of Answers, or nil
	House      responder // so too, for the route answer.House
	Voice      *voice.Voice
	Settings   settings
	Peers      peers          // nil: there are no other boxes
	Recordings recordings     // nil: nobody records
	Voices     voices         // nil: nobody is known by their voice
	Activity   *Activity      // nil: nobody wants to know
	Waking     func() bool    // reports whether a station plays as an alarm; nil: there are none
	StopMedia  func() bool    // stops radio and music, and reports whether some played; nil: there is none
	Turns      *atomic.Uint64 // the highest turn id so far, of all machines

	Wake        Wake
	Transcripts bool     // events and log may show words
	People      []string // who may ask in writing by name
}

func (opt *Options) check() error {
	if opt.Log == nil || opt.Bus == nil || opt.Book == nil || opt.Recogniser == nil || opt.Matcher == nil ||
		opt.Answers == nil ||
		opt.Voice == nil || opt.Inbox == nil || opt.Ears == nil || opt.Settings == nil || opt.Turns == nil {
		return errors.New("new dialogue: a part is missing")
	}
	return opt.Wake.check()
}

// words returns text if events and log may show words.
func (o *Options) words(text string) string {
	if o.Transcripts {
		return text
	}
	return ""
}

// responder is who answers by speech on a route, or nil.
func (o *Options) responder(route string) responder {
	switch route {
	case answer.House:
		return o.House
	case "local":
		return nil
	}
	return o.Responder
}
