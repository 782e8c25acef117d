package vad

import "hearthd/audio"

// Kind says what a Signal reports.
type Kind uint8

// The kinds: an utterance has one Onset, one Audio for each frame, then one End or
// one Discard.
const (
	Onset   Kind = iota + 1 // somebody may have begun to speak
	Audio                   // one frame of the utterance
	End                     // the utterance is complete
	Discard                 // it was none; forget its frames
	// Pause and Sustained may come in between. Pause: the speaker has been silent for a moment; at
	// most once per pause. Sustained: there is more voice in the utterance than in a cough or an
	// "mm-hm"; once.
	Pause
	Sustained
)

// Reason says why an utterance is over.
type Reason uint8

// Silence and Cap belong to End, the others to Discard.
const (
	Silence Reason = iota + 1 // the speaker has finished
	Cap                       // the longest utterance is reached
	Short                     // less voice than the minimum speech
	Closed                    // Flush: the capture ended
	Gap                       // the stream jumped
	Woken                     // it ended in a wake word
)

// String is the reason as it stands in logs and events.
func (r Reason) String() string {
	switch r {
	case Silence:
		return "silence"
	case Cap:
		return "cap"
	case Short:
		return "too_short"
	case Closed:
		return "closed"
	case Gap:
		return "gap"
	case Woken:
		return "woken"
	}
	return ""
}

// Signal is one report of a Segmenter. It and its Frame are borrowed until the
// emit function returns.
type Signal struct {
	Kind      Kind
	Utterance uint64 // 1 for the first one, counting discarded ones
	// At is, for Onset, the first sample of the utterance, pre-roll included;
	// for Audio, the first sample of Frame; for the others, the end of the last
	// frame.
	At audio.Position
	// Speech is, for Onset, where the first voiced frame began; for the others but
	// Audio, where the last one ended.
	Speech audio.Position
	Frame  *audio.Frame // Audio only
	Reason Reason       // End and Discard only
	// Level is the utterance's level as the microphone heard it, in dBFS, set for End and Discard;
	// 0 where nobody has measured it. A Segmenter does not.
	Level float32
}
