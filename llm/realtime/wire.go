package realtime

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"hearthd/llm"
	"hearthd/llm/gone"
)

// rate is the sample rate of the audio both ways: samples per second, mono S16.
const rate = 24000

// outgoing is an event that is sent, with the fields of all those that are used (OpenAI API
// reference, Realtime client events).
type outgoing struct {
	Type       string          `json:"type"`
	Event      string          `json:"event_id,omitempty"`
	Session    *session        `json:"session,omitempty"`
	Audio      []byte          `json:"audio,omitempty"`
	Item       *item           `json:"item,omitempty"`
	Response   *responseParams `json:"response,omitempty"`
	ResponseID string          `json:"response_id,omitempty"`
	ItemID     string          `json:"item_id,omitempty"`
	*cutAt                     // of conversation.item.truncate
}

// cutAt is where an item is cut.
type cutAt struct {
	Content int   `json:"content_index"`
	EndMS   int64 `json:"audio_end_ms"`
}

type (
	// session is the configuration of a session; fields that are left out stay as they are.
	session struct {
		Type         string       `json:"type"` // realtime
		Modalities   []string     `json:"output_modalities,omitempty"`
		Instructions string       `json:"instructions"`
		Audio        *audioParams `json:"audio,omitempty"`
		Tools        []function   `json:"tools"`
		ToolChoice   string       `json:"tool_choice,omitempty"`
		Reasoning    *reasoning   `json:"reasoning,omitempty"`
		Parallel     bool         `json:"parallel_tool_calls,omitempty"` // only with reasoning
	}
	reasoning struct {
		Effort string `json:"effort"`
	}
	audioParams struct {
		Input struct {
			Format        format         `json:"format"`
			Transcription *transcription `json:"transcription,omitempty"`
			// Detection is null when the detector runs here. If it were left out, the service would
			// use its own.
			Detection *detection `json:"turn_detection"`
		} `json:"input"`
		Output struct {
			Format format `json:"format"`
			Voice  string `json:"voice,omitempty"`
		} `json:"output"`
	}
	// detection makes the service report when a person begins and ends, and do nothing else.
	detection struct {
		Type      string `json:"type"` // semantic_vad or server_vad
		Create    bool   `json:"create_response"`
		Interrupt bool   `json:"interrupt_response"`
	}
	format struct {
		Type string `json:"type"` // audio/pcm
		Rate int    `json:"rate"`
	}
	transcription struct {
		Model    string `json:"model"`
		Language string `json:"language,omitempty"`
	}
	function struct {
		Type        string          `json:"type"` // function
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	responseParams struct {
		Conversation string `json:"conversation,omitempty"` // none
		Instructions string `json:"instructions,omitempty"`
		ToolChoice   string `json:"tool_choice,omitempty"`
	}
)

// item is an entry of the conversation, as it is sent and as it comes.
type item struct {
	ID        string    `json:"id,omitempty"`
	Type      string    `json:"type"` // message, function_call, function_call_output or one of MCP
	Status    string    `json:"status,omitempty"`
	Role      string    `json:"role,omitempty"`
	Content   []content `json:"content,omitempty"`
	CallID    string    `json:"call_id,omitempty"`
	Name      string    `json:"name,omitempty"`
	Arguments string    `json:"arguments,omitempty"`
	Output    *string   `json:"output,omitempty"`
	Request   string    `json:"approval_request_id,omitempty"`
	Approve   *bool     `json:"approve,omitempty"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
}

// incoming is a received event, with the fields of all those that are used; the type says which are
// set.
type incoming struct {
	Type       string          `json:"type"`
	Response   answer          `json:"response"`
	ResponseID string          `json:"response_id"`
	Item       item            `json:"item"`
	ItemID     string          `json:"item_id"`
	Content    int             `json:"content_index"`
	Delta      string          `json:"delta"`
	Transcript string          `json:"transcript"`
	Usage      transcriptUsage `json:"usage"`
	CallID     string          `json:"call_id"`
	Name       string          `json:"name"`
	Arguments  string          `json:"arguments"`
	Error      fault           `json:"error"`
}

// fault is the error that an event reports.
type fault struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Param   string `json:"param"`
	Event   string `json:"event_id"` // of the event that it is about
}

// refusal is f as the answer to a request with that status, or 0.
func (f *fault) refusal(status int) gone.Refusal {
	return gone.Refusal{Status: status, Code: cmp.Or(f.Code, f.Type), Param: f.Param, Words: f.Message}
}

// answer is a response of the service.
type answer struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Details struct {
		Reason string `json:"reason"`
		Error  fault  `json:"error"`
	} `json:"status_details"`
	Output []item `json:"output"`
	Usage  *usage `json:"usage"`
}

type usage struct {
	Input struct {
		details
		Cached details `json:"cached_tokens_details"`
	} `json:"input_token_details"`
	Output  details `json:"output_token_details"`
	Seconds float64 `json:"seconds"` // of a session that is paid by time; none of OpenAI's is
}

type details struct {
	Text  int `json:"text_tokens"`
	Audio int `json:"audio_tokens"`
}

// configuration is everything that hearthd sets for a session.
func (o *Options) configuration(p *Persona) outgoing {
	u := personaUpdate(p, "")
	u.Session.Modalities, u.Session.ToolChoice, u.Session.Audio = []string{"audio"}, "auto", new(audioParams)
	in, out, pcm := &u.Session.Audio.Input, &u.Session.Audio.Output, format{Type: "audio/pcm", Rate: rate}
	in.Format, out.Format, out.Voice = pcm, pcm, o.Voice
	if o.Transcriber != "" {
		in.Transcription = &transcription{Model: o.Transcriber, Language: o.Language}
	}
	if o.Detection != "" {
		in.Detection = &detection{Type: o.Detection}
	}
	if o.Reasoning != "" {
		u.Session.Reasoning, u.Session.Parallel = &reasoning{o.Reasoning}, true
	}
	return u
}

// personaUpdate is the update that sends a session its persona.
func personaUpdate(p *Persona, event string) outgoing {
	return outgoing{Type: "session.update", Event: event, Session: &session{
		Type: "realtime", Instructions: p.Instructions, Tools: functions(p),
	}}
}

func functions(p *Persona) []function {
	list := make([]function, len(p.Tools))
	for i, t := range p.Tools {
		list[i] = function{Type: "function", Name: t.Name, Description: t.Description, Parameters: t.Parameters}
	}
	return list
}

// personaDigest is a digest of everything in p that may change during a session.
func personaDigest(p *Persona) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%q", p.Instructions)
	for _, t := range p.Tools {
		fmt.Fprintf(h, "%q%q%q", t.Name, t.Description, t.Parameters)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// message is a conversation item for something said before, or nil when a new session need not know
// it.
func message(m *llm.Message) *item {
	kind := map[llm.Role]string{llm.User: "input_text", llm.Assistant: "output_text", llm.System: "input_text"}[m.Role]
	if kind == "" || m.Content == "" {
		return nil
	}
	return &item{Type: "message", Role: string(m.Role), Content: []content{{Type: kind, Text: m.Content}}}
}

// transcriptUsage is what a transcript cost.
type transcriptUsage struct {
	In      int     `json:"input_tokens"`
	Out     int     `json:"output_tokens"`
	Seconds float64 `json:"seconds"`
}
