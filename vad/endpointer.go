package vad

import (
	"cmp"
	"fmt"
	"time"

	"hearthd/audio"
)

// maxUtterance keeps what an engine must buffer for one request within reason:
// 5 min are 9.6 MB.
const maxUtterance = 5 * time.Minute

// endpointerOptions sets an endpointer. Sound with less voice than MinSpeech is no utterance;
// EndSilence without voice ends one; MaxUtterance, which includes the pre-roll, ends it in any
// case.
type endpointerOptions struct {
	MinSpeech, EndSilence, MaxUtterance time.Duration
}

// doubtful is the share of a doubtful stretch that counts as silence: an end silence of 700 ms
// takes a second over a television, and a person who trails off has that second too. When all of it
// counted, one sentence in seven ended early over television (see foreground).
const doubtful = 0.7

// longestWait limits the silence that EndAfter may ask for.
const longestWait = 3 * time.Second

// verdict is how an endpointer judges the utterance so far.
type verdict uint8

// The verdicts. Every one but GoOn is final.
const (
	goOn     verdict = iota // speech, or a pause in it
	ended                   // followed by silence
	capped                  // as long as an utterance may be
	tooShort                // over, and too little voice to have been speech
)

// endpointer decides when an utterance is over.
type endpointer struct {
	minSpeech, endSilence, maxUtterance audio.Position

	longest   audio.Position // of this utterance
	start     audio.Position // its first sample
	voice     audio.Position // samples of voice in it
	speechEnd audio.Position // end of the last voiced frame
	doubt     audio.Position // samples since then that may have been voice
	wait      audio.Position // end silence of this pause, or 0
}

// newEndpointer returns an endpointer that waits for Open.
func newEndpointer(o endpointerOptions) (*endpointer, error) {
	switch {
	case o.MinSpeech < 0:
		return nil, fmt.Errorf("minimum speech %v: want no negative time", o.MinSpeech)
	case o.EndSilence <= 0:
		return nil, fmt.Errorf("end silence %v: want more than 0", o.EndSilence)
	case o.MaxUtterance <= o.MinSpeech+o.EndSilence:
		return nil, fmt.Errorf("longest utterance %v: want more than minimum speech and end silence, %v",
			o.MaxUtterance, o.MinSpeech+o.EndSilence)
	case o.MaxUtterance > maxUtterance:
		return nil, fmt.Errorf("longest utterance %v: want at most %v", o.MaxUtterance, maxUtterance)
	}
	return &endpointer{
		minSpeech:    audio.Samples(o.MinSpeech),
		endSilence:   audio.Samples(o.EndSilence),
		maxUtterance: audio.Samples(o.MaxUtterance),
	}, nil
}

// Open starts an utterance: start is its first sample, pre-roll included, and voice the speech
// heard in it so far. A limit other than 0 bounds the utterance too.
func (e *endpointer) Open(start, voice, now audio.Position, limit time.Duration) {
	e.longest = e.maxUtterance
	if limit > 0 {
		e.longest = min(e.longest, audio.Samples(limit))
	}
	e.start, e.voice, e.speechEnd, e.doubt, e.wait = start, voice, now, 0, 0
}

// Push takes voice, the samples of speech in the stretch that ends at now, and doubt, those that
// may be noise or somebody else's voice, and judges the utterance up to there. Both are 0 for a
// stretch without speech.
func (e *endpointer) Push(voice, doubt, now audio.Position) verdict {
	e.doubt += doubt
	if voice > 0 {
		e.voice += voice
		e.speechEnd, e.doubt, e.wait = now, 0, 0
	}
	silence := now - e.speechEnd - audio.Position((1-doubtful)*float64(e.doubt))
	silent, long := silence >= cmp.Or(e.wait, e.endSilence), now-e.start >= e.longest
	switch {
	case (silent || long) && e.voice < e.minSpeech:
		return tooShort
	case silent:
		return ended
	case long:
		return capped
	}
	return goOn
}

// EndAfter sets the silence that ends the utterance, up to 3 s, until there is
// voice again.
func (e *endpointer) EndAfter(silence time.Duration) {
	e.wait = audio.Samples(min(max(silence, 0), longestWait))
}
