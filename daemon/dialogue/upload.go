package dialogue

import (
	"context"
	"iter"
	"time"

	"hearthd/audio"
	"hearthd/llm"
)

// responder answers by speech, somewhere else.
type responder interface {
	// Wanted reports whether what a person is about to say may go there. It does not
	// block.
	Wanted() bool
	// Excuse is a sentence for a person whose request would have gone there and does
	// not, which they are to be told now; mostly it is empty.
	Excuse() string
	// Prepare connects, because somebody is about to speak. It does not block.
	Prepare()
	// Remark has it say something that stays out of the conversation, as a turn that
	// needs no Commit.
	Remark(ctx context.Context, instructions string) (SpokenTurn, error)
	// Converses reports whether it keeps the window open until it has said goodbye.
	Converses() bool
	// Leave disconnects, because the conversation is over.
	Leave()
	// Note tells of a turn that somebody else answered in the same conversation.
	Note(ask llm.Ask, answer string)
	// Open begins a turn there.
	Open(ctx context.Context) (SpokenTurn, error)
}

// SpokenTurn is a request and its answer at a responder. Write and Commit belong to
// one goroutine.
type SpokenTurn interface {
	// Write sends speech, mono at audio.Rate.
	Write(samples []int16) error
	// Speech are closed when the responder has heard the person begin, and end, if it
	// listens for that.
	Speech() (begun, ended <-chan struct{})
	// Commit says that the person has ended.
	Commit() error
	// Answer yields audio (mono at SpokenRate), its words, what the responder has
	// heard, calls of tools, and the usage. It fails when it has not begun within
	// begin, or does not go on within goOn though no call is without a result.
	Answer(ctx context.Context, begin, goOn time.Duration) iter.Seq2[llm.Delta, error]
	// Result hands in what came of a call.
	Result(call, output string)
	// Cut ends the turn, of whose audio heard was played. It may be called by any
	// goroutine, and at any time.
	Cut(heard time.Duration)
}

// SpokenRate is the sample rate of a responder's audio.
const SpokenRate = 24000

const (
	// uploadQueue holds the longest utterance, because who is asked may be known only
	// at its end.
	uploadQueue = 16 * time.Second / audio.FrameDuration
	// uploadBatch bounds what is sent at once of an utterance that was held back, in
	// samples: half a second.
	uploadBatch = audio.Rate / 2
)

// upload is an utterance on its way to the responder. Nothing leaves the box
// before allow, which is called once it is known that a person opened a turn.
type upload struct {
	frames  chan audio.Frame // closed at the end of the utterance, by the loop
	allowed chan struct{}    // cap 1
	spoken  chan struct{}    // closed when the responder has heard somebody speak
	ended   func()           // it has heard the end
	sent    chan sent        // cap 1; what came of sending, which belongs to who takes it
	cancel  context.CancelFunc
}

// sent is the turn in which all of an utterance was sent, or why there is none.
type sent struct {
	turn SpokenTurn
	err  error
}

// newUpload is nil when nothing of an utterance may go to a responder.
func (m *machine) newUpload(ctx context.Context, utterance uint64, route string) *upload {
	if m.opt.Responder == nil || route == "local" || !m.opt.Responder.Wanted() {
		return nil
	}
	up := &upload{
		frames: make(chan audio.Frame, uploadQueue), allowed: make(chan struct{}, 1),
		sent: make(chan sent, 1), spoken: make(chan struct{}),
		ended: func() { m.opt.Inbox.enqueue(signal{utterance: utterance, over: true}) },
	}
	ctx, up.cancel = context.WithCancel(ctx)
	m.wg.Go(func() { up.run(ctx, m.opt.Responder) })
	return up
}

// run sends the utterance, and cuts its turn if nobody takes it.
func (up *upload) run(ctx context.Context, r responder) {
	turn, err := up.open(ctx, r)
	if err == nil {
		if err = up.send(ctx, turn); err != nil {
			turn.Cut(0)
		}
	}
	up.sent <- sent{turn, err}
	<-ctx.Done()
	select {
	case s := <-up.sent:
		if s.err == nil {
			s.turn.Cut(0)
		}
		up.sent <- sent{err: ctx.Err()}
	default:
	}
}

// open begins the turn once it is allowed.
func (up *upload) open(ctx context.Context, r responder) (SpokenTurn, error) {
	select {
	case <-up.allowed:
		return r.Open(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (up *upload) send(ctx context.Context, turn SpokenTurn) error {
	begun, ended := turn.Speech()
	batch := make([]int16, 0, uploadBatch)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-begun:
			close(up.spoken)
			begun = nil
		case <-ended:
			up.ended()
			ended = nil
		case f, more := <-up.frames:
			if !more {
				return nil
			}
			batch = append(batch[:0], f[:]...)
			for n := len(up.frames); n > 0 && len(batch) < uploadBatch; n-- {
				if f, more = <-up.frames; more {
					batch = append(batch, f[:]...)
				}
			}
			if err := turn.Write(batch); err != nil {
				return err
			}
		}
	}
}

// allow lets the utterance leave the box. A nil upload takes it, as it takes the
// rest.
func (up *upload) allow() {
	if up == nil {
		return
	}
	select {
	case up.allowed <- struct{}{}:
	default:
	}
}

// add queues a frame; the loop never waits for a network.
func (up *upload) add(f *audio.Frame) {
	if up == nil {
		return
	}
	select {
	case up.frames <- *f:
	default:
		up.cancel() // longer than an utterance can be
	}
}

func (up *upload) end() {
	if up != nil {
		close(up.frames)
	}
}

// heard is closed when the responder has heard somebody speak.
func (up *upload) heard() <-chan struct{} {
	if up == nil {
		return nil
	}
	return up.spoken
}

// fails reports whether nothing more of an utterance that goes on is sent.
func (up *upload) fails() bool {
	if up == nil {
		return true
	}
	return len(up.sent) > 0
}

// drop gives the utterance up; what was sent of it is cleared there.
func (up *upload) drop() {
	if up != nil {
		up.cancel()
	}
}

// take waits until all of the utterance was sent. Who takes the turn cuts it.
func (up *upload) take(ctx context.Context) (SpokenTurn, error) {
	select {
	case s := <-up.sent:
		return s.turn, s.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
