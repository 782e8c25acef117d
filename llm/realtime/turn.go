package realtime

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/llm"
)

const (
	// minSpeech is shorter than anything people say: less is not committed.
	minSpeech = 250 * time.Millisecond
	// maxAudio bounds the audio of one turn; nobody listens longer.
	maxAudio = 5 * time.Minute * rate / time.Second
	// maxWords bounds the words of one turn, in bytes: more than an hour of speech.
	maxWords = 64 << 10
)

var (
	// errTooShort means that there was too little speech to be a request.
	errTooShort = errors.New("too little speech")
	// errSlow means that the service did not begin to answer, or did not go on, in time.
	errSlow = errors.New("the service is too slow to answer")
	errCut  = errors.New("the turn was cut")
	errLong = errors.New("the answer is too long")
)

// Turn is one request of a person and its answer. Write and Commit belong to
// one goroutine, and so does Answer; Result and Cut may be called by any.
type Turn struct {
	s    *Session
	conv *audio.Resampler
	sent int // samples of the microphone

	// These belong to the session's loop.
	spoken    []spoken
	calls     int
	rounds    int
	appended  bool
	committed bool
	unasked   string // item that the service has committed, and for which no response was asked
	truncated bool   // how much of it was heard is known
	aside     bool   // it stays out of the conversation
	item      string // item to which the newest words belong
	written   int    // bytes of words

	mu    sync.Mutex
	queue []llm.Delta
	audio int // samples that came
	owed  int // calls without a result
	over  bool
	err   error
	gone  <-chan struct{} // closed when nobody ranges over Answer any more; nil: nobody does yet
	more  chan struct{}   // cap 1

	onset, silence chan struct{}
	begun, ceased  func() // close them, once
}

// spoken is the audio of one item of the conversation.
type spoken struct {
	item    string
	content int
	samples int
}

// Open begins a turn and ends the previous one.
func (s *Session) Open() (*Turn, error) {
	conv, err := audio.NewResampler(audio.Rate, rate)
	if err != nil {
		return nil, fmt.Errorf("open turn: %w", err)
	}
	t := &Turn{s: s, conv: conv, more: make(chan struct{}, 1), onset: make(chan struct{}), silence: make(chan struct{})}
	t.begun, t.ceased = sync.OnceFunc(func() { close(t.onset) }), sync.OnceFunc(func() { close(t.silence) })
	if !s.ask(func(l *loop) { l.begin(t) }) {
		return nil, s.err
	}
	return t, nil
}

// Write sends speech, mono at audio.Rate.
func (t *Turn) Write(samples []int16) error {
	t.sent += len(samples)
	return t.append(t.conv.Process(nil, samples))
}

func (t *Turn) append(p []int16) error {
	if len(p) == 0 {
		return nil
	}
	data := make([]byte, 2*len(p))
	for i, v := range p {
		binary.LittleEndian.PutUint16(data[2*i:], uint16(v))
	}
	return t.inLoop(func(l *loop) {
		t.appended = true
		l.send(outgoing{Type: "input_audio_buffer.append", Audio: data})
	})
}

// Speech are closed when the service has heard the person begin, and end; it listens
// for that only with Options.Detection.
func (t *Turn) Speech() (begun, ended <-chan struct{}) { return t.onset, t.silence }

// inLoop runs fn in the session's loop; it fails when t is not the current turn any more.
func (t *Turn) inLoop(fn func(*loop)) error {
	current := make(chan bool, 1)
	if !t.s.ask(func(l *loop) {
		current <- t == l.turn
		if t == l.turn {
			fn(l)
		}
	}) {
		return t.s.err
	}
	if !<-current {
		return errCut
	}
	return nil
}

// Commit says that the person has ended, and asks for an answer.
func (t *Turn) Commit() error {
	if t.sent < int(minSpeech*audio.Rate/time.Second) {
		return errTooShort
	}
	if err := t.append(t.conv.Flush(nil)); err != nil {
		return err
	}
	return t.inLoop(func(l *loop) {
		if t.unasked != "" {
			t.unasked = ""
			l.send(outgoing{Type: "input_audio_buffer.clear"}) // what came after the end of speech
		} else {
			t.committed = true
			l.commits = append(l.commits, t)
			l.send(outgoing{Type: "input_audio_buffer.commit", Event: eventCommit})
		}
		l.want(&create{turn: t})
	})
}

// Remark has the service say something that does not become part of the
// conversation.
func (t *Turn) Remark(instructions string) error {
	return t.inLoop(func(l *loop) {
		t.aside = true
		l.want(&create{turn: t, params: &responseParams{Conversation: "none", Instructions: instructions,
			ToolChoice: "none"}})
	})
}

// Result delivers the result of a call that Answer has yielded. The answer goes on when all of them
// have come, unless nobody waits for it; a turn that is cut owes none.
func (t *Turn) Result(call, output string) {
	t.s.ask(func(l *loop) { l.result(t, call, output) })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.owed--
	t.wake()
}

// Answer yields the answer as it comes: audio (mono at Rate), its words, words of the person
// (Heard), and calls of tools, each of which needs a Result. It ends with an error when the service
// fails, when it does not begin to speak or to call within begin, or when it does neither for goOn
// although no result is owed. A caller that stops before the end, or cannot deliver a result, calls
// Cut. Once ctx has ended nothing more is requested from the service: results are only delivered.
func (t *Turn) Answer(ctx context.Context, begin, goOn time.Duration) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		t.hears(ctx.Done())
		defer func() {
			if ctx.Err() != nil {
				t.s.ask(func(l *loop) { l.stop(t) })
			}
		}()
		slow := time.NewTimer(begin)
		defer slow.Stop()
		owed := 0
		for {
			batch, owes, over, err := t.take()
			moved := owes != owed
			owed = owes
			for _, d := range batch {
				moved = moved || d.Audio != nil || d.Call != nil
				if ctx.Err() != nil || t.wasCut() || !yield(d, nil) {
					return
				}
			}
			if over {
				if err != nil && !errors.Is(err, errCut) {
					yield(llm.Delta{}, err)
				}
				return
			}
			switch {
			case owed > 0:
				slow.Stop()
			case moved:
				slow.Reset(goOn)
			}
			select {
			case <-t.more:
			case <-slow.C:
				if t.complete() {
					continue // its end has come in the meantime
				}
				t.s.opt.verdict(errSlow)
				yield(llm.Delta{}, errSlow)
				return
			case <-ctx.Done():
				return
			}
		}
	}
}

// Cut ends the turn; heard is how much of its audio was played. What the service still says is
// dropped, and its memory of the answer ends where the person stopped hearing it.
func (t *Turn) Cut(heard time.Duration) {
	t.s.ask(func(l *loop) { l.cut(t, heard.Milliseconds()) })
	t.drop() // the session may be over
}

// push queues d for Answer. The loop never waits for whoever ranges over it.
func (t *Turn) push(d llm.Delta) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	if t.audio += len(d.Audio); t.audio > int(maxAudio) {
		t.finish(errLong)
		return
	}
	if d.Call != nil {
		t.owed++
	}
	t.queue = append(t.queue, d)
	t.wake()
}

// words queues words of an item of the answer; those of the next item are not
// joined to them.
func (t *Turn) words(item, text string) {
	if t.item != "" && t.item != item {
		text = " " + text
	}
	t.item = item
	if t.written += len(text); t.written > maxWords {
		t.end(errLong)
		return
	}
	t.push(llm.Delta{Text: text})
}

// end ends the answer: with an error, or without one when everything is queued.
func (t *Turn) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finish(err)
}

// drop ends the answer and discards what nobody has taken yet.
func (t *Turn) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over, t.err, t.queue = true, errCut, nil
	t.wake()
}

// finish is end with mu held.
func (t *Turn) finish(err error) {
	if t.over {
		return
	}
	t.over, t.err = true, err
	t.wake()
}

func (t *Turn) wake() {
	select {
	case t.more <- struct{}{}:
	default:
	}
}

func (t *Turn) take() (batch []llm.Delta, owed int, over bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	batch, t.queue = t.queue, nil
	return batch, t.owed, t.over, t.err
}

// sounds notes audio of an item, for a cut.
func (t *Turn) sounds(item string, content, samples int) {
	if n := len(t.spoken); n > 0 && t.spoken[n-1].item == item {
		t.spoken[n-1].samples += samples
		return
	}
	if len(t.spoken) < maxKnown {
		t.spoken = append(t.spoken, spoken{item, content, samples})
	}
}

// unheard truncates the items whose audio was not played to the end, of which the first heard
// milliseconds were. The service refuses to truncate where there is no audio.
func (t *Turn) unheard(heard int64) []outgoing {
	if t.aside {
		return nil
	}
	var cuts []outgoing
	for _, s := range t.spoken {
		length := int64(s.samples) * 1000 / rate
		if heard < length {
			cuts = append(cuts, outgoing{Type: "conversation.item.truncate", Event: eventMemory, ItemID: s.item,
				cutAt: &cutAt{s.content, max(heard, 0)}})
		}
		heard -= length
	}
	return cuts
}

// wasCut reports whether nobody wants the rest of the answer.
func (t *Turn) wasCut() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Is(t.err, errCut)
}

// complete ends an answer of which everything came but the end, and reports whether it did.
func (t *Turn) complete() bool {
	over := make(chan bool, 1)
	if !t.s.ask(func(l *loop) {
		if l.whole(t) {
			t.end(nil)
		}
		over <- t.ended()
	}) {
		return true // the end of the session is that of its turn
	}
	return <-over
}

// hears notes that somebody ranges over Answer until gone is closed.
func (t *Turn) hears(gone <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone = gone
}

// ended reports whether the whole answer came, or nobody waits for more. It sees the end of
// Answer's context at once, before anybody has cut the turn.
func (t *Turn) ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.gone:
		return true
	default:
		return t.over
	}
}
