package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// realtimeEvent is an event of a client. Fields that its type does not have are
// refused, as the published schema does.
type realtimeEvent struct {
	Type    string `json:"type"`
	EventID string `json:"event_id"`

	Session      json.RawMessage `json:"session"`
	Audio        []byte          `json:"audio"`
	Item         *realtimeNew    `json:"item"`
	ItemID       string          `json:"item_id"`
	ContentIndex int             `json:"content_index"`
	EndMS        int64           `json:"audio_end_ms"`
	ResponseID   string          `json:"response_id"`
	Response     *realtimeAsk    `json:"response"`

	whole bool         `json:"-"` // the session's audio is in it
	vad   *realtimeVAD `json:"-"` // and the detection; nil: none
}

// realtimeNew is an item that a client adds.
type realtimeNew struct {
	Type    string `json:"type"`
	Role    string `json:"role,omitempty"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content,omitempty"`
	CallID  string  `json:"call_id,omitempty"`
	Output  *string `json:"output,omitempty"`
	ID      string  `json:"id,omitempty"`
	Request string  `json:"approval_request_id,omitempty"`
	Approve *bool   `json:"approve,omitempty"`
}

// realtimeAsk is what a client wants of a response.
type realtimeAsk struct {
	Conversation string `json:"conversation"`
	Instructions string `json:"instructions"`
	ToolChoice   string `json:"tool_choice"`
}

// realtimeFields are the fields that each event must have, beside its type, and
// then those that it may have.
var realtimeFields = map[string][2][]string{
	"session.update":             {{"session"}, {"event_id"}},
	"input_audio_buffer.append":  {{"audio"}, {"event_id"}},
	"input_audio_buffer.clear":   {nil, {"event_id"}},
	"input_audio_buffer.commit":  {nil, {"event_id"}},
	"conversation.item.create":   {{"item"}, {"event_id", "previous_item_id"}},
	"conversation.item.truncate": {{"item_id", "content_index", "audio_end_ms"}, {"event_id"}},
	"conversation.item.delete":   {{"item_id"}, {"event_id"}},
	"response.create":            {nil, {"event_id", "response"}},
	"response.cancel":            {nil, {"event_id", "response_id"}},
}

// realtimeSession is what a session can be told (RealtimeSessionCreateRequestGA),
// as far as this server knows it.
type realtimeSession struct {
	Type         string   `json:"type"`
	Modalities   []string `json:"output_modalities"`
	Model        string   `json:"model"`
	Instructions string   `json:"instructions"`
	Audio        struct {
		Input struct {
			Format        realtimeFormat  `json:"format"`
			Transcription json.RawMessage `json:"transcription"`
			Detection     json.RawMessage `json:"turn_detection"`
		} `json:"input"`
		Output struct {
			Format realtimeFormat `json:"format"`
			Voice  string         `json:"voice"`
		} `json:"output"`
	} `json:"audio"`
	Tools []struct {
		Type        string         `json:"type"`
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  map[string]any `json:"parameters"`
	} `json:"tools"`
	ToolChoice string `json:"tool_choice"`
	Reasoning  *struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Parallel *bool `json:"parallel_tool_calls"`
}

type realtimeFormat struct {
	Type string `json:"type"`
	Rate int    `json:"rate"`
}

func decodeRealtime(data []byte) (*realtimeEvent, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	var e realtimeEvent
	if err := strictly(data, &e); err != nil {
		return nil, err
	}
	known, ok := realtimeFields[e.Type]
	if !ok {
		return nil, fmt.Errorf("event type %q is not known", e.Type)
	}
	allowed := map[string]bool{"type": true}
	for _, name := range known[0] {
		if _, ok := fields[name]; !ok {
			return nil, fmt.Errorf("%s without %s", e.Type, name)
		}
		allowed[name] = true
	}
	for _, name := range known[1] {
		allowed[name] = true
	}
	for name := range fields {
		if !allowed[name] {
			return nil, fmt.Errorf("%s has no %s", e.Type, name)
		}
	}
	return &e, e.check()
}

func (e *realtimeEvent) check() error {
	switch e.Type {
	case "session.update":
		return e.checkSession()
	case "input_audio_buffer.append":
		if len(e.Audio) == 0 || len(e.Audio)%2 != 0 || len(e.Audio) > 15<<20 {
			return fmt.Errorf("audio of %d bytes", len(e.Audio))
		}
	case "conversation.item.create":
		return e.Item.check()
	case "conversation.item.truncate":
		if e.EndMS < 0 {
			return errors.New("audio_end_ms is negative")
		}
	case "response.create":
		if r := e.Response; r != nil && r.Conversation != "" && r.Conversation != "none" && r.Conversation != "auto" {
			return fmt.Errorf("conversation %q", r.Conversation)
		}
	}
	return nil
}

func (it *realtimeNew) check() error {
	if it == nil {
		return errors.New("item is null")
	}
	speaks := it.Role != "" || it.Content != nil
	switch it.Type {
	case "mcp_approval_response":
		if speaks || it.ID == "" || it.Request == "" || it.Approve == nil {
			return errors.New("mcp_approval_response wants id, approval_request_id and approve")
		}
	case "function_call_output":
		if speaks || it.CallID == "" || it.Output == nil {
			return errors.New("function_call_output wants call_id and output, and nothing else")
		}
	case "message":
		return it.checkMessage()
	default:
		return fmt.Errorf("item type %q", it.Type)
	}
	return nil
}

func (it *realtimeNew) checkMessage() error {
	want := map[string]string{"user": "input_text", "system": "input_text", "assistant": "output_text"}[it.Role]
	if want == "" || len(it.Content) == 0 || it.CallID != "" || it.Output != nil {
		return fmt.Errorf("message of role %q with %d parts", it.Role, len(it.Content))
	}
	for _, part := range it.Content {
		if part.Type != want || part.Text == "" {
			return fmt.Errorf("content %q in a message of role %q", part.Type, it.Role)
		}
	}
	return nil
}

// checkSession looks at an update. One that leaves the audio out changes nothing of
// it.
func (e *realtimeEvent) checkSession() error {
	var s realtimeSession
	if err := strictly(e.Session, &s); err != nil {
		return err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(e.Session, &parts); err != nil {
		return err
	}
	_, e.whole = parts["audio"]
	pcm := realtimeFormat{"audio/pcm", 24000}
	switch {
	case s.Type != "realtime":
		return fmt.Errorf("session type %q", s.Type)
	case !e.whole:
	case s.Audio.Input.Format != pcm || s.Audio.Output.Format != pcm:
		return fmt.Errorf("audio formats %v and %v, want %v", s.Audio.Input.Format, s.Audio.Output.Format, pcm)
	default:
		if err := e.checkDetection(s.Audio.Input.Detection); err != nil {
			return err
		}
	}
	if r := s.Reasoning; r != nil && !slices.Contains([]string{"minimal", "low", "medium", "high", "xhigh"}, r.Effort) {
		return fmt.Errorf("reasoning effort %q", r.Effort)
	}
	if s.Parallel != nil && s.Reasoning == nil {
		return errors.New("parallel_tool_calls is for models that reason")
	}
	for _, t := range s.Tools {
		if t.Type != "function" || t.Name == "" || t.Parameters["type"] != "object" {
			return fmt.Errorf("tool %q", t.Name)
		}
	}
	return nil
}

// checkDetection takes null, semantic_vad and server_vad; left out, the latter would be on.
func (e *realtimeEvent) checkDetection(raw json.RawMessage) error {
	if string(raw) == "null" {
		return nil
	}
	e.vad = &realtimeVAD{Create: true, Interrupt: true} // what is left out
	if err := strictly(raw, e.vad); err != nil {
		return fmt.Errorf("turn_detection: %w", err)
	}
	switch e.vad.Eagerness {
	case "", "low", "medium", "high", "auto":
	default:
		return fmt.Errorf("turn_detection: eagerness %q", e.vad.Eagerness)
	}
	if e.vad.Type != "semantic_vad" && (e.vad.Type != "server_vad" || e.vad.Eagerness != "") {
		return fmt.Errorf("turn_detection of type %q", e.vad.Type)
	}
	return nil
}

func strictly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
