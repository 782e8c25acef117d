package mqtt

import (
	"context"
	"errors"
	"strings"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"hearthd/daemon/event"
)

const (
	// maxCalls bounds the commands that wait; more are answered with an error.
	maxCalls = 16
	// callLimit ends a command that takes longer, such as an endless answer. It
	// counts from the arrival: a question is not answered when nobody knows any
	// more that it was asked.
	callLimit = 6 * time.Minute
)

// speaker carries out commands. An error with a method Refused is for the one
// who sent the command.
type speaker interface {
	Announce(ctx context.Context, text string, chime, urgent bool) error
	Ask(ctx context.Context, text string) (*event.Turn, error)
	Listen(ctx context.Context) error
	Stop(ctx context.Context) error
	SetMuted(ctx context.Context, muted bool) error
	SetVolume(ctx context.Context, percent int) error
}

// result is the answer to a command.
type result struct {
	Command string      `json:"command"`
	ID      string      `json:"id,omitempty"`
	OK      bool        `json:"ok"`
	Error   string      `json:"error,omitempty"`
	Turn    *event.Turn `json:"turn,omitempty"`
}

// received runs on the client's goroutine and must not wait.
func (b *Bridge) received(_ paho.Client, m paho.Message) {
	name, ok := strings.CutPrefix(m.Topic(), b.topic(levelSet)+"/")
	if !ok {
		return
	}
	own := b.opt.Prefix + "/" + b.opt.Node
	c, err := parseCall(own, name, m.Payload(), m.Retained())
	if err == nil {
		c.until = time.Now().Add(callLimit)
		queue := b.quick
		if c.name == cmdAsk {
			queue = b.asks
		}
		select {
		case queue <- c:
			return
		default:
			err = errors.New("busy: too many commands are waiting")
		}
	}
	b.answer(c, result{Error: err.Error()})
}

// work carries the commands of one queue out, one after the other, until ctx
// ends. Questions have a queue of their own, so that "stop" need not wait for an
// answer.
func (b *Bridge) work(ctx context.Context, calls <-chan call) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-calls:
			cctx, cancel := context.WithDeadline(ctx, c.until)
			turn, err := b.do(cctx, c)
			cancel()
			b.answer(c, b.outcome(c, turn, err))
		}
	}
}

func (b *Bridge) do(ctx context.Context, c call) (*event.Turn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := b.opt.Speaker
	switch c.name {
	case cmdSay, cmdAnnounce:
		chime := c.name == cmdAnnounce
		if c.args.Chime != nil {
			chime = *c.args.Chime
		}
		return nil, s.Announce(ctx, c.args.Text, chime, c.args.Priority == priorityUrgent)
	case cmdAsk:
		return s.Ask(ctx, c.args.Text)
	case cmdListen:
		return nil, s.Listen(ctx)
	case cmdStop:
		return nil, s.Stop(ctx)
	case cmdMute:
		return nil, s.SetMuted(ctx, *c.args.Muted)
	case cmdVolume:
		return nil, s.SetVolume(ctx, *c.args.Percent)
	}
	return nil, errors.New("unknown command") // parseCall lets none through
}

// outcome is the answer. An error that is not meant for the sender goes to the
// journal instead.
func (b *Bridge) outcome(c call, turn *event.Turn, err error) result {
	var refused interface{ Refused() }
	switch {
	case err == nil:
		return result{OK: true, Turn: turn}
	case errors.As(err, &refused):
		return result{Error: err.Error()}
	case errors.Is(err, context.DeadlineExceeded):
		return result{Error: "took too long"}
	case errors.Is(err, context.Canceled):
		return result{Error: "shutting down"}
	}
	b.opt.Log.Error("carry out command", "component", "mqtt", "topic", levelSet+"/"+c.name, "error", err)
	return result{Error: "could not be carried out; the journal says why"}
}

func (b *Bridge) answer(c call, r result) {
	r.Command, r.ID = c.name, c.args.ID
	topic := c.reply
	if topic == "" {
		topic = b.topic(levelResult)
	}
	b.putJSON(topic, r, false)
}
