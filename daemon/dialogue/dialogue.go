package dialogue

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/llm"
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
	// signalQueue is what the loop may be behind the microphone.
	signalQueue = 4 * time.Second / audio.FrameDuration
	// frameQueue holds what a person says while the recogniser is being opened.
	frameQueue = 4 * time.Second / audio.FrameDuration
	// sttLimit bounds the wait for a transcript after the end of an utterance.
	sttLimit = 10 * time.Second
	// saveLimit bounds the wait for the disk, well below signalQueue.
	saveLimit = time.Second
	// beat is how often the loop shows that it turns when nothing happens.
	beat = time.Second
)

// matcher finds the intent of a text.
type matcher interface {
	// Match returns the tool call that text asks for and the intent's name.
	Match(text string) (call llm.ToolCall, intent string, ok bool)
	// MatchRinging is Match while something rings, which "turn it off" then means.
	MatchRinging(text string) (call llm.ToolCall, intent string, ok bool)
	// MatchTwo returns the calls of a text that is two requests in one sentence.
	MatchTwo(text string) (calls []llm.ToolCall, intent string, ok bool)
	// Completeness tells of the words before a pause whether they are a whole
	// request, or the beginning of one. Neither: it cannot be told.
	Completeness(text string) (whole, begun bool)
	// Wake reports whether text begins with the wake phrase, and what follows it.
	Wake(text string) (rest string, ok bool)
}

// thinker answers what no intent covers.
type thinker interface {
	// Think yields sentences (Text), tool calls that begin (Call), their results and the
	// usage.
	Think(ctx context.Context, ask llm.Ask) iter.Seq2[llm.Delta, error]
	// Heard replaces the last answer by the part of it that was played.
	Heard(text string)
	// Note adds a turn that was answered without the thinker.
	Note(ask llm.Ask, answer string)
	// Apology is the sentence for an error of Think.
	Apology(err error) string
}

// recordings keep what turns were asked by, as it was heard.
type recordings interface {
	On() bool
	// Keep copies samples, mono at audio.Rate. It does not block.
	Keep(turn uint64, samples []int16)
}

// Options are the parts that the machine works with. All but Thinker are needed.
type Options struct {
	Log        *slog.Logger
	Bus        *event.Bus
	Recogniser stt.Engine
	Matcher    matcher
	Tools      *Toolbox
	Thinker    thinker   // nil: there is none
	Responder  responder // nil: there is none
	Voice      *Voice

	Wake        string        // WakePhrase, WakeButton or WakeOff
	Blind       bool          // no detector runs: an utterance begins with its window; with WakeButton
	Words       []Word        // wake words that are heard beside it
	FollowUp    time.Duration // after an answer, how long no wake phrase is needed
	Chime       bool          // earcon when a turn is opened without words
	FullDuplex  func() bool   // speech may interrupt an answer now
	Transcripts bool          // words may appear in events and log
	People      []string      // who may be told apart
	Volume      int           // percent
	Muted       bool
	LastTurn    uint64 // highest turn id that was ever given
	// Number gives the id of the next turn, where several machines share them; nil:
	// they are counted from LastTurn.
	Number func() uint64

	// Offered tells whether a tool works now. An intent whose tool does not is left
	// to the thinker.
	Offered func(tool string) bool
	// Missing is the sentence that says what a tool that does not work lacks, empty
	// when that is not known; nil: it never is.
	Missing func(tool string) string
	// SaveMuted and SaveVolume keep what a person changed; Capture opens and
	// closes the microphone; Hearing is told after each use whether
	// the recogniser works.
	SaveMuted  func(ctx context.Context, muted bool) error
	SaveVolume func(ctx context.Context, percent int) error
	Capture    func(muted bool)
	Anew       func() // a person asks to be heard: what was open before is discarded
	// Ringing is how ended timers ring; Quiet says whether nothing but what is
	// urgent may be announced now, and until when (empty: until somebody says so), and
	// may be nil.
	Ringing Ringing
	Quiet   func() (until string, quiet bool)
	// EndAfter tells the front end how much silence ends this pause of an
	// utterance. It must not block.
	EndAfter func(utterance uint64, silence time.Duration)
	Hearing  func(err error)
	// Contend asks whether this box answers what b describes, or another one that
	// heard it too. False: it does. Otherwise tell is called within a moment, and again
	// if the verdict changes, by a goroutine that may wait for it. nil: there are no others.
	Contend func(b Bid, tell func(Verdict)) bool
	// AtHome reports whether a request must not go to the responder; nil: none must
	// not.
	AtHome func(text string) bool
	// ReadOnly reports whether a tool changes nothing; it is needed with a Responder.
	ReadOnly func(tool string) bool
	// Opens reports whether a request says a call, which a responder may then make though
	// the conversation holds words from outside the house; nil: none does.
	Opens func(text string, call llm.ToolCall) bool
	// Outside reports whether words from outside the house stand in what a model is told of
	// the past, where no turn has brought them: the answer of a job that is not announced
	// yet. nil: none do.
	Outside func() bool
	// FirstAudio is how long the responder may take to begin its answer.
	FirstAudio time.Duration
	// Expect is told what a person has probably asked, before it is known that they
	// have ended. It must not block; nil: nobody wants to know.
	Expect func(text string)
	// Sounds is given the utterance that begins a turn, while it is on; nil: nobody
	// records.
	Sounds recordings
	// Remember is told what was asked and heard, once nothing more of it will be
	// played, on the turn's goroutine; nil: nobody wants to know. The answer is empty where
	// words from outside the house may stand in it, and ask is Foreign if this turn has
	// brought some.
	Remember func(ask llm.Ask, answer string)
}

// Dialogue is the turn machine. Its methods may be called by any goroutine while
// Run runs.
type Dialogue struct {
	opt      Options
	signals  chan signal
	overrun  atomic.Bool // a signal found the queue full
	words    spotted
	outside  atomic.Bool // the conversation holds words from outside the house
	commands chan command
	heard    chan hearing
	reports  chan report
	rulings  chan ruling
	ended    chan struct{}
	beats    atomic.Uint64
}

// New checks the options.
func New(opt Options) (*Dialogue, error) {
	switch {
	case opt.Log == nil || opt.Bus == nil || opt.Recogniser == nil ||
		opt.Matcher == nil || opt.Tools == nil || opt.Voice == nil:
		return nil, errors.New("new dialogue: a part is missing")
	case opt.Offered == nil || opt.SaveMuted == nil || opt.SaveVolume == nil || opt.Capture == nil || opt.Anew == nil || opt.FullDuplex == nil || opt.EndAfter == nil || opt.Hearing == nil:
		return nil, errors.New("new dialogue: a callback is missing")
	case opt.Responder != nil && (opt.ReadOnly == nil || opt.FirstAudio <= 0):
		return nil, errors.New("new dialogue: a responder wants ReadOnly and FirstAudio")
	case opt.Blind && opt.Wake == WakePhrase:
		return nil, errors.New("new dialogue: without a detector no phrase can be heard")
	case opt.Wake != WakePhrase && opt.Wake != WakeButton && opt.Wake != WakeOff:
		return nil, errors.New("new dialogue: unknown wake engine " + opt.Wake)
	}
	if err := opt.Ringing.check(); err != nil {
		return nil, err
	}
	return &Dialogue{
		opt:      opt,
		words:    spotted{list: opt.Words},
		signals:  make(chan signal, signalQueue),
		commands: make(chan command),
		heard:    make(chan hearing),
		reports:  make(chan report),
		rulings:  make(chan ruling),
		ended:    make(chan struct{}),
	}, nil
}

// Beats counts the turns of the loop; while it grows the loop is alive.
func (d *Dialogue) Beats() uint64 { return d.beats.Load() }

// Run is the loop. It returns nil when ctx has ended and every goroutine of the
// machine with it.
func (d *Dialogue) Run(ctx context.Context) error {
	m := newMachine(d)
	defer close(d.ended)
	defer m.shutdown(ctx)
	m.rest(ctx)
	pulse := time.NewTicker(beat)
	defer pulse.Stop()
	for {
		d.beats.Add(1)
		select {
		case <-ctx.Done():
			return nil
		case <-pulse.C:
			m.listenOn(ctx)
		case s := <-d.signals:
			m.signal(ctx, &s)
		case c := <-d.commands:
			c.reply <- c.do(ctx, m)
		case h := <-d.heard:
			m.hear(ctx, h)
		case r := <-d.reports:
			m.report(ctx, r)
		case r := <-d.rulings:
			m.ruled(ctx, r)
		case <-m.window.C:
			m.windowEnded(ctx)
		case <-m.chime.C:
			m.owed = true
			m.chimeIfQuiet()
		}
	}
}
