package realtime

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"hearthd/llm"
)

const (
	// createLimit bounds the wait for the response that runs to end before the next
	// may begin, and for that one to begin.
	createLimit = 10 * time.Second
	// maxRounds bounds the responses of one turn: each may call tools and so make
	// the next necessary.
	maxRounds = 10
	// maxCalls bounds the tool calls of one turn.
	maxCalls = 16
	// maxKnown bounds the responses and the audio items that are remembered because
	// late events of them may come.
	maxKnown = 64
)

var (
	errBusy   = errors.New("the response before did not end")
	errRounds = errors.New("the service calls tools without end")
	errQueue  = fmt.Errorf("%w: the service takes events too slowly", ErrLost)
	errMute   = fmt.Errorf("%w: the service began no response", ErrLost)
	// errEnded ends a session that is over, or must not know any more what was said.
	errEnded = errors.New("the session was ended")
)

// What the service is told of calls that were not run.
const (
	outputStale    = "The person has gone on to something else. What this call did is not known."
	outputTooMany  = "Too many calls in one turn. The tool was not run. Answer with what you have."
	eventCreate    = "create"
	eventCommit    = "commit"
	eventUpdate    = "update"
	codeActive     = "conversation_already_has_active_response"
	codeNotActive  = "response_cancel_not_active"
	codeEmpty      = "input_audio_buffer_commit_empty"
	codeExpired    = "session_expired"
	statusFailed   = "failed"
	typeCall       = "function_call"
	typeCallOutput = "function_call_output"
)

// used are the events that the loop reads, and passed those that tell nothing that
// is needed here; all others are counted.
var (
	used = map[string]bool{
		"response.created": true, "response.done": true, "response.output_audio.delta": true,
		"response.output_audio_transcript.delta": true, "response.output_text.delta": true,
		"response.output_item.done": true, "input_audio_buffer.committed": true,
		"conversation.item.input_audio_transcription.completed": true, "error": true,
	}
	passed = map[string]bool{
		"session.created": true, "session.updated": true, "conversation.created": true, "rate_limits.updated": true,
		"conversation.item.created": true, "conversation.item.added": true, "conversation.item.done": true,
		"conversation.item.truncated": true, "conversation.item.input_audio_transcription.delta": true,
		"conversation.item.input_audio_transcription.failed": true, "conversation.item.input_audio_transcription.segment": true,
		"input_audio_buffer.cleared": true, "response.output_item.added": true, "response.content_part.added": true,
		"response.content_part.done": true, "response.output_text.done": true, "response.output_audio.done": true,
		"response.output_audio_transcript.done": true, "response.function_call_arguments.delta": true,
		"response.function_call_arguments.done": true,
	}
)

// loop is the state of a session; only Run's goroutine touches it.
type loop struct {
	s *Session

	turn     *Turn       // the current one, or nil
	active   *response   // that the service is making, or nil
	creating *create     // was sent; the response that begins next is its, or nil
	wanted   *create     // waits for active to end, or nil
	patience *time.Timer // of creating and wanted
	commits  []*Turn     // whose audio was committed and has no item yet
	known    []*response // the newest, because late events of them may come
	items    map[string]*Turn
	unknown  map[string]uint64 // events that this client does not know, by type
	failed   error             // ends the session
}

// create is a response that is wanted for a turn.
type create struct {
	turn   *Turn
	params *responseParams
	cut    bool // the turn was cut before the response began
}

// response is an answer of the service, or a part of one that calls tools.
type response struct {
	id     string
	turn   *Turn
	cut    bool            // it was cancelled: what still comes of it is dropped
	done   bool            // nothing more comes of it
	called map[string]bool // calls that were taken; true: the service waits for the output
}

// owes reports whether a call of r has no output yet.
func (r *response) owes() bool {
	for _, owed := range r.called {
		if owed {
			return true
		}
	}
	return false
}

func newLoop(s *Session) *loop {
	l := &loop{s: s, patience: time.NewTimer(time.Hour), items: map[string]*Turn{}, unknown: map[string]uint64{}}
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
	if l.turn != nil && !l.turn.ended() {
		l.turn.end(why)
		if !errors.Is(why, context.Canceled) && !errors.Is(why, errEnded) {
			l.s.opt.verdict(why)
		}
	}
	if len(l.unknown) > 0 {
		l.s.log.Info("the service sent events that are not known", "component", "responder", "events", l.unknown)
	}
}

func (l *loop) send(e any) {
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
	case "response.output_audio.delta":
		l.audio(e)
	case "response.output_audio_transcript.delta", "response.output_text.delta":
		if r := l.live(e.ResponseID); r != nil {
			r.turn.words(e.ItemID, e.Delta)
		}
	case "response.output_item.done":
		if r := l.find(e.ResponseID); r != nil && e.Item.Type == typeCall {
			l.call(r, &e.Item)
		}
	case "response.done":
		l.done(&e.Response)
	case "input_audio_buffer.committed":
		l.committed(e.ItemID)
	case "conversation.item.input_audio_transcription.completed":
		if t := l.items[e.ItemID]; t != nil && t == l.turn {
			t.push(llm.Delta{Heard: e.Transcript})
		}
	case "error":
		l.error(e)
	default:
		if !passed[e.Type] && len(l.unknown) < maxKnown {
			l.unknown[name(e.Type)]++
		}
	}
}

// created takes the response that has begun. One that nobody wants any more, or
// ever did, is cancelled.
func (l *loop) created(id string) {
	c := l.creating
	l.creating = nil
	l.wait()
	r := &response{id: id, called: map[string]bool{}}
	if c != nil {
		r.turn = c.turn
	}
	if l.known = append(l.known, r); len(l.known) > maxKnown {
		l.known = l.known[1:]
	}
	l.active = r
	if c == nil || c.cut || c.turn != l.turn {
		l.cancel(r)
	}
}

func (l *loop) find(id string) *response {
	for _, r := range l.known {
		if r.id == id {
			return r
		}
	}
	return nil
}

// live is the response id if what comes of it may be heard.
func (l *loop) live(id string) *response {
	if r := l.find(id); r != nil && !r.cut && r.turn == l.turn {
		return r
	}
	return nil
}

func (l *loop) audio(e *incoming) {
	r := l.live(e.ResponseID)
	if r == nil {
		return
	}
	data, err := base64.StdEncoding.DecodeString(e.Delta)
	if err != nil || len(data)%2 != 0 {
		l.failed = errors.New("the service sent audio that is none")
		return
	}
	samples := make([]int16, len(data)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	r.turn.sounds(e.ItemID, e.Content, len(samples))
	r.turn.push(llm.Delta{Audio: samples})
}

// call hands over one tool call of r, or answers it at once, but never twice.
func (l *loop) call(r *response, it *item) {
	if _, taken := r.called[it.CallID]; taken || it.CallID == "" || it.Status == "incomplete" {
		return
	}
	r.called[it.CallID] = true
	switch t := r.turn; {
	case t == nil, t != l.turn, r.cut:
		l.output(r, it.CallID, outputStale)
	case t.calls >= maxCalls:
		l.output(r, it.CallID, outputTooMany)
	default:
		t.calls++
		t.push(llm.Delta{Call: &llm.ToolCall{ID: it.CallID, Name: it.Name, Arguments: []byte(it.Arguments)}})
	}
}

// result takes what came of a call of t.
func (l *loop) result(t *Turn, id, output string) {
	for _, r := range l.known {
		if r.turn == t && r.called[id] {
			l.output(r, id, output)
			l.settle(r)
			return
		}
	}
}

// output gives the service the one output of a call.
func (l *loop) output(r *response, id, output string) {
	l.send(createItem{"conversation.item.create", item{Type: typeCallOutput, CallID: id, Output: &output}})
	r.called[id] = false
}

// done takes the end of a response, and the calls that were told of only there.
func (l *loop) done(a *answer) {
	r := l.find(a.ID)
	if r == nil || r.done {
		l.next() // what is wanted may have waited for one that nobody knew of
		return
	}
	for i := range a.Output {
		if it := &a.Output[i]; it.Type == typeCall {
			l.call(r, it)
		}
	}
	r.done = true
	if l.active == r {
		l.active = nil
	}
	if a.Usage != nil {
		l.spent(r, a.Usage.sum())
	}
	if a.Status == statusFailed && r.turn != nil && r.turn == l.turn {
		l.fail(r.turn, failure(a.Details.Error.Type, a.Details.Error.Code))
	}
	l.settle(r)
	l.next()
}

// spent tells what r cost, though nobody may want its answer any more.
func (l *loop) spent(r *response, u Usage) {
	cost := l.s.opt.Prices.Cost(u)
	if l.s.opt.Spent != nil {
		l.s.opt.Spent(cost)
	}
	if r.turn != nil && r.turn == l.turn {
		in, out := u.Tokens()
		r.turn.push(llm.Delta{Usage: &llm.Usage{PromptTokens: in, OutputTokens: out, Cost: cost}})
	}
}

// settle goes on when a response has ended and all its calls have an output.
func (l *loop) settle(r *response) {
	if !r.done || r.owes() || r.cut || r.turn == nil || r.turn != l.turn || r.turn.ended() {
		return
	}
	if len(r.called) == 0 {
		r.turn.end(nil)
		l.s.opt.verdict(nil)
		return
	}
	l.want(&create{turn: r.turn})
}

// want has a response made as soon as none is.
func (l *loop) want(c *create) {
	if c.turn.rounds++; c.turn.rounds > maxRounds {
		c.turn.end(errRounds)
		return
	}
	l.wanted = c
	l.patience.Reset(createLimit)
	l.next()
}

// next sends what is wanted, if its turn is still the current one.
func (l *loop) next() {
	c := l.wanted
	if c == nil || l.active != nil || l.creating != nil {
		return
	}
	l.wanted = nil
	if c.turn != l.turn {
		return
	}
	l.creating = c
	l.patience.Reset(createLimit)
	l.send(createResponse{Type: "response.create", Event: eventCreate, Response: c.params})
}

// wait begins the patience anew with what is still waited for.
func (l *loop) wait() {
	if l.wanted == nil && l.creating == nil {
		l.patience.Stop()
		return
	}
	l.patience.Reset(createLimit)
}

// late gives up what was waited for.
func (l *loop) late() {
	switch {
	case l.creating != nil:
		l.failed = errMute
	case l.wanted != nil:
		l.s.log.Warn("a response is dropped, the one before does not end", "component", "responder")
		l.fail(l.wanted.turn, errBusy)
		l.wanted = nil
	}
}

// fail ends t because of the service.
func (l *loop) fail(t *Turn, why error) {
	if !t.ended() {
		t.end(why)
		l.s.opt.verdict(why)
	}
}

// committed notes which turn an item of the person is of.
func (l *loop) committed(id string) {
	if len(l.commits) == 0 {
		return
	}
	if len(l.items) >= maxKnown {
		clear(l.items)
	}
	l.items[id] = l.commits[0]
	l.commits = l.commits[1:]
}

func (l *loop) error(e *incoming) {
	switch e.Error.Code {
	case codeNotActive: // it ended while the cancellation was on its way
		return
	case codeExpired:
		l.failed = fmt.Errorf("%w: it is too old", ErrLost)
		return
	case codeActive:
		// Another response runs that ended or began unseen: the wish waits for its end.
		if l.wanted == nil {
			l.wanted = l.creating
		}
		l.creating = nil
		l.patience.Reset(createLimit)
		return
	}
	l.s.log.Warn("the service reports an error", "component", "responder", "type", name(e.Error.Type), "code", name(e.Error.Code))
	switch of := e.Error.Event; {
	case of == eventCommit && len(l.commits) > 0:
		// The response that was asked for with it comes, and answers nothing.
		t := l.commits[0]
		l.commits = l.commits[1:]
		if l.creating != nil && l.creating.turn == t {
			l.creating.cut = true
		}
		if t == l.turn {
			l.fail(t, e.failure())
		}
	case l.creating != nil && (of == eventCreate || of == ""):
		c := l.creating
		l.creating = nil
		if c.turn == l.turn && !c.cut {
			l.fail(c.turn, e.failure())
		}
		l.wait()
		l.next()
	}
}

// begin makes t the current turn; the one before is over.
func (l *loop) begin(t *Turn) {
	if l.turn != nil {
		l.cut(l.turn, -1)
	}
	l.turn = t
}

// cut ends t, of whose audio the first heard milliseconds were played; less than
// zero means that this is not known yet: another turn has begun.
func (l *loop) cut(t *Turn, heard int64) {
	if t == l.turn {
		l.leave(t)
	}
	if heard >= 0 && !t.truncated {
		t.truncated = true
		for _, cut := range t.unheard(heard) {
			l.send(cut)
		}
	}
}

// leave ends the current turn: nothing of it is heard or made any more, and each of
// its calls has an output.
func (l *loop) leave(t *Turn) {
	l.turn = nil
	t.end(errCut)
	if l.wanted != nil && l.wanted.turn == t {
		l.wanted = nil
	}
	if l.creating != nil && l.creating.turn == t {
		l.creating.cut = true
	}
	if l.active != nil && l.active.turn == t {
		l.cancel(l.active)
	}
	for _, r := range l.known {
		for id, owed := range r.called {
			if owed && r.turn == t {
				l.output(r, id, outputStale)
			}
		}
	}
	if t.appended && !t.committed {
		l.send(plain{Type: "input_audio_buffer.clear"})
	}
}

// cancel ends a response that runs, once.
func (l *loop) cancel(r *response) {
	if !r.cut && !r.done {
		r.cut = true
		l.send(cancelResponse{"response.cancel", r.id})
	}
}

// refresh tells the service what has changed of what it was told at the beginning.
func (l *loop) refresh(p *Persona) {
	if now := mind(p); now != l.s.told {
		l.s.told = now
		u := update{Type: "session.update", Event: eventUpdate}
		u.Session.Type, u.Session.Instructions, u.Session.Tools = "realtime", p.Instructions, functions(p)
		l.send(u)
	}
}

// note adds what was said without the service to its conversation.
func (l *loop) note(list []llm.Message) {
	for i := range list {
		if it := message(&list[i]); it != nil {
			l.send(createItem{"conversation.item.create", *it})
		}
	}
}
