package mqtt

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hearthd/daemon/mqtt/contract"
)

const (
	// maxPayload bounds a command in bytes.
	maxPayload = 8 << 10
	// maxSound bounds one that carries a recorded message, in bytes: base64 of 15 s
	// at 16 kHz, and the rest.
	maxSound = 660 << 10
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
	sound []byte    // WAV file of a recorded message, or nil
	reply string    // topic, empty for the usual one
	house bool      // it went to all boxes of the house
	at    time.Time // when they begin, or zero
	until time.Time // when carrying it out makes no sense any more
}

// arguments are all that a command may carry; each takes what it knows. A
// payload that is not a JSON object is the one argument of its command.
type arguments struct {
	Text      string          `json:"text"`
	Question  string          `json:"question"`
	Muted     *bool           `json:"muted"`
	On        *bool           `json:"on"`
	Percent   *int            `json:"percent"`
	Chime     *bool           `json:"chime"`
	Sound     string          `json:"sound"`
	Priority  string          `json:"priority"`
	Word      string          `json:"word"`
	Policy    string          `json:"policy"`
	Action    string          `json:"action"`
	Seconds   *int            `json:"seconds"`
	Label     string          `json:"label"`
	All       bool            `json:"all"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// To and LeadMS belong to what is sent to the house.
	To      []string `json:"to"`
	LeadMS  *int     `json:"lead_ms"`
	Version *int     `json:"v"` // of the contract; none: any
	Reply   string   `json:"reply"`
	ID      string   `json:"id"` // comes back with the answer
}

// parseCall checks a command that was sent to set/NAME; answers says where it may have its answer. Its error is for the
// one who sent it; what can be told of the command is returned with it, so that
// the answer finds its way.
func parseCall(answers answers, name string, payload []byte, retained bool) (call, error) {
	c := call{name: clip(name)}
	if limit := limitOf(name); len(payload) > limit {
		return c, fmt.Errorf("payload is longer than %d bytes", limit)
	}
	if !utf8.Valid(payload) {
		return c, errors.New("payload is not valid UTF-8")
	}
	plain := strings.TrimSpace(string(payload))
	object := strings.HasPrefix(plain, "{")
	if object {
		if err := c.parseObject(answers, payload); err != nil {
			return c, err
		}
	}
	if retained {
		return c, errors.New("retained commands are refused: they would be carried out again at every connection")
	}
	if v := c.args.Version; v != nil && (*v < 1 || *v > contract.Version) {
		return c, fmt.Errorf("v is not a version of the contract that this box knows, 1 to %d", contract.Version)
	}
	return c, c.parseArguments(name, plain, object)
}

// limitOf bounds the payload of a command, in bytes.
func limitOf(name string) int {
	if name == contract.Announce {
		return maxSound
	}
	return maxPayload
}

// parseHouse checks a command that was sent to all boxes of the house.
func (c *call) parseHouse() error {
	lead := time.Duration(contract.HouseLead) * time.Millisecond
	if ms := c.args.LeadMS; ms != nil {
		if *ms < 0 || *ms > contract.MaxLead {
			return fmt.Errorf("lead_ms is not within 0 to %d", contract.MaxLead)
		}
		lead = time.Duration(*ms) * time.Millisecond
	}
	if c.name != contract.Announce {
		return fmt.Errorf("the house takes no command but %s", contract.Announce)
	}
	c.at = time.Now().Add(lead)
	return nil
}

// parseArguments checks what the command takes.
func (c *call) parseArguments(name, plain string, object bool) error {
	switch name {
	case contract.Say, contract.Ask, contract.Announce:
		return c.parseText(name, plain, object)
	case contract.Listen, contract.Repeat:
		if plain == "" {
			// That is what clears a retained message, and it must not open the
			// microphone.
			return fmt.Errorf("%s wants a payload, such as ON", name)
		}
		return nil
	case contract.Stop:
		return nil
	case contract.Restart:
		if !object && plain != contract.On {
			return errors.New("restart takes ON")
		}
		return nil
	case contract.Mute:
		return parseSwitch(&c.args.Muted, "mute", "muted", plain, object)
	case contract.DND:
		return parseSwitch(&c.args.On, "dnd", "on", plain, object)
	case contract.Volume:
		return c.parseVolume(plain, object)
	case contract.Timer:
		return c.parseTimer(plain, object)
	case contract.Tool:
		if c.args.Tool == "" {
			return errors.New("tool is missing")
		}
		return nil // which ones there are is the box's to know
	case contract.Route:
		return c.parsePolicy(plain, object)
	case contract.WakeWord:
		if !object {
			c.args.Word = plain
		}
		if c.args.Word == "" {
			return errors.New("word is missing")
		}
		return nil // which words there are is the box's to know
	}
	return fmt.Errorf("there is no command %q", c.name)
}

func (c *call) parseText(name, plain string, object bool) error {
	if !object {
		c.args.Text = plain
	}
	if p := c.args.Priority; p != "" && p != priorityNormal && p != priorityUrgent {
		return errors.New("priority is neither normal nor urgent")
	}
	if name == contract.Announce && c.args.Sound != "" {
		return c.parseSound()
	}
	return nil // the bounds of its text are the speaker's
}

func (c *call) parsePolicy(plain string, object bool) error {
	if !object {
		c.args.Policy = plain
	}
	if c.args.Policy != contract.Auto && c.args.Policy != contract.Local {
		return errors.New("policy is neither auto nor local")
	}
	return nil
}

// parseObject reads a JSON object. The reply topic and the id are taken even if
// another field is wrong.
func (c *call) parseObject(answers answers, payload []byte) error {
	err := json.Unmarshal(bytes.TrimSpace(payload), &c.args)
	var wrong *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &wrong) {
		return errors.New("payload begins like a JSON object and is none")
	}
	c.args.ID = clip(c.args.ID)
	if err := answers.check(c.args.Reply); err != nil {
		return err
	}
	c.reply = c.args.Reply
	if wrong != nil {
		return fmt.Errorf("%s is of the wrong type", clip(wrong.Field))
	}
	return nil
}

// parseSound reads a recorded message. What is in the file the speaker sees.
func (c *call) parseSound() (err error) {
	if c.sound, err = base64.StdEncoding.DecodeString(c.args.Sound); err != nil {
		return errors.New("sound is not base64")
	}
	c.args.Sound = ""
	return nil
}

func parseSwitch(into **bool, command, field, plain string, object bool) error {
	if !object {
		on := strings.EqualFold(plain, "on") || strings.EqualFold(plain, "true")
		if !on && !strings.EqualFold(plain, "off") && !strings.EqualFold(plain, "false") {
			return fmt.Errorf("%s takes ON or OFF", command)
		}
		*into = &on
	}
	if *into == nil {
		return fmt.Errorf("%s is missing", field)
	}
	return nil
}

// parseTimer reads what is to be done with timers. Which one is meant, and whether
// there is one, the timers know.
func (c *call) parseTimer(plain string, object bool) error {
	a := &c.args
	if !object {
		n, err := strconv.Atoi(plain)
		if err != nil {
			return errors.New("timer takes seconds, a whole number, or a JSON object")
		}
		a.Seconds = &n
	}
	if a.Action == "" {
		a.Action = "set"
	}
	switch {
	case !slices.Contains(contract.TimerActions(), a.Action):
		return errors.New("action is none of " + strings.Join(contract.TimerActions(), ", "))
	case len(a.Label) > contract.MaxLabel:
		return fmt.Errorf("label is longer than %d bytes", contract.MaxLabel)
	case a.Seconds == nil && (a.Action == "set" || a.Action == "change"):
		return errors.New("seconds is missing")
	case a.Seconds != nil && (*a.Seconds < 1 || *a.Seconds > contract.MaxTimer):
		return fmt.Errorf("seconds is not within 1 to %d", contract.MaxTimer)
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

// answers says where an answer may go.
type answers struct {
	prefix string // of the topics of all boxes
	own    string // result of this box
	house  string // result of its house; empty: it is on its own
}

// check lets an answer go to result of this box or of its house, or below, or to where another box hears what it has
// asked, and nowhere else. What of all other topics is a command no list can know: of another box, of a lamp, of what
// Home Assistant is told.
func (a answers) check(topic string) error {
	switch {
	case topic == "":
		return nil
	case len(topic) > maxReplyTopic, strings.Count(topic, "/") >= maxReplyLevels:
		return errors.New("reply is too long")
	case strings.ContainsAny(topic, "+#"), strings.ContainsFunc(topic, notPrintable):
		return errors.New("reply is not a topic that can be published to")
	}
	for _, result := range []string{a.own, a.house} {
		if result != "" && (topic == result || strings.HasPrefix(topic, result+"/")) {
			return nil
		}
	}
	levels := strings.Split(topic, "/")
	if len(levels) == 4 && levels[0] == a.prefix && levels[2] == contract.Result && levels[3] == contract.House {
		return nil
	}
	return fmt.Errorf("reply is neither %s nor below it", a.own)
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
