package mqtt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// maxPayload bounds a command in bytes.
	maxPayload = 8 << 10
	// maxReplyTopic bounds the topic that a command names for its answer, in
	// bytes, and maxReplyLevels its levels: Mosquitto ends the connection of
	// whoever publishes to one of more than 200.
	maxReplyTopic  = 256
	maxReplyLevels = 32
	// maxEcho bounds what of a command is repeated in its answer, in bytes.
	maxEcho = 64
)

// What priority may say.
const (
	priorityNormal = "normal"
	priorityUrgent = "urgent"
)

// call is a command that was understood.
type call struct {
	name  string
	args  arguments
	reply string    // topic, empty for the usual one
	until time.Time // when carrying it out makes no sense any more
}

// arguments are all that a command may carry; each takes what it knows. A
// payload that is not a JSON object is the one argument of its command.
type arguments struct {
	Text     string `json:"text"`
	Muted    *bool  `json:"muted"`
	Percent  *int   `json:"percent"`
	Chime    *bool  `json:"chime"`
	Priority string `json:"priority"`
	Reply    string `json:"reply"`
	ID       string `json:"id"` // comes back with the answer
}

// parseCall checks a command that was sent to own/set/NAME. Its error is for the
// one who sent it; what can be told of the command is returned with it, so that
// the answer finds its way.
func parseCall(own, name string, payload []byte, retained bool) (call, error) {
	c := call{name: clip(name)}
	if len(payload) > maxPayload {
		return c, fmt.Errorf("payload is longer than %d bytes", maxPayload)
	}
	if !utf8.Valid(payload) {
		return c, errors.New("payload is not valid UTF-8")
	}
	plain := strings.TrimSpace(string(payload))
	object := strings.HasPrefix(plain, "{")
	if object {
		if err := c.parseObject(own, payload); err != nil {
			return c, err
		}
	}
	if retained {
		return c, errors.New("retained commands are refused: they would be carried out again at every connection")
	}
	switch name {
	case cmdSay, cmdAsk, cmdAnnounce:
		if !object {
			c.args.Text = plain
		}
		if p := c.args.Priority; p != "" && p != priorityNormal && p != priorityUrgent {
			return c, errors.New("priority is neither normal nor urgent")
		}
		return c, nil // the bounds of its text are the speaker's
	case cmdListen:
		if plain == "" {
			// That is what clears a retained message, and it must not open the
			// microphone.
			return c, errors.New("listen wants a payload, such as ON")
		}
		return c, nil
	case cmdStop:
		return c, nil
	case cmdMute:
		return c, c.parseMute(plain, object)
	case cmdVolume:
		return c, c.parseVolume(plain, object)
	}
	return c, fmt.Errorf("there is no command %q", c.name)
}

// parseObject reads a JSON object. The reply topic and the id are taken even if
// another field is wrong.
func (c *call) parseObject(own string, payload []byte) error {
	err := json.Unmarshal(bytes.TrimSpace(payload), &c.args)
	var wrong *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &wrong) {
		return errors.New("payload begins like a JSON object and is none")
	}
	c.args.ID = clip(c.args.ID)
	if err := checkReply(own, c.args.Reply); err != nil {
		return err
	}
	c.reply = c.args.Reply
	if wrong != nil {
		return fmt.Errorf("%s is of the wrong type", clip(wrong.Field))
	}
	return nil
}

func (c *call) parseMute(plain string, object bool) error {
	if !object {
		on := strings.EqualFold(plain, "on") || strings.EqualFold(plain, "true")
		if !on && !strings.EqualFold(plain, "off") && !strings.EqualFold(plain, "false") {
			return errors.New("mute takes ON or OFF")
		}
		c.args.Muted = &on
	}
	if c.args.Muted == nil {
		return errors.New("muted is missing")
	}
	return nil
}

func (c *call) parseVolume(plain string, object bool) error {
	wrong := errors.New("volume takes a whole number from 0 to 100")
	if !object {
		n, err := strconv.Atoi(plain)
		if err != nil {
			return wrong
		}
		c.args.Percent = &n
	}
	if c.args.Percent == nil {
		return errors.New("percent is missing")
	}
	if *c.args.Percent < 0 || *c.args.Percent > 100 {
		return wrong
	}
	return nil
}

// checkReply refuses a topic that would do harm: one that a broker answers by
// ending the connection, and our own, by which a sender could speak for the
// box, or have it command itself. Of those, result and what is below it are
// allowed.
func checkReply(own, topic string) error {
	switch {
	case len(topic) > maxReplyTopic, strings.Count(topic, "/") >= maxReplyLevels:
		return errors.New("reply is too long")
	case strings.ContainsAny(topic, "+#"), strings.HasPrefix(topic, "$"), strings.ContainsFunc(topic, notPrintable):
		return errors.New("reply is not a topic that can be published to")
	}
	result := own + "/" + levelResult
	if (topic == own || strings.HasPrefix(topic, own+"/")) && topic != result && !strings.HasPrefix(topic, result+"/") {
		return errors.New("reply is one of this box's own topics")
	}
	return nil
}

func notPrintable(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

// clip bounds what is repeated in an answer.
func clip(s string) string {
	if len(s) > maxEcho {
		s = s[:maxEcho]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}
