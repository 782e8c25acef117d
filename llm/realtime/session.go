package realtime

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"hearthd/llm/gone"
)

const (
	// writeQueue is how many events may wait to be sent; 20 ms of audio each is five
	// seconds. A service that takes them slower is lost.
	writeQueue = 256
	// keepAlive is how often a ping looks whether the service is still there, and
	// how long its answer may take.
	keepAlive = 15 * time.Second
	// maxHistory bounds what a new session is told of the conversation before.
	maxHistory = 20
)

// Session is one connection. Its methods may be called by any goroutine.
type Session struct {
	opt     *Options
	log     *slog.Logger
	line    Line
	in      chan *incoming
	out     chan outgoing
	do      chan func(*loop)
	ended   chan struct{} // closed when the loop has ended
	err     error         // why; read after ended
	begun   time.Time
	persona [sha256.Size]byte // digest of the persona as sent last; the loop's, once it runs
}

// open connects and configures a session.
func open(ctx context.Context, o *Options, p *Persona) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	dial := o.Open
	if dial == nil {
		dial = connect
	}
	line, err := dial(ctx, o, p)
	if err != nil {
		return nil, err
	}
	s := &Session{
		opt: o, log: o.Log, line: line,
		in: make(chan *incoming), out: make(chan outgoing, writeQueue), do: make(chan func(*loop)),
		ended: make(chan struct{}), begun: time.Now(), persona: personaDigest(p),
	}
	err = s.expect(ctx, "session.created")
	if err == nil && o.Open == nil {
		err = s.configure(ctx, p)
	}
	if err != nil {
		line.CloseNow()
		return nil, fmt.Errorf("configure realtime session: %w", err)
	}
	return s, nil
}

// configure configures the session, and sends it what was said before.
func (s *Session) configure(ctx context.Context, p *Persona) error {
	if err := s.write(ctx, s.opt.configuration(p)); err != nil {
		return err
	}
	if err := s.expect(ctx, "session.updated"); err != nil {
		return err
	}
	for _, m := range p.History[max(0, len(p.History)-maxHistory):] {
		if it := message(&m); it != nil {
			if err := s.write(ctx, outgoing{Type: typeCreateItem, Item: it}); err != nil {
				return err
			}
		}
	}
	return nil
}

// expect passes over events up to the wanted one.
func (s *Session) expect(ctx context.Context, kind string) error {
	for {
		e, err := s.read(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("wait for %s: %w", kind, err)
		case e.Type == kind:
			return nil
		case e.Type == "error":
			return fmt.Errorf("wait for %s: %w", kind, s.opt.failure(&e.Error))
		}
	}
}

func (s *Session) read(ctx context.Context) (*incoming, error) {
	data, err := s.line.Read(ctx)
	if err != nil {
		return nil, s.opt.lost(err)
	}
	return decode(data)
}

func (s *Session) write(ctx context.Context, e outgoing) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	if err := s.line.Write(ctx, data); err != nil {
		return s.opt.lost(err)
	}
	return nil
}

// lost makes errLost of a broken connection, with the service's reason if it
// closed it, which may be that it does not have the model.
func (o *Options) lost(err error) error {
	if closed := (websocket.CloseError{}); errors.As(err, &closed) {
		if gone := gone.FromRefusal(o.Model, gone.Refusal{Code: closed.Reason, Words: closed.Reason}); gone != nil {
			return gone
		}
		return fmt.Errorf("%w: closed with code %d", errLost, closed.Code)
	}
	return fmt.Errorf("%w: %w", errLost, err)
}

// failure is the error that an event reports. What the service wrote may contain parts of a key, so
// only its code is shown and, for a model that it does not have, a successor.
func (o *Options) failure(f *fault) error {
	model := o.Model
	if strings.Contains(f.Param, "transcription") {
		model = o.Transcriber
	}
	if gone := gone.FromRefusal(model, f.refusal(0)); gone != nil {
		return gone
	}
	switch f.Code {
	case "invalid_api_key":
		return ErrKey
	case "rate_limit_exceeded", "insufficient_quota":
		return ErrLimit
	}
	return fmt.Errorf("the service says %s %s", o.name(f.Type), o.name(f.Code))
}

// name keeps of s only what a type or code of the protocol can consist of.
func (o *Options) name(s string) string {
	if len(s) > 64 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_.-") != "" ||
		o.Key != "" && strings.Contains(s, o.Key) {
		return "(unreadable)"
	}
	return s
}

// Run carries the session until ctx ends or the connection does. It returns when
// every goroutine of the session has.
func (s *Session) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	// A read whose context ends breaks the connection, so that it could not be closed
	// politely.
	rctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { cancel(s.reading(rctx, ctx.Done())) })
	wg.Go(func() { cancel(s.writing(ctx)) })
	wg.Go(func() { cancel(s.pinging(ctx)) })
	l := newLoop(s)
	cancel(l.run(ctx))
	s.err = context.Cause(ctx)
	close(s.ended)
	l.close(s.err)
	if err := s.line.Close(); err != nil {
		s.log.Debug("close realtime session", "component", "responder", "error", err)
	}
	stop()
	wg.Wait()
	return s.err
}

// reading passes on events until the connection ends; once over is closed nobody wants them.
func (s *Session) reading(ctx context.Context, over <-chan struct{}) error {
	for {
		e, err := s.read(ctx)
		if err != nil {
			return err
		}
		select {
		case s.in <- e:
		case <-over:
		}
	}
}

func (s *Session) writing(ctx context.Context) error {
	for {
		select {
		case e := <-s.out:
			if err := s.write(ctx, e); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *Session) pinging(ctx context.Context) error {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		pctx, cancel := context.WithTimeout(ctx, keepAlive)
		err := s.line.Ping(pctx)
		cancel()
		if err != nil {
			return s.opt.lost(err)
		}
	}
}

// ask runs fn in the loop; it reports false when the session has ended.
func (s *Session) ask(fn func(*loop)) bool {
	select {
	case s.do <- fn:
		return true
	case <-s.ended:
		return false
	}
}

// rested is for how long there has been no turn, 0 while one is made or heard. It
// reports false when the session has ended.
func (s *Session) rested() (rested time.Duration, alive bool) {
	answer := make(chan time.Duration, 1)
	alive = s.ask(func(l *loop) {
		if l.turn != nil {
			answer <- 0
			return
		}
		answer <- time.Since(l.left)
	})
	if !alive {
		return 0, false
	}
	return <-answer, true
}
