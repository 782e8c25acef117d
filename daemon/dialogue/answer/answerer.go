package answer

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"hearthd/daemon/dialogue/spoken"
	"hearthd/daemon/event"
	"hearthd/daemon/queue"
	"hearthd/daemon/voice"
	"hearthd/llm"
	"hearthd/tools"
)

// intents finds the intent of a text.
type intents interface {
	// Match returns the tool call that text asks for and the intent's name. topic is the tool that the
	// last turn was about, or empty.
	Match(text, topic string) (call llm.ToolCall, intent string, ok bool)
	// MatchRinging is Match while something rings, which "turn it off" then means.
	MatchRinging(text string) (call llm.ToolCall, intent string, ok bool)
	// MatchChoice is Match while somebody is asked which of several is meant, the answer to which is a call of
	// "choose".
	MatchChoice(text string) (call llm.ToolCall, intent string, ok bool)
	// MatchTwo returns the calls of a text that is two requests in one sentence.
	MatchTwo(text, topic string) (calls []llm.ToolCall, intent string, ok bool)
}

// offers are the tools that work now. An intent whose tool does not work is left to the thinker.
type offers interface {
	Has(tool string) bool
	// Missing is the sentence about what a tool that does not work lacks, empty when that is not
	// known.
	Missing(tool string) string
}

// agent is the house's own assistant, which works by rules and acts by itself.
type agent interface {
	// Offer has it do or answer what text asks. If it does not take it, the result may say
	// why.
	Offer(ctx context.Context, text string) (r tools.Result, taken bool, err error)
}

// thinker answers requests that no intent covers.
type thinker interface {
	// Think yields sentences (Text), tool calls that begin (Call), and the usage.
	Think(ctx context.Context, ask llm.Ask) iter.Seq2[llm.Delta, error]
	// Heard replaces the last answer by the part of it that was played.
	Heard(text string)
	// Note adds a turn that was answered without the thinker.
	Note(ask llm.Ask, answer string)
	// Apology is the sentence for an error of Think.
	Apology(err error) string
}

// responder answers by speech, somewhere else.
type responder interface {
	// Wanted reports whether a request may go there. It does not block.
	Wanted() bool
	// Excuse is a sentence for a person whose request would have gone there and does not, if they
	// have to be told now; mostly it is empty.
	Excuse() string
	// Remark has it say something that stays out of the conversation, as a turn that
	// needs no Commit.
	Remark(ctx context.Context, instructions string) (spoken.Turn, error)
	// Note reports a turn that somebody else answered in the same conversation.
	Note(ask llm.Ask, answer string)
}

// guard says what a responder may be asked, and do.
type guard interface {
	// AtHome reports whether a request must not go to the responder.
	AtHome(text string) bool
	// ReadOnly reports whether a tool changes nothing.
	ReadOnly(tool string) bool
	// Opens reports whether a request asks for exactly this call, which a responder may then make
	// although the conversation holds words from outside the house.
	Opens(text string, call llm.ToolCall) bool
	// Foreign reports whether words from outside the house are in what a responder is told of the
	// past without any turn having brought them: the answer of a job that is not announced yet.
	Foreign() bool
}

// memory keeps conversations.
type memory interface {
	// Remember gets what was asked and heard, once nothing more of it will be played, on the turn's
	// goroutine. The answer is empty where words from outside the house may be in it, and ask is
	// Foreign if this turn has brought some.
	Remember(ask llm.Ask, answer string)
}

// Options are the parts that answers are made with. Agent, Thinker, Responder with its
// Guard, and Memory may be nil, if there is no such part.
type Options struct {
	Log       *slog.Logger
	Bus       *event.Bus
	Matcher   intents
	Tools     *Toolbox
	Offers    offers
	Agent     agent
	Thinker   thinker
	Responder responder
	Guard     guard
	Memory    memory
	Voice     *voice.Voice
	Ringing   Ringing // how ended timers ring

	// FirstAudio is how long a responder may take to begin its answer.
	FirstAudio  time.Duration
	Transcripts bool   // words may appear in events
	Forgets     bool   // the memory does not outlive a restart
	Guest       string // the call of the browser whose turns these are; empty: they are the box's
}

// Answerer answers turns, each on a goroutine that its caller runs.
type Answerer struct {
	opt     Options
	outside atomic.Bool          // the conversation holds words from outside the house
	others  atomic.Bool          // and some that the house's own agent did not say
	topic   tools.Recent[string] // the tool that a turn was about
}

// New checks the options.
func New(opt Options) (*Answerer, error) {
	switch {
	case opt.Log == nil || opt.Bus == nil || opt.Matcher == nil || opt.Tools == nil ||
		opt.Offers == nil || opt.Voice == nil:
		return nil, errors.New("new answerer: a part is missing")
	case opt.Responder != nil && (opt.Guard == nil || opt.FirstAudio <= 0):
		return nil, errors.New("new answerer: a responder needs a guard and FirstAudio")
	}
	if err := opt.Ringing.check(); err != nil {
		return nil, err
	}
	return &Answerer{opt: opt}, nil
}

// NewSession begins a conversation, which holds no words from outside the house.
func (d *Answerer) NewSession() {
	d.outside.Store(false)
	d.others.Store(false)
}

// NewRing makes something that rings until Remove or the limit; those in once only until they have
// been said.
func (d *Answerer) NewRing(ids, once []int64) *Ring {
	r := &Ring{limit: d.opt.Ringing.Limit, more: queue.NewBell()}
	r.Add(ids, once)
	return r
}

// EndsRinging reports whether text asks to end what rings.
func (d *Answerer) EndsRinging(text string) bool {
	call, _, ok := d.opt.Matcher.MatchRinging(text)
	return ok && slices.Contains(d.opt.Ringing.Enders, call.Name)
}

// Agrees reports whether text is nothing but a yes or a no, and which.
func (d *Answerer) Agrees(text string) (yes, ok bool) {
	call, _, ok := d.opt.Matcher.Match(text, "")
	ok = ok && call.Name == consentCall
	return ok && agrees(call).Yes, ok
}

// Idle reports whether text, where no question waits, asks for nothing: it is a greeting,
// or a yes or no for which there is no thinker.
func (d *Answerer) Idle(text string) bool {
	call, _, ok := d.opt.Matcher.Match(text, "")
	return ok && (call.Name == replyCall || call.Name == consentCall && d.opt.Thinker == nil)
}

// words returns text if words may leave the machine.
func (o *Options) words(text string) string {
	if o.Transcripts {
		return text
	}
	return ""
}
