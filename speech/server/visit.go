package server

import (
	"context"
	"errors"
	"fmt"
	"io"

	"hearthd/config/letters"
	"hearthd/llm/wyoming"
	"hearthd/speech/model"
	"hearthd/speech/shelf"
)

// What a client is refused with. The code tells programs what the text tells people.
var (
	errFull  = refusal{"busy", "too many connections"}
	errSlots = refusal{"busy", "too many at once"}
)

// refusal is an error that a client is told.
type refusal struct{ code, text string }

func (r refusal) Error() string { return r.text }

func refused(code, format string, args ...any) error {
	return refusal{code, fmt.Sprintf(format, args...)}
}

// visit is one connection. One goroutine uses it: what a client sends while its request is worked on waits
// in the socket.
type visit struct {
	s    *Server
	conn *wyoming.Conn

	heard   *hearing
	spoken  *speaking
	watched *watching
	request wyoming.Request // of the utterance that comes
	deaf    bool            // the utterance was refused: the rest of it is not heard
}

// run handles events until the client hangs up or breaks the rules.
func (v *visit) run(ctx context.Context) error {
	for {
		e, err := v.receive(ctx)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil // also in the middle of an utterance: it is not wanted any more
		}
		if err != nil {
			return err
		}
		if err := v.handle(ctx, e); err != nil {
			var r refusal
			if !errors.As(err, &r) && !errors.Is(err, errEngine) {
				return err
			}
			v.end()
			v.deaf = true
			if told := v.complain(ctx, err); told != nil {
				return told
			}
		}
	}
}

func (v *visit) receive(ctx context.Context) (wyoming.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, v.s.opt.Limits.Silent)
	defer cancel()
	return v.conn.Receive(ctx)
}

// send waits for the client no longer than it may be silent.
func (v *visit) send(ctx context.Context, events ...wyoming.Event) error {
	ctx, cancel := context.WithTimeout(ctx, v.s.opt.Limits.Silent)
	defer cancel()
	return v.conn.Send(ctx, events...)
}

// tell sends one event with data.
func (v *visit) tell(ctx context.Context, kind string, data any) error {
	e, err := wyoming.NewEvent(kind, data)
	if err != nil {
		return err
	}
	return v.send(ctx, e)
}

// errEngine is a fault of the engine. Its words are for the journal, not for the client.
var errEngine = errors.New("the engine failed")

// engine says that an engine gave err.
func engine(err error) error {
	var r refusal
	if err == nil || errors.As(err, &r) {
		return err
	}
	switch {
	case errors.Is(err, shelf.ErrNone):
		return refused("no-model", "%s", letters.Plain(err.Error(), 200))
	case errors.Is(err, model.ErrPhrase):
		return refused("bad-request", "%s", letters.Plain(err.Error(), 200))
	case errors.Is(err, shelf.ErrBusy):
		return refused("busy", "%v", err)
	}
	return fmt.Errorf("%w: %w", errEngine, err)
}

func (v *visit) complain(ctx context.Context, err error) error {
	c := wyoming.Complaint{Text: "the engine failed", Code: "engine"}
	if r, ok := errors.AsType[refusal](err); ok {
		c = wyoming.Complaint{Text: r.text, Code: r.code}
	}
	v.s.opt.Log.Warn("request refused", "error", err)
	return v.tell(ctx, wyoming.Error, c)
}

// end gives up what is under way.
func (v *visit) end() {
	if v.heard != nil {
		v.heard.close()
		v.heard = nil
	}
	if v.spoken != nil {
		v.spoken.close()
		v.spoken = nil
	}
	v.unwatch()
}

func (v *visit) handle(ctx context.Context, e wyoming.Event) error {
	switch e.Type {
	case wyoming.Describe:
		return v.describe(ctx)
	case "ping":
		return v.send(ctx, wyoming.Event{Type: "pong", Data: e.Data})
	case wyoming.Detect:
		return v.detect(ctx, e)
	case wyoming.AudioStart, wyoming.AudioChunk, wyoming.AudioStop:
		if v.watched != nil {
			return v.listen(ctx, e)
		}
		return v.hear(ctx, e)
	case wyoming.Transcribe:
		v.unwatch()
		return v.hear(ctx, e)
	case wyoming.SoFar:
		return v.hear(ctx, e)
	case wyoming.Synthesize, wyoming.SynthesizeStart, wyoming.SynthesizeChunk, wyoming.SynthesizeStop:
		return v.speak(ctx, e)
	case wyoming.VoicePrint:
		return v.print(ctx, e)
	}
	return nil // what the protocol gets one day
}

// decode reads data that a client sent.
func decode(e wyoming.Event, into any) error {
	if err := e.Decode(into); err != nil {
		return refused("bad-request", "the data of %.32q cannot be read", e.Type)
	}
	return nil
}
