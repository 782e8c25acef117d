package live

import (
	"cmp"
	"encoding/json"
	"strings"

	"hearthd/config/letters"
	"hearthd/llm"
	"hearthd/llm/realtime"
)

const (
	// rate is the sample rate of the audio both ways: samples per second, mono S16.
	rate = 24000
	// maxPiece is what may be added at once, in bytes. The limit is 500 tokens, and a token has at
	// least one.
	maxPiece = 500
	// maxPieces bounds what is added in a row: a long answer of a thinker has eight.
	maxPieces = 16
	// maxHistory bounds what a new session is told of the conversation before, in messages and in
	// bytes. The limits are 128, and 8192 tokens with what marks the messages.
	maxHistory      = 20
	maxHistoryBytes = 7 << 10
)

// The kinds of what can be added to a session: what it obeys, knows, and says.
const (
	toObey = "session.instructions.append"
	toKnow = "session.thinking.append"
	toSay  = "session.commentary.append"
)

// command is an event that is sent to GPT-Live, with the fields of all those that are used.
type command struct {
	Type    string  `json:"type"`
	Event   string  `json:"event_id,omitempty"`
	Session *config `json:"session,omitempty"`
	Audio   []byte  `json:"audio,omitempty"`
	*addition
}

// addition is what is added. Delegation is null if it belongs to none.
type addition struct {
	Content    string  `json:"content"`
	Delegation *string `json:"delegation_id"`
}

type (
	// config is what a session is from its start to its end.
	config struct {
		Model        string  `json:"model"`
		Instructions string  `json:"instructions,omitempty"`
		Audio        audio   `json:"audio"`
		Delegation   kind    `json:"delegation"`
		Input        []entry `json:"input,omitempty"`
		Store        bool    `json:"store"`
	}
	audio struct {
		Format struct {
			Type string `json:"type"` // audio/pcm
			Rate int    `json:"rate"`
		} `json:"format"`
		Output *voiced `json:"output,omitempty"`
	}
	voiced struct {
		Voice string `json:"voice"`
	}
	kind struct {
		Type string `json:"type"` // client
	}
	// entry is a message of the conversation before.
	entry struct {
		Type    string `json:"type"` // message
		Role    string `json:"role"`
		Content []text `json:"content"`
	}
	text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
)

// notice is a received event, with the fields of all those that are used.
type notice struct {
	Type       string `json:"type"`
	Delta      string `json:"delta"`    // words, or base64 of audio
	Start      int64  `json:"start_ms"` // of words, in the session
	End        int64  `json:"end_ms"`
	Reason     string `json:"reason"`
	Delegation struct {
		ID     string `json:"id"`
		Target string `json:"target"`
	} `json:"delegation"`
	Usage struct {
		Seconds float64 `json:"seconds"`
	} `json:"usage"`
	Error struct {
		Type    string `json:"type"`
		Code    string `json:"code"`
		Message string `json:"message"`
		Param   string `json:"param"`
		Event   string `json:"client_event_id"` // of the event that it is about
	} `json:"error"`
}

// used are the events that are read, and passed those that say nothing that is needed here.
var (
	used = map[string]bool{
		"session.started": true, "session.output_audio.delta": true, "session.output_transcript.delta": true,
		"session.input_transcript.delta": true, "session.delegation.created": true, "session.usage.updated": true,
		"session.closed": true, "error": true,
	}
	passed = map[string]bool{
		"session.updated": true, "session.input_audio.muted": true, "session.input_audio.unmuted": true,
		"session.instructions.appended": true, "session.thinking.appended": true,
		"session.commentary.appended": true, "info": true,
	}
)

// noticed reads an event of the service. One that is not used may have any shape.
func noticed(data []byte) (*notice, error) {
	which, err := decode[struct {
		Type string `json:"type"`
	}](data)
	if err != nil || !used[which.Type] {
		return &notice{Type: which.Type}, err
	}
	return decode[notice](data)
}

// asked is an event of the Realtime protocol, with the fields of all those that its client sends.
type asked struct {
	Type  string `json:"type"`
	Audio []byte `json:"audio"`
	Item  struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content []text `json:"content"`
		CallID  string `json:"call_id"`
		Output  string `json:"output"`
	} `json:"item"`
	ItemID   string `json:"item_id"`
	EndMS    int64  `json:"audio_end_ms"`
	Response struct {
		Instructions string `json:"instructions"`
	} `json:"response"`
}

// told is an event of the Realtime protocol, as its service sends it.
type told map[string]any

// start is what opens a session.
func start(o *realtime.Options, p *realtime.Persona) *command {
	c := &config{Model: o.Model, Instructions: p.Instructions, Delegation: kind{"client"}, Input: history(p.History)}
	c.Audio.Format.Type, c.Audio.Format.Rate = "audio/pcm", rate
	if o.Voice != "" {
		c.Audio.Output = &voiced{o.Voice}
	}
	return &command{Type: "session.start", Event: "start", Session: c}
}

// history is the end of a conversation, as much of it as a session takes.
func history(list []llm.Message) (input []entry) {
	n := 0
	for i := len(list) - 1; i >= 0 && len(input) < maxHistory; i-- {
		role := map[llm.Role]string{llm.User: "user", llm.Assistant: "assistant", llm.System: "developer"}[list[i].Role]
		if role == "" || list[i].Content == "" {
			continue
		}
		if n += len(list[i].Content); n > maxHistoryBytes {
			break
		}
		form := map[string]string{"assistant": "output_text"}[role]
		input = append([]entry{{"message", role, []text{{cmp.Or(form, "input_text"), list[i].Content}}}}, input...)
	}
	return input
}

// pieces cuts s, between words, into what may be added at once.
func pieces(s string) (list []string) {
	for s = strings.TrimSpace(s); s != "" && len(list) < maxPieces; s = strings.TrimSpace(s) {
		piece := letters.Cut(s, maxPiece)
		if len(piece) < len(s) {
			if at := strings.LastIndexAny(piece, " \n"); at > 0 {
				piece = piece[:at]
			}
		}
		list, s = append(list, piece), s[len(piece):]
	}
	return list
}

func decode[T any](data []byte) (*T, error) {
	v := new(T)
	return v, json.Unmarshal(data, v)
}
