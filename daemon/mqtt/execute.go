package mqtt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/queue"
	"hearthd/daemon/refusal"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// callLimit ends a command that takes too long, such as an endless answer. It counts from
// the arrival, so that no question is answered that everybody has forgotten.
const callLimit = 6 * time.Minute

// result is the answer to a command.
type result struct {
	Command string      `json:"command"`
	Box     string      `json:"box,omitempty"` // of a command to the house
	ID      string      `json:"id,omitempty"`
	OK      bool        `json:"ok"`
	Error   string      `json:"error,omitempty"`
	Text    string      `json:"text,omitempty"`
	Turn    *event.Turn `json:"turn,omitempty"`
}

// received runs on the client's goroutine and must not block.
func (b *Bridge) received(_ paho.Client, m paho.Message) {
	name, ok := strings.CutPrefix(m.Topic(), b.topic(contract.Set)+"/")
	house := false
	if !ok {
		if name, house = strings.CutPrefix(m.Topic(), b.houseTopic(contract.Set)+"/"); !house {
			return
		}
	}
	c, err := parseCall(b.answers(), name, m.Payload(), m.Retained())
	if c.house = house; house {
		if !b.meant(&c) {
			return
		}
		if err == nil {
			err = c.parseHouse()
			c.at = c.at.Add(-b.latency())
		}
	}
	if err == nil {
		err = b.admit(c.name)
	}
	if err == nil {
		c.until = time.Now().Add(callLimit)
		waiting := b.quick
		if c.name == contract.Ask {
			waiting = b.asks
		}
		if queue.Offer(waiting, c) {
			return
		}
		err = errors.New("busy: too many commands are waiting")
	}
	b.answer(c, result{Error: err.Error()})
}

// meant reports whether a command to the house is for this box too. What it has the house do itself names the boxes by
// their nodes, one of which may be called as the room of this one.
func (b *Bridge) meant(c *call) bool {
	if to := c.args.To; len(to) > 0 && c.reply == b.topic(contract.Result)+"/"+contract.House {
		return slices.Contains(to, b.device.Node)
	}
	return b.device.Among(c.args.To)
}

// admit refuses a command that is switched off, or that comes too often.
func (b *Bridge) admit(name string) error {
	if !slices.Contains(b.device.Commands, name) {
		return fmt.Errorf("the command %q is switched off: mqtt.commands does not name it", name)
	}
	if c, ok := contract.Find(name); ok && !b.limits[name].Allow() {
		return fmt.Errorf("too many: at most %d %s commands at once, then one each %v", c.Burst, c.Name, c.Every)
	}
	return nil
}

// runCommands carries out the commands of one queue, one after the other, until ctx ends; those
// that still wait then are answered with an error. Questions have a queue of their own, so
// that "stop" need not wait for an answer.
func (b *Bridge) runCommands(ctx context.Context, calls <-chan call) {
	for {
		select {
		case <-ctx.Done():
			select {
			case c := <-calls:
				b.answer(c, b.outcome(c, result{}, ctx.Err()))
			default:
				return
			}
		case c := <-calls:
			cctx, cancel := context.WithDeadline(ctx, c.until)
			r, err := b.do(cctx, c)
			cancel()
			b.answer(c, b.outcome(c, r, err))
		}
	}
}

// do carries out c. The result has the text or the turn of the answer.
func (b *Bridge) do(ctx context.Context, c call) (r result, err error) {
	if err := ctx.Err(); err != nil {
		return r, err
	}
	s, x, a := b.opt.Speaker, b.opt.Host, &c.args
	switch c.name {
	case contract.Say, contract.Announce:
		urgent := a.Priority == priorityUrgent
		if c.sound != nil {
			return r, s.PlayAt(ctx, a.Text, c.sound, urgent, c.at)
		}
		chime := c.name == contract.Announce
		if a.Chime != nil {
			chime = *a.Chime
		}
		return r, s.AnnounceAt(ctx, a.Text, chime, urgent, c.at)
	case contract.Ask:
		r.Turn, err = s.AskAs(ctx, "", a.Text, a.Question)
		return r, err
	case contract.Listen:
		return r, s.Listen(ctx)
	case contract.Stop:
		return r, s.Stop(ctx)
	case contract.Repeat:
		return r, x.Repeat(ctx)
	case contract.Mute:
		return r, s.SetMuted(ctx, *a.Muted)
	case contract.DND:
		return r, x.SetDND(ctx, *a.On)
	case contract.Volume:
		return r, s.SetVolume(ctx, *a.Percent)
	case contract.Timer:
		o := TimerOrder{Action: a.Action, Label: a.Label, All: a.All}
		if a.Seconds != nil {
			o.Seconds = *a.Seconds
		}
		r.Text, err = x.Timer(ctx, o)
		return r, err
	case contract.Media:
		r.Text, err = x.Media(ctx, MediaOrder{a.Action, a.Station, a.Percent, a.Seconds})
		return r, err
	case contract.Tool:
		r.Text, err = x.Tool(ctx, a.Tool, a.Arguments)
		return r, err
	case contract.WakeWord:
		return r, x.SetWakeWord(ctx, a.Word)
	case contract.Route:
		return r, x.SetPolicy(ctx, a.Policy)
	case contract.Restart:
		return r, x.Restart(ctx)
	}
	return r, errors.New("unknown command") // parseCall lets none through
}

// outcome completes the answer. An error that is not for the sender is logged instead.
func (b *Bridge) outcome(c call, r result, err error) result {
	var refused refusal.Error
	switch {
	case err == nil:
		r.OK = true
		return r
	case errors.As(err, &refused):
		return result{Error: err.Error()}
	case errors.Is(err, context.DeadlineExceeded):
		return result{Error: "took too long"}
	case errors.Is(err, context.Canceled):
		return result{Error: "shutting down"}
	}
	b.opt.Log.Error("carry out command", "component", "mqtt", "topic", contract.Set+"/"+c.name, "error", err)
	return result{Error: "could not be carried out; the journal says why"}
}

func (b *Bridge) answer(c call, r result) {
	r.Command, r.ID = c.name, c.args.ID
	if c.house {
		r.Box = b.device.Node
	}
	topic := c.reply
	if topic == "" {
		topic = b.topic(contract.Result)
	}
	b.encode(message{topic: topic, answer: true}, r)
}

// answers are the topics that answers of this box may go to.
func (b *Bridge) answers() answers {
	a := answers{prefix: b.device.Prefix, own: b.topic(contract.Result)}
	if b.device.House != "" {
		a.house = b.houseTopic(contract.Result)
	}
	return a
}
