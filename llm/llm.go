// Package llm holds the types that thinkers, responders and tools share:
// messages, requests, streamed deltas, tool specifications and calls. It has no
// behaviour, runs no goroutine, and imports nothing of hearthd.
package llm

import (
	"encoding/json"
	"strings"
	"time"
)

// Role says who wrote a Message, by the names of the chat protocols.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Ask is a request of a person, and where it comes from. Whoever works on it passes it on
// unchanged.
type Ask struct {
	Text    string
	Mode    Mode
	Person  string // who asks: a name in memory.people; empty: the household
	ByVoice bool   // Person is only who sounds so, which permits nothing
	Session uint64 // the conversation; 0: none
	Turn    uint64 // the turn that answers it; 0: there is none, or it is over
	Guest   string // the call of the browser that asks; empty: the box itself does
	Box     bool   // another box asks, so that what it asks for ends here
	// Said is what the person said themselves, where Text is what a model made of it.
	Said string
	// Faint says that Said was heard, but not so clearly that a grave call is run without asking.
	Faint bool
	// Rival says that another request is about as likely as Said, so that a call is run without
	// asking only if its tool is ReadOnly: its answer tells what was heard.
	Rival bool
	// Foreign says that words from outside the house are in the answer to this request, or in the
	// conversation that it belongs to.
	Foreign bool
}

// Message is one entry of a conversation. An Assistant message may carry Calls;
// each of them is answered by exactly one ToolRole message with its CallID.
type Message struct {
	Role    Role       `json:"role"`
	Content string     `json:"content,omitempty"`
	Calls   []ToolCall `json:"calls,omitempty"`
	CallID  string     `json:"call_id,omitempty"`
	Tool    string     `json:"tool,omitempty"` // name of the tool that a ToolRole message answers for
	Mode    Mode       `json:"mode,omitempty"` // of a User message
}

// Mode says how a request came, which decides the form of its answer.
type Mode string

// The modes.
const (
	Voice Mode = "voice"
	Typed Mode = "text"
)

// ToolSpec describes a tool to a model. Parameters is a JSON schema of an object.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	// ReadOnly says that the tool changes nothing, in the house or outside, and reveals to others
	// no more than what is looked up. A model may call it at any time. It may call other tools,
	// once it was shown foreign text, only when the person's words ask for that very call.
	ReadOnly bool `json:"read_only,omitempty"`
}

// ToolCall asks for one run of a tool. Arguments is as the caller wrote it: it
// may be bad JSON until the executor has checked it.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Kind is what the call is about, taken from the first word of its tool's name: timer. Calls of one
// kind depend on each other as soon as one of them changes something.
func (c *ToolCall) Kind() string {
	kind, _, _ := strings.Cut(c.Name, "_")
	return kind
}

// Source is where an answer is from.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url,omitempty"`
}

// Exchange is what was said in a turn, kept for reflection and until a summary covers it.
type Exchange struct {
	ID           int64 // given by the memory
	Time         time.Time
	Person       string // empty: the household
	User, Answer string // Answer is empty where words from outside the house may stand in it
}

// Document is a file of the household. Path tells files apart.
type Document struct {
	Path     string // below its folder
	Size     int64  // bytes
	Modified time.Time
	Problem  string // why it has no passages; empty: it was read
}

// Passage is a piece of a document, in the order of reading.
type Passage struct {
	ID      int64  // given by the memory
	Name    string // of the document, as words
	Section string // the headings above it, or the page
	Text    string
}

// Found is a passage that may answer a question.
type Found struct {
	Passage
	Path string
	// Distance is 1 minus the cosine between the meanings of passage and question, or 2 where that
	// is not known.
	Distance float64
}

// Request is one exchange with a chat model. With a Schema the answer is to be
// one JSON value that fits it; servers may ignore that, so the caller checks.
type Request struct {
	Messages []Message
	Tools    []ToolSpec
	Schema   json.RawMessage
	Most     int // most tokens of the answer; 0: no limit
}

// Delta is one piece of a streamed answer: text, or a complete tool call, or, as the last one, the
// usage; from a responder also audio, mono at its rate, and what it has heard the person say. The
// texts of a thinker are whole sentences.
type Delta struct {
	Text  string
	Audio []int16
	Heard string
	Call  *ToolCall
	Usage *Usage
}

// Usage is what an exchange, or a turn of several, cost, as far as the server reports it.
type Usage struct {
	PromptTokens int           `json:"prompt_tokens"`
	Evaluated    int           `json:"evaluated"` // of them, those that no cache held
	OutputTokens int           `json:"output_tokens"`
	Load         time.Duration `json:"load"`        // loading the model, zero when it was warm
	FirstToken   time.Duration `json:"first_token"` // from the request to the first token
	Total        time.Duration `json:"total"`
	Calls        int           `json:"calls"`              // of tools
	Thinker      string        `json:"thinker,omitempty"`  // the domain that answered the turn
	Cost         float64       `json:"cost,omitempty"`     // in the money of the price table
	Cached       bool          `json:"cached,omitempty"`   // the answer was kept from before
	Recalled     int           `json:"recalled,omitempty"` // notes that the memory added to the prompt
	Sources      []Source      `json:"sources,omitempty"`  // what the answer rests on
	// Foreign says that the conversation which the answer belongs to holds words from
	// outside the house.
	Foreign bool `json:"foreign,omitempty"`
}

// Transcript is what a recogniser made of an utterance. An empty Text with
// Rejected set means that there was speech, but none that the engine's grammar
// covers.
type Transcript struct {
	Text     string
	Rejected bool
	// Margin says how sure the engine is of Text: 0 or more is as sure as it can be, and -20 a
	// guess. An engine that does not know leaves it at 0.
	Margin float64
	// Rival says that a text which asks for something else is about as likely as Text.
	Rival bool
	// By is the recogniser that heard it, where there are several.
	By string
}
