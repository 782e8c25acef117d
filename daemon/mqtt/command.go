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
	// maxEcho bounds each part of a command that its answer repeats, in bytes.
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
	until time.Time // after that it is not carried out any more
}

// arguments are those of all commands; each command uses its own. A payload that is no JSON
// object is the one argument of its command.
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
	Station   string          `json:"station"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// To and LeadMS are for commands to the house.
	To      []string `json:"to"`
	LeadMS  *int     `json:"lead_ms"`
	Version *int     `json:"v"` // of the contract; none: any
	Reply   string   `json:"reply"`
	ID      string   `json:"id"` // comes back with the answer
}

// parseCall reads a command that was sent to set/NAME; answers tells where its answer may go. Its error is for the
// sender; as much of the call as could be read is returned with it, so that the answer can be sent.
func parseCall(answers answers, name string, payload []byte, retained bool) (call, error) {
	c := call{name: clip(name)}
	if limit := limitOf(name); len(payload) > limit {
		return c, fmt.Errorf("payload is longer than %d bytes", limit)
	}
	if !utf8.Valid(payload) {
		return c, errors.New("payload is not valid UTF-8")
	}
	text := strings.TrimSpace(string(payload))
	object := strings.HasPrefix(text, "{")
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
	if !object {
		if err := c.args.parsePlain(name, text); err != nil {
			return c, err
		}
	}
	return c, c.check(name, text == "")
}

// limitOf bounds the payload of a command, in bytes.
func limitOf(name string) int {
	if name == contract.Announce {
		return maxSound
	}
	return maxPayload
}

// parsePlain reads a payload that is no JSON object as the one argument of its command.
func (a *arguments) parsePlain(name, text string) error {
	switch name {
	case contract.Say, contract.Ask, contract.Announce:
		a.Text = text
	case contract.WakeWord:
		a.Word = text
	case contract.Route:
		a.Policy = text
	case contract.Restart:
		if text != contract.On {
			return errors.New("restart takes ON")
		}
	case contract.Mute, contract.DND:
		on := strings.EqualFold(text, "on") || strings.EqualFold(text, "true")
		if !on && !strings.EqualFold(text, "off") && !strings.EqualFold(text, "false") {
			return fmt.Errorf("%s takes ON or OFF", name)
		}
		a.Muted, a.On = &on, &on
	case contract.Volume:
		n, err := strconv.Atoi(text)
		if err != nil {
			return errVolume
		}
		a.Percent = &n
	case contract.Media:
		a.Action = text
	case contract.Timer:
		n, err := strconv.Atoi(text)
		if err != nil {
			return errors.New("timer takes seconds, a whole number, or a JSON object")
		}
		a.Seconds = &n
	}
	return nil
}

// parseHouse checks a command that went to all boxes of the house.
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

var errVolume = errors.New("volume takes a whole number from 0 to 100")

// check refuses a command with an argument missing or out of range.
func (c *call) check(name string, empty bool) error {
	a := &c.args
	switch name {
	case contract.Say, contract.Ask, contract.Announce:
		return c.checkText(name)
	case contract.Listen, contract.Repeat:
		if empty { // as a client that clears a retained message sends it, which must not open the microphone
			return fmt.Errorf("%s wants a payload, such as ON", name)
		}
	case contract.Stop, contract.Restart:
	case contract.Mute:
		return wants(a.Muted == nil, "muted")
	case contract.DND:
		return wants(a.On == nil, "on")
	case contract.Volume:
		if a.Percent != nil && (*a.Percent < 0 || *a.Percent > 100) {
			return errVolume
		}
		return wants(a.Percent == nil, "percent")
	case contract.Media:
		return a.checkMedia()
	case contract.Timer:
		return a.checkTimer()
	case contract.Tool: // the box itself knows which ones exist
		return wants(a.Tool == "", "tool")
	case contract.WakeWord: // the box itself knows which ones exist
		return wants(a.Word == "", "word")
	case contract.Route:
		if a.Policy != contract.Auto && a.Policy != contract.Local {
			return errors.New("policy is neither auto nor local")
		}
	default:
		return fmt.Errorf("there is no command %q", c.name)
	}
	return nil
}

// wants is an error if an argument is missing.
func wants(missing bool, field string) error {
	if missing {
		return errors.New(field + " is missing")
	}
	return nil
}

// checkText checks a command that has words to be spoken or answered.
func (c *call) checkText(name string) (err error) {
	if p := c.args.Priority; p != "" && p != priorityNormal && p != priorityUrgent {
		return errors.New("priority is neither normal nor urgent")
	}
	if name == contract.Announce && c.args.Sound != "" {
		if c.sound, err = base64.StdEncoding.DecodeString(c.args.Sound); err != nil {
			return fmt.Errorf("sound is not base64: %w", err)
		}
		c.args.Sound = ""
	}
	return nil // the speaker bounds the text and reads the sound
}

// parseObject reads a JSON object. The reply topic and the id are used even if another
// field is wrong.
func (c *call) parseObject(answers answers, payload []byte) error {
	err := json.Unmarshal(bytes.TrimSpace(payload), &c.args)
	var wrong *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &wrong) {
		return fmt.Errorf("payload begins like a JSON object and is none: %w", err)
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

// checkTimer checks what is to be done with timers. Only the timers know which one is meant, and
// whether it exists.
func (a *arguments) checkTimer() error {
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

// checkMedia checks what is to be done with radio and music. Only the box knows which stations there are.
func (a *arguments) checkMedia() error {
	switch {
	case !slices.Contains(contract.MediaActions(), a.Action):
		return errors.New("action is none of " + strings.Join(contract.MediaActions(), ", "))
	case len(a.Station) > contract.MaxStation:
		return fmt.Errorf("station is longer than %d bytes", contract.MaxStation)
	case a.Action == "volume" && (a.Percent == nil || *a.Percent < 0 || *a.Percent > 100):
		return errVolume
	case a.Action == "sleep" && (a.Seconds == nil || *a.Seconds < 0 || *a.Seconds > contract.MaxSleep):
		return fmt.Errorf("seconds is not within 0 to %d", contract.MaxSleep)
	}
	return nil
}

// answers are the topics that an answer may go to.
type answers struct {
	prefix string // of the topics of all boxes
	own    string // result of this box
	house  string // result of its house; empty: it is on its own
}

// check allows an answer on the result topic of this box or of its house, or below one of them, and where another box
// expects answers to what it asked. Any other topic could be a command to something that no list knows: another box, a
// lamp, Home Assistant.
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

// clip bounds a text that is repeated in an answer, and keeps it printable.
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
