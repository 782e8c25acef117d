// Package event is the closed set of events that hearthd publishes about itself, and the Bus
// that carries them to observers. Nothing in the daemon behaves differently because of an
// event. The JSON form of each is a contract: MQTT, the control API and `hearthctl events`
// show it.
//
// The package runs no goroutine, owns no buffer but the queues of the
// subscriptions, and imports nothing of hearthd.
package event

import (
	"slices"
	"strings"
	"time"
)

// Header is part of every event. Publish fills Type, Seq and Time.
type Header struct {
	Type    string    `json:"type"`
	Seq     uint64    `json:"seq"`
	Time    time.Time `json:"time"`
	Session uint64    `json:"session,omitempty"` // id of the first turn of the session
	Turn    uint64    `json:"turn,omitempty"`
}

func (h *Header) head() *Header { return h }

// Event is one of the structs of this package, by pointer. It is not changed
// once it is published.
type Event interface {
	head() *Header
	kind() string
}

// Head is the header of e, for observers outside this package.
func Head(e Event) Header { return *e.head() }

// State is what the speaker is doing.
type State string

// The states of the turn machine.
const (
	Starting    State = "starting"
	Idle        State = "idle"
	Listening   State = "listening"
	Thinking    State = "thinking"
	ToolCalling State = "tool_calling"
	Speaking    State = "speaking"
	Muted       State = "muted"
	Faulted     State = "faulted"
)

// StateChanged says that the turn machine moved.
type StateChanged struct {
	Header
	From State `json:"from"`
	To   State `json:"to"`
}

// Woken says what opened a turn: "phrase", "follow_up", "button", "barge_in", "text",
// "announcement", "homeassistant" or the name of a wake word. Score is how sure the spotter was, 0 to 1. The
// turn that follows has the same name as its opener.
type Woken struct {
	Header
	By    string  `json:"by"`
	Score float32 `json:"score,omitempty"`
	// WaitedMS is how long this box waited for other boxes that heard it too; the turn that follows
	// does not repeat it.
	WaitedMS int64 `json:"waited_ms,omitempty"`
}

// Hushed says that a stop word was heard while there was something to stop.
type Hushed struct {
	Header
	By    string  `json:"by"`
	Score float32 `json:"score,omitempty"`
}

// SpeechStarted is the onset of an utterance.
type SpeechStarted struct {
	Header
	Utterance uint64 `json:"utterance"`
}

// SpeechEnded says how an utterance ended, in the words of vad.Reason: "silence"
// or "cap", or, when it was none, "too_short", "closed", "gap" or "woken" (it ended
// in a wake word).
type SpeechEnded struct {
	Header
	Utterance uint64  `json:"utterance"`
	Reason    string  `json:"reason"`
	Seconds   float64 `json:"seconds"` // voiced part, pre-roll and trailing silence excluded
}

// Heard is the transcript of the utterance that a turn answers. Text is empty
// when transcripts are switched off.
type Heard struct {
	Header
	Text string `json:"text,omitempty"`
}

// Ignored says why an utterance opened no turn: "not_addressed" (no wake phrase and no open
// window), "not_understood", "recogniser_failed" or "other_voice" (a yes much louder or softer
// than the request that it answers).
type Ignored struct {
	Header
	Utterance uint64 `json:"utterance"`
	Reason    string `json:"reason"`
}

// AnotherAnswered is the reason of Yielded.
const AnotherAnswered = "another box answered"

// Yielded says that this box heard the wake word and leaves the answer to another one, which heard
// it better or first.
type Yielded struct {
	Header
	Box      string `json:"box"`
	Reason   string `json:"reason"`
	WaitedMS int64  `json:"waited_ms,omitempty"` // how long that took to decide
}

// Routed says who answers the turn: "intent", "home_assistant", "local", "cloud", "announcement" or "none".
type Routed struct {
	Header
	Route  string `json:"route"`
	Intent string `json:"intent,omitempty"`
}

// ToolStarted and ToolFinished come in pairs with the same Call. Arguments are as the caller
// wrote them, cut to MaxWords; empty if transcripts are switched off.
type ToolStarted struct {
	Header
	Call      string `json:"call"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments,omitempty"`
}

// MaxWords bounds the arguments and the result of a tool call in an event, in bytes.
const MaxWords = 1000

// ToolFinished has the class of the outcome, such as "ok". Text is what a model is told about
// it, cut to MaxWords; empty if transcripts are switched off.
type ToolFinished struct {
	Header
	Call    string `json:"call"`
	Tool    string `json:"tool"`
	Outcome string `json:"outcome"`
	TookMS  int64  `json:"took_ms"`
	Text    string `json:"text,omitempty"`
}

// Said is one sentence handed to the voice. Text is empty when transcripts are
// switched off.
type Said struct {
	Header
	Text string `json:"text,omitempty"`
}

// BargeIn says that speech cut the answer, and how much of it had been played.
type BargeIn struct {
	Header
	PlayedMS int64 `json:"played_ms"`
}

// StageMS is the time that each stage of a turn took, in milliseconds. Absent
// stages are zero. FirstSound is measured from the end of the person's speech
// to the first sample of the answer (voice, not earcon) at the speaker.
type StageMS struct {
	Endpoint   int64 `json:"endpoint"`    // end of speech to the decision that it ended
	STT        int64 `json:"stt"`         // that decision to the transcript
	Route      int64 `json:"route"`       // transcript to the matched intent or the thinker's first sentence
	Tool       int64 `json:"tool"`        // running tools, summed
	TTS        int64 `json:"tts"`         // first sentence to its first samples
	Play       int64 `json:"play"`        // first samples to the speaker
	FirstSound int64 `json:"first_sound"` // end of speech, or arrival of a text request, to the speaker
	Total      int64 `json:"total"`       // to the end of the turn
}

// Stage is a part of a turn that took time, in milliseconds.
type Stage struct {
	Name string
	Took int64
}

// Parts are the stages that follow one another, without any that took no time.
func (s *StageMS) Parts() []Stage {
	list := []Stage{
		{"endpoint", s.Endpoint}, {"stt", s.STT}, {"route", s.Route}, {"tool", s.Tool}, {"tts", s.TTS},
		{"play", s.Play},
	}
	return slices.DeleteFunc(list, func(p Stage) bool { return p.Took == 0 })
}

// ToolUse is one tool call of a turn.
type ToolUse struct {
	Tool    string `json:"tool"`
	Outcome string `json:"outcome"`
	TookMS  int64  `json:"took_ms"`
}

// Turn is the document of one finished turn.
type Turn struct {
	Header
	Source     string `json:"source"` // "voice", "text" or "announcement"
	WokenBy    string `json:"woken_by"`
	Route      string `json:"route"`
	Intent     string `json:"intent,omitempty"`
	Outcome    string `json:"outcome"` // "answered", "failed", "interrupted", "superseded" or "stopped"
	Reason     string `json:"reason,omitempty"`
	Transcript string `json:"transcript,omitempty"`
	HeardBy    string `json:"heard_by,omitempty"` // the recogniser, where there are several
	Answer     string `json:"answer,omitempty"`   // what was heard, when it was cut
	// Asks: Answer ends with a question, which the next request answers.
	Asks         bool      `json:"asks,omitempty"`
	Question     string    `json:"question,omitempty"` // to which a yes is expected; a yes in writing has to repeat it
	Tools        []ToolUse `json:"tools,omitempty"`
	Stages       StageMS   `json:"stages_ms"`
	Sources      []Source  `json:"sources,omitempty"`  // what the answer rests on
	Thinker      string    `json:"thinker,omitempty"`  // who answered on the route local
	Cached       bool      `json:"cached,omitempty"`   // the answer was kept from before
	Recalled     int       `json:"recalled,omitempty"` // notes that the memory added to the request
	PromptTokens int       `json:"prompt_tokens,omitempty"`
	// EvaluatedTokens are the prompt tokens that no cache of the model held.
	EvaluatedTokens int     `json:"evaluated_tokens,omitempty"`
	OutputTokens    int     `json:"output_tokens,omitempty"`
	Cost            float64 `json:"cost,omitempty"`           // of a responder, in the money of its prices
	FirstTokenMS    int64   `json:"first_token_ms,omitempty"` // request to the model's first token
}

// Forgets reports whether the turn made the box forget something. Its words name that, so nobody
// keeps them.
func (t *Turn) Forgets() bool {
	return slices.ContainsFunc(t.Tools, func(u ToolUse) bool { return strings.HasPrefix(u.Tool, "memory_forget") })
}

// Source is something on which an answer is based.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url,omitempty"`
}

// Severity says whether a person must act: health.Warning or health.Error.
type Severity string

// Condition is a standing health problem.
type Condition struct {
	Code     string    `json:"code"`
	Severity Severity  `json:"severity"`
	Text     string    `json:"text"`
	Since    time.Time `json:"since"`
}

// ConditionChanged says that a standing health problem began, changed or ended.
type ConditionChanged struct {
	Header
	Condition
	Active bool `json:"active"`
}

// Timer is what will ring, as observers see it.
type Timer struct {
	ID      int64     `json:"id"`
	Kind    string    `json:"kind"` // "timer", "alarm", "reminder" or "order"
	Label   string    `json:"label,omitempty"`
	Ends    time.Time `json:"ends"`              // while it is paused: when it would end if it were resumed now
	LeftS   float64   `json:"left_s,omitempty"`  // while it is paused: seconds
	Repeat  string    `json:"repeat,omitempty"`  // RRULE of RFC 5545
	Station string    `json:"station,omitempty"` // with which an alarm wakes; without: it rings
}

// TimersChanged has all timers, alarms and reminders, the next one first. Timers is empty if
// there is none, and not nil.
type TimersChanged struct {
	Header
	Timers []Timer `json:"timers"`
}

// TimerFired says that a timer ended, or that it is time for an alarm or a reminder. Missed:
// that was while the box was off, or its clock wrong.
type TimerFired struct {
	Header
	Timer  Timer `json:"timer"`
	Missed bool  `json:"missed,omitempty"`
}

// RingResumed says that what was ringing when the box went off rings again. There is no second
// TimerFired for it.
type RingResumed struct {
	Header
	Timers []Timer `json:"timers"`
}

// RingEnded says that timers have stopped ringing: "stopped" by a person, "silenced" by name
// or snoozed, at the "limit", or "told" once, long after their time.
type RingEnded struct {
	Header
	Timers []int64 `json:"timers"`
	Reason string  `json:"reason"`
}

// VolumeChanged carries the new volume in percent.
type VolumeChanged struct {
	Header
	Percent int `json:"percent"`
}

// Media is what plays: radio, music. State is "playing", "paused" or "stopped". Title, artist and album are as the
// station or the file tells them.
type Media struct {
	State   string    `json:"state"`
	Station string    `json:"station,omitempty"`
	Source  string    `json:"source,omitempty"` // another player, which plays through us
	Title   string    `json:"title,omitempty"`
	Artist  string    `json:"artist,omitempty"`
	Album   string    `json:"album,omitempty"`
	Percent int       `json:"percent"`        // its volume, under that of the speaker
	Until   time.Time `json:"until,omitzero"` // when it falls silent by itself
}

// MediaChanged says what plays from now on.
type MediaChanged struct {
	Header
	Media
}

// MuteChanged says that the microphone was closed or opened by a person.
type MuteChanged struct {
	Header
	Muted bool `json:"muted"`
}

// DNDChanged says that somebody asked not to be disturbed, or no longer.
type DNDChanged struct {
	Header
	On bool `json:"on"`
}

// WakeWordChanged says which wake word opens turns: "all", "phrase", or a name.
type WakeWordChanged struct {
	Header
	Word string `json:"word"`
}

// PolicyChanged says what may go to the responder: "auto" or "local", nothing.
type PolicyChanged struct {
	Header
	Policy string `json:"policy"`
}

func (*StateChanged) kind() string     { return "state" }
func (*Woken) kind() string            { return "woken" }
func (*Hushed) kind() string           { return "hushed" }
func (*SpeechStarted) kind() string    { return "speech_started" }
func (*SpeechEnded) kind() string      { return "speech_ended" }
func (*Heard) kind() string            { return "heard" }
func (*Ignored) kind() string          { return "ignored" }
func (*Yielded) kind() string          { return "yielded" }
func (*Routed) kind() string           { return "routed" }
func (*ToolStarted) kind() string      { return "tool_started" }
func (*ToolFinished) kind() string     { return "tool_finished" }
func (*Said) kind() string             { return "said" }
func (*BargeIn) kind() string          { return "barge_in" }
func (*Turn) kind() string             { return "turn" }
func (*ConditionChanged) kind() string { return "condition" }
func (*TimersChanged) kind() string    { return "timers" }
func (*TimerFired) kind() string       { return "timer_fired" }
func (*RingResumed) kind() string      { return "ring_resumed" }
func (*RingEnded) kind() string        { return "ring_ended" }
func (*VolumeChanged) kind() string    { return "volume" }
func (*MediaChanged) kind() string     { return "media" }
func (*MuteChanged) kind() string      { return "mute" }
func (*DNDChanged) kind() string       { return "dnd" }
func (*PolicyChanged) kind() string    { return "policy" }
func (*WakeWordChanged) kind() string  { return "wake_word" }
