package wyoming

// The messages of recognisers and voices.
const (
	Describe = "describe"
	Info     = "info"
	Error    = "error"

	Transcribe      = "transcribe"
	Transcript      = "transcript"
	TranscriptStart = "transcript-start"
	TranscriptChunk = "transcript-chunk"
	TranscriptStop  = "transcript-stop"

	Synthesize        = "synthesize"
	SynthesizeStart   = "synthesize-start"
	SynthesizeChunk   = "synthesize-chunk"
	SynthesizeStop    = "synthesize-stop"
	SynthesizeStopped = "synthesize-stopped"
)

// SoFar asks for the words up to now, and is answered with the same type and a Text. It is ours, and not
// of the protocol: a client sends it only to a server whose TranscriptStart said that it can (Began).
const SoFar = "transcript-so-far"

// VoicePrint asks for the print of the voice in an utterance, which is the payload, with a Format as its data. It is
// answered with the same type and a Print. It is ours, and not of the protocol.
const VoicePrint = "hearth-voice-print"

// Print is a vector that is near another one of its model when the same person speaks.
type Print struct {
	Model  string    `json:"model"`
	Print  []float32 `json:"print"`  // empty: the utterance was too short
	Likely float64   `json:"likely"` // the cosine of two prints from which on they are of one person
}

// Request is the data of transcribe.
type Request struct {
	Name     string   `json:"name,omitempty"` // of a model
	Language string   `json:"language,omitempty"`
	Context  *Context `json:"context,omitempty"`
}

// Context is what the protocol leaves to client and server. One that does not know it passes it over.
type Context struct {
	HotWords []string `json:"hot_words,omitempty"` // phrases that are likelier than others
	SoFar    bool     `json:"so_far,omitempty"`    // the client would ask for the words so far
	// Cutoffs say how sure a server has to be of a wake word, 0 to 1, by its name.
	Cutoffs map[string]float64 `json:"cutoffs,omitempty"`
}

// What servers of wake words are asked, and answer.
const (
	Detect      = "detect"
	Detection   = "detection"
	NotDetected = "not-detected"
)

// Words is the data of detect: the wake words to wait for, in the audio that follows.
type Words struct {
	Names   []string `json:"names,omitempty"`
	Context *Context `json:"context,omitempty"`
}

// Detected is the data of detection.
type Detected struct {
	Name      string   `json:"name"`
	Timestamp *float64 `json:"timestamp,omitempty"` // ms, of the chunk with the end of the word
}

// Began is the data of transcript-start.
type Began struct {
	SoFar bool   `json:"so_far,omitempty"`
	Model string `json:"model,omitempty"`
}

// Text is the data of transcript, transcript-chunk and synthesize-chunk.
type Text struct {
	Text string `json:"text"`
}

// Speech is the data of synthesize and synthesize-start.
type Speech struct {
	Text  string `json:"text,omitempty"`
	Voice *Voice `json:"voice,omitempty"`
}

// Voice chooses who speaks.
type Voice struct {
	Name     string `json:"name,omitempty"`
	Language string `json:"language,omitempty"`
	Speaker  string `json:"speaker,omitempty"`
}

// Complaint is the data of error.
type Complaint struct {
	Text string `json:"text"`
	Code string `json:"code,omitempty"`
}
