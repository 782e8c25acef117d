package mqtt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	paho "github.com/eclipse/paho.mqtt.golang"

	"hearthd/daemon/event"
)

const (
	// maxCalls bounds the commands that wait; more are answered with an error.
	maxCalls = 16
	// maxPayload bounds a command in bytes.
	maxPayload = 8 << 10
	// maxReplyTopic bounds the topic that a command names for its answer.
	maxReplyTopic = 256
	// callLimit ends a command that takes longer, such as an endless answer.
	callLimit = 6 * time.Minute
)

// call is a command that was understood.
type call struct {
	name  string
	args  arguments
	reply string // topic
}

// arguments are all that a command may carry; each takes what it knows. A
// payload that is not a JSON object is the one argument of its command.
type arguments struct {
	Text    string `json:"text"`
	Muted   *bool  `json:"muted"`
	Percent *int   `json:"percent"`
	Reply   string `json:"reply"`
	ID      string `json:"id"` // comes back with the answer
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
	name, ok := strings.CutPrefix(m.Topic(), b.topic("set/"))
	if !ok {
		return
	}
	c, err := parseCall(name, m.Payload(), m.Retained())
	if c.reply == "" {
		c.reply = b.topic("result")
	}
	if err == nil {
		queue := b.quick
		if c.name == "ask" {
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

// parseCall checks a command. Its error is for the one who sent it; what can be
// told of the command is returned with it, so that the answer finds its way.
func parseCall(name string, payload []byte, retained bool) (call, error) {
	c := call{name: clip(name)}
	if len(payload) > maxPayload {
		return c, fmt.Errorf("payload is longer than %d bytes", maxPayload)
	}
	if !utf8.Valid(payload) {
		return c, errors.New("payload is not valid UTF-8")
	}
	object := bytes.HasPrefix(bytes.TrimSpace(payload), []byte("{"))
	if object {
		if err := json.Unmarshal(payload, &c.args); err != nil {
			return c, fmt.Errorf("payload is not the JSON object of a command: %w", err)
		}
		if err := checkReply(c.args.Reply); err != nil {
			return c, err
		}
		c.reply, c.args.ID = c.args.Reply, clip(c.args.ID)
	}
	if retained {
		return c, errors.New("retained commands are refused: they would be carried out again at every connection")
	}
	var err error
	switch text := strings.TrimSpace(string(payload)); {
	case name == "say" || name == "ask":
		if !object {
			c.args.Text = text
		}
	case name == "listen" || name == "stop":
	case name == "mute":
		if !object {
			c.args.Muted, err = parseSwitch(text)
		}
		if err == nil && c.args.Muted == nil {
			err = errors.New("muted is missing")
		}
	case name == "volume":
		if !object {
			c.args.Percent, err = parsePercent(text)
		}
		if err == nil && c.args.Percent == nil {
			err = errors.New("percent is missing")
		}
	default:
		err = fmt.Errorf("there is no command %q", c.name)
	}
	return c, err
}

func parseSwitch(text string) (*bool, error) {
	on := true
	switch strings.ToLower(text) {
	case "on", "true":
	case "off", "false":
		on = false
	default:
		return nil, errors.New("mute takes ON or OFF")
	}
	return &on, nil
}

func parsePercent(text string) (*int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil, errors.New("volume takes a whole number from 0 to 100")
	}
	return &n, nil
}

func checkReply(topic string) error {
	if len(topic) > maxReplyTopic || strings.ContainsAny(topic, "+#\x00") || strings.HasPrefix(topic, "$") {
		return errors.New("reply is not a topic that can be published to")
	}
	return nil
}

// clip bounds what is repeated in an answer.
func clip(s string) string {
	const most = 64
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
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
			cctx, cancel := context.WithTimeout(ctx, callLimit)
			turn, err := b.do(cctx, c)
			cancel()
			if err != nil {
				b.answer(c, result{Error: err.Error()})
				continue
			}
			b.answer(c, result{OK: true, Turn: turn})
		}
	}
}

func (b *Bridge) do(ctx context.Context, c call) (*event.Turn, error) {
	s := b.opt.Speaker
	switch c.name {
	case "say":
		return nil, s.Say(ctx, c.args.Text)
	case "ask":
		return s.Ask(ctx, c.args.Text)
	case "listen":
		return nil, s.Listen(ctx)
	case "stop":
		return nil, s.Stop(ctx)
	case "mute":
		return nil, s.SetMuted(ctx, *c.args.Muted)
	}
	return nil, s.SetVolume(ctx, *c.args.Percent)
}

func (b *Bridge) answer(c call, r result) {
	r.Command, r.ID = c.name, c.args.ID
	data, err := json.Marshal(r)
	if err != nil {
		b.opt.Log.Error("encode answer", "component", "mqtt", "error", err)
		return
	}
	b.out.put(message{topic: c.reply, payload: data})
}
