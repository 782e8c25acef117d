package realtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hearthd/llm"
	"hearthd/llm/gone"
)

const (
	// maxKnown bounds the responses and the audio items that are remembered because
	// late events of them may come.
	maxKnown = 64

	// Ids of events that are sent, and codes of errors about them.
	eventCreate   = "create"
	eventCommit   = "commit"
	eventUpdate   = "update"
	eventMemory   = "memory"
	codeActive    = "conversation_already_has_active_response"
	codeNotActive = "response_cancel_not_active"
	codeExpired   = "session_expired"
)

var (
	errQueue = fmt.Errorf("%w: the service takes events too slowly", errLost)
	// ErrEnded ends a session that is over, or must forget what was said.
	ErrEnded = errors.New("the session was ended")
)

// loop is the state of a session; only Run's goroutine touches it.
type loop struct {
	s *Session

	turn     *Turn       // the current one, or nil
	left     time.Time   // when the one before was over
	active   *response   // that the service is making, or nil
	creating *create     // the request that was sent for a response; the next one that begins belongs to it; or nil
	wanted   *create     // waits for active to end, or nil
	patience *time.Timer // of creating and wanted
	commits  []*Turn     // whose audio was committed and has no item yet
	known    []*response // the newest, because late events of them may come
	items    map[string]*Turn
	refusals int               // of what the service wanted to do elsewhere
	unknown  map[string]uint64 // events that this client does not know, by type
	failed   error             // ends the session
}

func newLoop(s *Session) *loop {
	l := &loop{s: s, left: time.Now(), patience: time.NewTimer(time.Hour), items: map[string]*Turn{},
		unknown: map[string]uint64{}}
	l.patience.Stop()
	return l
}

// run returns why the session ends, or nil when ctx has.
func (l *loop) run(ctx context.Context) error {
	defer l.patience.Stop()
	for l.failed == nil {
		select {
		case <-ctx.Done():
			return nil
		case e := <-l.s.in:
			l.event(e)
		case fn := <-l.s.do:
			fn(l)
		case <-l.patience.C:
			l.late()
		}
	}
	return l.failed
}

// close ends the turn with why.
func (l *loop) close(why error) {
	if l.whole(l.turn) {
		l.turn.end(nil)
	}
	if l.awaited(l.turn) {
		if !errors.Is(why, context.Canceled) && !errors.Is(why, ErrEnded) {
			l.s.opt.verdict(why)
		}
		l.turn.end(why)
	}
	if len(l.unknown) > 0 {
		l.s.log.Info("the service sent events that are not known", "component", "responder", "events", l.unknown)
	}
}

func (l *loop) send(e outgoing) {
	select {
	case l.s.out <- e:
	default:
		l.failed = errQueue
	}
}

func (l *loop) event(e *incoming) {
	switch e.Type {
	case "response.created":
		l.created(e.Response.ID)
	case "response.done":
		l.done(&e.Response)
	case "input_audio_buffer.speech_started":
		if l.turn != nil {
			l.turn.begun()
		}
	case "input_audio_buffer.committed":
		l.committed(e.ItemID)
	case "conversation.item.input_audio_transcription.completed":
		l.transcript(e)
	case "conversation.item.input_audio_transcription.failed":
		l.unwritten(&e.Error)
	case "error":
		l.error(e)
	default:
		if used[e.Type] {
			l.part(e)
		} else if !passed[e.Type] && len(l.unknown) < maxKnown {
			l.unknown[l.s.opt.name(e.Type)]++
		}
	}
}

// part takes a part of a response.
func (l *loop) part(e *incoming) {
	r := l.find(e.ResponseID)
	if r == nil {
		return
	}
	live := l.live(e.ResponseID) != nil
	switch e.Type {
	case "response.output_audio.delta":
		l.audio(e)
	case "response.output_audio_transcript.delta", "response.output_text.delta":
		if live {
			r.turn.words(e.ItemID, e.Delta)
		}
	case "response.output_audio.done":
		if live {
			r.spoken = len(r.turn.spoken) > 0
		}
	case "response.output_item.added", "response.function_call_arguments.delta":
		if live {
			r.spoken = false
		}
	case "response.output_item.done":
		l.item(r, &e.Item)
	case "response.function_call_arguments.done":
		// Whether it is whole is known with its item, or with the end of the response.
		if e.Name != "" && len(r.unannounced) < maxCalls {
			r.unannounced = append(r.unannounced, item{CallID: e.CallID, Name: e.Name, Arguments: e.Arguments})
		}
	}
}

// item takes an item of a response that is whole.
func (l *loop) item(r *response, it *item) {
	switch it.Type {
	case typeCall:
		l.call(r, it)
	case typeApproval:
		l.refuse(r, it)
	}
}

// committed notes which turn an item of the person belongs to. If nobody here has committed it, the
// service has detected the end of speech.
func (l *loop) committed(id string) {
	t := l.turn
	switch {
	case len(l.commits) > 0:
		t = l.commits[0]
		l.commits = l.commits[1:]
	case t != nil && t.appended && !t.committed && l.s.opt.Detection != "":
		t.committed, t.unasked = true, id
		t.ceased()
	default:
		return
	}
	if len(l.items) >= maxKnown {
		clear(l.items)
	}
	l.items[id] = t
}

// transcript takes the words that the service has understood of a person.
func (l *loop) transcript(e *incoming) {
	cost := l.s.opt.Prices.transcript(e.Usage)
	l.pay(cost)
	if t := l.items[e.ItemID]; t != nil && t == l.turn {
		t.push(llm.Delta{Heard: e.Transcript, Usage: &llm.Usage{Cost: cost}})
	}
}

// unwritten reports that the service does not have the model that transcribes what people say. The
// answer comes even without their words.
func (l *loop) unwritten(f *fault) {
	o := l.s.opt
	if gone := gone.FromRefusal(o.Transcriber, f.refusal(0)); gone != nil && o.unwritten != nil {
		o.unwritten(gone)
	}
}

func (l *loop) pay(money float64) {
	if l.s.opt.Spent != nil && money > 0 {
		l.s.opt.Spent(money)
	}
}

func (l *loop) error(e *incoming) {
	switch e.Error.Code {
	case codeNotActive: // it had ended before the cancellation arrived, or without notice
		if l.active != nil && l.active.cut {
			l.active.done, l.active = true, nil
			l.next()
		}
		return
	case codeExpired:
		l.failed = fmt.Errorf("%w: it is too old", errLost)
		return
	case codeActive:
		// Another response runs whose begin or end was not seen: the wanted one waits for its end.
		if l.wanted == nil {
			l.wanted = l.creating
		}
		l.creating = nil
		l.patience.Reset(createLimit)
		return
	}
	l.s.log.Warn("the service reports an error", "component", "responder", "type", l.s.opt.name(e.Error.Type),
		"code", l.s.opt.name(e.Error.Code))
	why := l.s.opt.failure(&e.Error)
	switch of := e.Error.Event; {
	case of == eventCommit && len(l.commits) > 0:
		// The response that was asked for with it may come, and answers nothing.
		l.fail(l.commits[0], why)
		l.commits = l.commits[1:]
	case l.creating != nil && (of == eventCreate || of == ""):
		c := l.creating
		l.creating = nil
		l.fail(c.turn, why)
		l.wait()
		l.next()
	}
}

// refresh sends the service what has changed of its instructions.
func (l *loop) refresh(p *Persona) {
	if now := personaDigest(p); l.s.opt.Open == nil && now != l.s.persona {
		l.s.persona = now
		l.send(personaUpdate(p, eventUpdate))
	}
}

// note adds what was said without the service to its conversation.
func (l *loop) note(list []llm.Message) {
	for i := range list {
		if it := message(&list[i]); it != nil {
			l.send(outgoing{Type: typeCreateItem, Item: it})
		}
	}
}
