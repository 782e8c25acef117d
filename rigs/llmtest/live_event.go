package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// liveEvent is an event of a client.
type liveEvent struct {
	Type         string          `json:"type"`
	EventID      string          `json:"event_id"`
	Session      json.RawMessage `json:"session"`
	Audio        []byte          `json:"audio"`
	Content      *string         `json:"content"`
	DelegationID *string         `json:"delegation_id"`
	Item         json.RawMessage `json:"item"`
}

// liveFields are the fields that each event must have beside its type and an event_id, which every
// event may have.
var liveFields = map[string][]string{
	"session.start":                     {"session"},
	"session.update":                    {"session"},
	"session.input_audio.append":        {"audio"},
	"session.input_audio.mute":          nil,
	"session.input_audio.unmute":        nil,
	"session.output_audio.fixture.play": {"audio"},
	"session.instructions.append":       {"content", "delegation_id"},
	"session.thinking.append":           {"content", "delegation_id"},
	"session.commentary.append":         {"content", "delegation_id"},
	"response.item.create":              {"item"},
	"response.create":                   nil,
	"session.close":                     nil,
}

// The limits of the reference are in tokens. A text has at most as many as it has bytes; how many
// fewer is not known here, so that no text with more bytes is taken.
const (
	liveAppend       = 500
	liveInstructions = 16384
	liveHistory      = 8192
	liveMessages     = 128
)

// liveRefusal is why an event is not taken.
type liveRefusal struct{ code, param, message string }

func (r *liveRefusal) Error() string { return r.code + ": " + r.message }

func liveRefuse(code, param, format string, args ...any) *liveRefusal {
	return &liveRefusal{code, param, fmt.Sprintf(format, args...)}
}

// decodeLive reads an event. What it makes of one that it refuses says at least which it is.
func decodeLive(data []byte) (*liveEvent, error) {
	var e liveEvent
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return &e, liveRefuse("invalid_json", "", "%v", err)
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return &e, liveRefuse("invalid_value", "", "%v", err)
	}
	needs, ok := liveFields[e.Type]
	if !ok {
		return &e, liveRefuse("invalid_value", "type", "%q is none of %s", e.Type,
			strings.Join(slices.Sorted(maps.Keys(liveFields)), ", "))
	}
	for _, name := range needs {
		if _, ok := fields[name]; !ok {
			return &e, liveRefuse("missing_required_parameter", name, "%s without %s", e.Type, name)
		}
	}
	for name := range fields {
		if name != "type" && name != "event_id" && !slices.Contains(needs, name) {
			return &e, liveRefuse("unknown_parameter", name, "Unknown parameter: '%s'.", name)
		}
	}
	return &e, e.check()
}

func (e *liveEvent) check() error {
	switch e.Type {
	case "session.start":
		return checkLiveSession(e.Session)
	case "session.input_audio.append":
		if len(e.Audio)%2 != 0 {
			return liveRefuse("invalid_audio", "audio", "PCM16 audio must contain an even number of bytes")
		}
	case "session.instructions.append", "session.thinking.append", "session.commentary.append":
		if e.Content == nil || strings.TrimSpace(*e.Content) == "" || len(*e.Content) > liveAppend {
			return liveRefuse("invalid_value", "content", "it must be 1 to %d tokens", liveAppend)
		}
	}
	return nil
}

// liveConfig is what a session can be told at its start (SessionConfig), as far as a client with
// delegations of its own and a websocket can use it.
type liveConfig struct {
	Model        string `json:"model"`
	Instructions string `json:"instructions"`
	Audio        struct {
		Format *liveFormat `json:"format"`
		Output struct {
			Voice json.RawMessage `json:"voice"`
		} `json:"output"`
	} `json:"audio"`
	Delegation *struct {
		Type  string `json:"type"`
		Delay *int   `json:"acknowledgement_delay_ms"`
	} `json:"delegation"`
	Input []struct {
		ID      string     `json:"id"`
		Type    string     `json:"type"`
		Role    string     `json:"role"`
		Status  string     `json:"status"`
		Content []liveText `json:"content"`
	} `json:"input"`
	Safety string `json:"safety_identifier"`
	Store  bool   `json:"store"`
}

type liveText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type liveFormat struct {
	Type string `json:"type"`
	Rate int    `json:"rate"`
}

func checkLiveSession(raw json.RawMessage) error {
	var s liveConfig
	if err := strictly(raw, &s); err != nil {
		return liveRefuse("unknown_parameter", "session", "%v", err)
	}
	switch {
	case s.Model == "":
		return liveRefuse("missing_required_parameter", "session.model", "a session without a model")
	case len(s.Instructions) > liveInstructions:
		return liveRefuse("invalid_value", "session.instructions", "more than %d tokens", liveInstructions)
	case s.Delegation != nil && s.Delegation.Type != "client":
		return liveRefuse("invalid_value", "session.delegation.type", "this server delegates to its client only")
	case len(s.Input) > liveMessages:
		return liveRefuse("invalid_value", "session.input", "more than %d messages", liveMessages)
	}
	if f := s.Audio.Format; f != nil && *f != (liveFormat{"audio/pcm", 24000}) && *f != (liveFormat{"audio/pcm", 16000}) {
		return liveRefuse("invalid_value", "session.audio.format", "%v", *f)
	}
	if err := checkLiveVoice(s.Audio.Output.Voice); err != nil {
		return err
	}
	tokens := 0
	for i, m := range s.Input {
		good := map[string][]string{"user": {"input_text", ""}, "developer": {"input_text", ""},
			"assistant": {"output_text", "text", ""}}[m.Role]
		if m.Type != "message" && m.Type != "" || len(m.Content) != 1 || !slices.Contains(good, m.Content[0].Type) ||
			!slices.Contains([]string{"", "incomplete", "completed"}, m.Status) {
			return liveRefuse("invalid_value", fmt.Sprintf("session.input[%d]", i), "a message of role %q: %+v", m.Role, m)
		}
		if tokens += len(m.Content[0].Text); tokens > liveHistory {
			return liveRefuse("invalid_value", "session.input", "more than %d tokens", liveHistory)
		}
	}
	return nil
}

// checkLiveVoice takes a name or the id of a custom voice.
func checkLiveVoice(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	var name string
	var custom struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &name) != nil && (strictly(raw, &custom) != nil || custom.ID == "") {
		return liveRefuse("invalid_value", "session.audio.output.voice", "%s", raw)
	}
	return nil
}

// asLiveRefusal is err as what a client is told.
func asLiveRefusal(err error) *liveRefusal {
	var r *liveRefusal
	if !errors.As(err, &r) {
		r = &liveRefusal{code: "invalid_value", message: err.Error()}
	}
	return r
}
